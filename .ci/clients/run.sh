#!/usr/bin/env bash
# Generates a client in TypeScript and one in Go from the document that the service serves, type-checks them strictly and
# runs the documented integration with each. Has others read what payctl writes: events and reports.
# Neither the document nor what is generated is changed.
# Usage: payctl serve --check -- .ci/clients/run.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=SCRIPTDIR/../lib.sh
. "$here/../lib.sh"

modules=$(node_tools "$here")
oapi_codegen=$(go_tool "$oapi_codegen")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$here"/* "$work/"
ln -s "$modules" "$work/node_modules"
cd "$work"
export PATH="$PWD/node_modules/.bin:$here/../../bin:$PATH"
document=$PAYCTL_BASE_URL/openapi.yaml

# quietly NAME COMMAND [ARG…] shows what COMMAND prints only if it fails.
quietly() {
  local name=$1
  shift
  if ! "$@" >log 2>&1; then
    cat log
    echo "FAIL  $name"
    return 1
  fi
  echo "ok    $name"
}

# The types go to a .ts file, since a .d.ts file would be taken on trust.
quietly "openapi-fetch: generate" openapi-typescript "$document" --output schema.ts
quietly "openapi-fetch: type-check" tsc --project .
node out/openapi-fetch.js

# A receiver of docs/recipes gets an event of the service, as a receiver of a developer would.
cp "$here/../../docs/recipes/receiver.ts" receiver.ts
quietly "receiver.ts: type-check" tsc --project tsconfig.receiver.json
PORT=$((20000 + $$ % 20000))
export PORT PAYCTL_WEBHOOK_SECRET
PAYCTL_WEBHOOK_SECRET=$(payctl listen --print-secret)
node out/receiver.js >received &
receiver=$!
payctl listen --forward-to "http://127.0.0.1:$PORT/" --after beginning >handed 2>&1 &
listener=$!
trap 'kill $receiver $listener; rm -rf "$work"' EXIT
payctl sandbox trigger transfer.returned >triggered
for _ in $(seq 300); do
  if grep -q 'transfer.stateChanged trf_[^ ]* returned' received; then break; fi
  sleep 0.1
done
quietly "receiver.ts: gets each event" grep 'transfer.stateChanged trf_[^ ]* returned' received

# A reader of JUnit gets a report in which all is well, and one with a failure.
payctl serve --check --report passed.xml -- payctl accounts list >listed 2>&1
if payctl serve --report failed.xml --require cancelTransfer -- payctl accounts list >listed 2>&1; then
  echo 'FAIL  serve --require: cancelTransfer was never called'
  exit 1
fi
quietly "junit2json: reads reports" node junit.mjs passed.xml failed.xml

cd go
mkdir api
quietly "oapi-codegen: generate" "$oapi_codegen" -config oapi-codegen.yaml "$document"
quietly "oapi-codegen: vet" go vet ./...
go run .
