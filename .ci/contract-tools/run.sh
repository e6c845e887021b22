#!/usr/bin/env bash
# Tries the document that the service serves, unchanged, with openapi-examples-validator, Prism, Postman's importer and
# dredd. Usage: payctl serve --check --seed 1 -- .ci/contract-tools/run.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/../lib.sh
. "$here/../lib.sh"

modules=$(node_tools "$here")
work=$(mktemp -d)
# timeout passes the signal on to everything that its command has started.
trap 'jobs -pr | xargs -r kill; rm -rf "$work"' EXIT
cp "$here"/*.mjs "$here"/*.cjs "$work/"
ln -s "$modules" "$work/node_modules"
cd "$work"
export PATH="$PWD/node_modules/.bin:$PATH"

for document in openapi.yaml openapi.json openapi-3.1.yaml; do
  node --input-type=module --eval 'console.log(await (await fetch(process.argv[1])).text())' \
    "$PAYCTL_BASE_URL/$document" >"$document"
done

# check NAME COMMAND [ARG…] runs COMMAND beside the others, with what it prints in a file.
names=()
processes=()
check() {
  local name=$1
  shift
  timeout 600 "$@" >"$name.log" 2>&1 &
  names+=("$name")
  processes+=($!)
}

check postman node postman.mjs openapi.yaml
check dredd dredd openapi.yaml "$PAYCTL_BASE_URL" --hookfiles ./dredd-hooks.cjs --loglevel error --no-color
check mock node mock.mjs openapi.json
check examples openapi-examples-validator openapi.yaml
check examples-3.1 openapi-examples-validator openapi-3.1.yaml

code=0
for i in "${!names[@]}"; do
  name=${names[$i]}
  if ! wait "${processes[$i]}"; then
    # Dredd prints a line for each transaction that it leaves out.
    grep -v '^skip: ' "$name.log" || true
    echo "FAIL  $name"
    code=1
    continue
  fi
  grep '^ok ' "$name.log" || printf 'ok    %s: %s\n' "$name" "$(grep -i '^total' "$name.log")"
done
exit "$code"
