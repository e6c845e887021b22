#!/usr/bin/env bash
# Checks the syntax of the completion script for PowerShell, and of the examples for PowerShell in the documents.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
# shellcheck source=SCRIPTDIR/../lib.sh
. "$root/.ci/lib.sh"

modules=$(node_tools "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$modules" "$work/node_modules"
cp "$here/check.mjs" "$here/package.json" "$work/"
cd "$root"
timeout 60 node "$work/check.mjs" completions/payctl.ps1 docs/*.md
