# Shared by the scripts of this folder (sourced): pinned tools, installed outside the tree.
# shellcheck shell=bash

# What is pinned here is installed by `go install`; the npm tools are pinned by the package-lock.json beside their package.json.
golangci_lint=github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
# Builds with every Go 1.26; v2.14.3 asks for 1.26.1, v2.18.2 for 1.27.
goreleaser=github.com/goreleaser/goreleaser/v2@v2.12.7
actionlint=github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
gotestsum=gotest.tools/gotestsum@v1.13.0
freeze=github.com/charmbracelet/freeze@v0.2.2
govulncheck=golang.org/x/vuln/cmd/govulncheck@v1.9.0
oapi_codegen=github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2
licence_detector=go.elastic.co/go-licence-detector@v0.11.1
cyclonedx_gomod=github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
cosign=github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3

# private_cache prints the folder of the tools, and fails if other users can change it: what is in it is run. Without a
# home it is a new folder each time, since others could have made one with a known name.
private_cache() {
  local folder=${PAYCTL_CI_CACHE:-${HOME:+$HOME/.cache/payctl-ci}}
  if [ -z "$folder" ]; then
    mktemp -d
    return
  fi
  (umask 022 && mkdir -p "$folder") || return
  if [ -z "$(find "$folder" -maxdepth 0 -type d -user "$(id -u)" ! -perm -020 ! -perm -002)" ]; then
    echo "$folder is not yours alone, so that others could change the tools in it. Remove it, or set PAYCTL_CI_CACHE." >&2
    return 1
  fi
  echo "$folder"
}

ci_cache=$(private_cache) || exit

# go_tool PACKAGE@VERSION prints the path of the installed program, building it the first time. A linter has to be
# built by the Go it checks code for, so the Go version is part of the key.
go_tool() {
  local name=${1%@*} folder
  name=${name##*/}
  case $name in v[0-9]*) name=${1%/v[0-9]*@*} name=${name##*/} ;; esac
  folder=$ci_cache/go/$name-${1##*@}-$(go env GOVERSION)
  if [ ! -x "$folder/$name" ]; then
    mkdir -p "$ci_cache/go"
    local partial
    partial=$(mktemp -d "$ci_cache/go/.partial.XXXXXX")
    echo "installing $1" >&2
    GOBIN=$partial CGO_ENABLED=0 GOFLAGS='' go install "$1" >&2 || abandon "$partial" || return
    publish "$partial" "$folder"
  fi
  echo "$folder/$name"
}

# node_tools FOLDER prints the node_modules that FOLDER's lock file describes, installing it the first time.
node_tools() {
  local key folder
  key=$(cat "$1/package.json" "$1/package-lock.json" | cksum | tr -d ' ')
  folder=$ci_cache/node/$(basename "$1")-$key
  if [ ! -d "$folder/node_modules" ]; then
    mkdir -p "$ci_cache/node"
    local partial
    partial=$(mktemp -d "$ci_cache/node/.partial.XXXXXX")
    cp "$1/package.json" "$1/package-lock.json" "$partial/"
    echo "installing $(basename "$1") (npm)" >&2
    # No install scripts: none of these packages needs one, and a download in one would not be pinned.
    npm ci --prefix "$partial" --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error >&2 || abandon "$partial" || return
    publish "$partial" "$folder"
  fi
  echo "$folder/node_modules"
}

# publish PARTIAL FINAL moves a finished installation into place; where another process was first, its copy stays.
publish() {
  chmod 755 "$1"
  if [ -e "$2" ]; then rm -rf "$1"; else mv "$1" "$2"; fi
}

# abandon PARTIAL removes a failed installation and fails: set -e does not reach into a command substitution.
abandon() {
  rm -rf "$1"
  return 1
}
