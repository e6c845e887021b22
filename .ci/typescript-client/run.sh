#!/usr/bin/env bash
# Makes a typed client from the contract, type-checks the flow against it and runs it against a live service.
# Usage: payctl serve -- .ci/typescript-client/run.sh
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=SCRIPTDIR/../lib.sh
. "$root/.ci/lib.sh"

modules=$(node_tools "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$modules" "$work/node_modules"
cp "$here/package.json" "$here/tsconfig.json" "$here/flow.ts" "$work/"

cd "$work"
# The generator needs the JavaScript compiler (5.9); the types are then checked, strictly, by the current one. The types go
# to a .ts file, since a .d.ts file would be taken on trust.
node_modules/.bin/openapi-typescript "$root/internal/contract/served/openapi.yaml" --output schema.ts
node node_modules/typescript-native/bin/tsc --project .
node out/flow.js
