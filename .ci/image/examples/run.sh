#!/usr/bin/env bash
# Checks the examples of docs/CONTAINERS.md: YAML is read, the manifest by Kubernetes' own types, and the programs in Go,
# TypeScript and Python are compiled, but not run, since Testcontainers needs an engine with Docker's interface.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
# shellcheck source=../../lib.sh
. .ci/lib.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# block HEADING LANGUAGE prints the first block of code in a language behind a heading.
block() {
  awk -v heading="$1" -v language="\`\`\`$2" '
    $0 == heading { found = 1 }
    found && $0 == "```" && inside { exit }
    inside { print }
    found && $0 == language { inside = 1 }
  ' docs/CONTAINERS.md >"$work/block"
  [ -s "$work/block" ] || { echo "docs/CONTAINERS.md has no $2 below $1" >&2 && return 1; }
  cat "$work/block"
}

echo '--- Go and Kubernetes'
cp .ci/image/examples/{go.mod,go.sum,yaml_test.go} "$work/"
block '## Kubernetes' yaml >"$work/kubernetes.yaml"
block '## Compose' yaml >"$work/compose.yaml"
block '## GitHub Actions' yaml >"$work/job.yaml"
block '### Go' go >"$work/shop_test.go"
(
  cd "$work"
  [ -z "$(gofmt -l .)" ]
  GOWORK=off go test -vet=off -count=1 -run '^Test(Kubernetes|OtherYAML)$' .
)

echo '--- TypeScript'
mkdir "$work/typescript"
modules=$(node_tools .ci/image/examples)
ln -s "$modules" "$work/typescript/node_modules"
echo '{"type": "module"}' >"$work/typescript/package.json"
block '### TypeScript' ts >"$work/typescript/shop.ts"
(cd "$work/typescript" && node_modules/.bin/tsc --noEmit --strict --skipLibCheck --module nodenext --target es2024 shop.ts)

echo '--- Python'
block '### Python' python >"$work/shop.py"
python3 -m py_compile "$work/shop.py"
