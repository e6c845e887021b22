#!/usr/bin/env bash
# Renders the served OpenAPI document in Swagger UI, Redoc and Scalar, in a browser without a screen and without a
# network. Checks that each shows the operations in the document's order, and whether they are published or assumed.
# Usage: .ci/renderers/run.sh [picture FILE]      (picture: writes a picture of the rendered document instead)
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=SCRIPTDIR/../lib.sh
. "$root/.ci/lib.sh"

for name in chromium-headless-shell chromium google-chrome ''; do
  browser=$(command -v "$name") && break
done
if [ -z "$browser" ]; then
  echo "There is no browser: run .ci/install-packages." >&2
  exit 1
fi
modules=$(node_tools "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$modules" "$work/node_modules"
cp "$here"/*.html "$here/render.mjs" "$here/package.json" "$work/"
# A script, since a page of a file may not read other files.
{
  printf 'const contract = '
  cat "$root/internal/contract/served/openapi.json"
} >"$work/contract.js"
timeout 300 node "$work/render.mjs" "$browser" "$root/internal/contract/served/openapi.json" "$@"
