#!/usr/bin/env bash
# Installs payctl for the following steps: a release, or what the checkout of this action builds.
# A release is refused unless its checksum is that of checksums.txt. Where gh is installed, it is also refused unless
# payctl's release workflow has attested that it built the file.
# Reads VERSION and RELEASES; GH_TOKEN is for gh. Writes the output `version`.
set -euo pipefail
# shellcheck source=common.sh
. "${BASH_SOURCE[0]%/*}/common.sh"

repository=payctl/payctl
# No other user can enter it. A umask would also hold for what Go keeps of this build, and later steps may be another user's.
folder=$(mktemp -d "$(posix "$RUNNER_TEMP")/payctl-XXXXXX")
case $RUNNER_OS in
  Linux) system=linux program=payctl ending=tar.gz ;;
  macOS) system=darwin program=payctl ending=tar.gz ;;
  Windows) system=windows program=payctl.exe ending=zip ;;
  *) fail "There is no release of payctl for $RUNNER_OS." ;;
esac

# download URL FILE saves what is at a URL. Nothing but a server of this machine may be asked without TLS.
download() {
  local protocols='=https'
  case $1 in http://127.0.0.1:*) protocols='=http,https' ;; esac
  curl --fail --silent --show-error --location --proto "$protocols" --retry 3 --connect-timeout 20 --max-time 300 \
    --write-out '%{url_effective}' --output "$2" "$1"
}

sha256() { if command -v sha256sum >/dev/null; then sha256sum <"$1"; else shasum -a 256 <"$1"; fi | cut -d ' ' -f 1; }

install_source() {
  local source
  command -v go >/dev/null || fail 'Building payctl needs Go: use actions/setup-go before this step.'
  source=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)
  (cd "$source" && CGO_ENABLED=0 go build -trimpath -buildvcs=false -o "$(native "$folder/$program")" ./cmd/payctl) ||
    fail 'payctl could not be built.'
}

install_release() {
  local tag=$VERSION number machine archive expected
  case $RUNNER_ARCH in
    X64) machine=amd64 ;;
    ARM64) machine=arm64 ;;
    *) fail "There is no release of payctl for $RUNNER_ARCH." ;;
  esac
  if [ "$tag" = latest ]; then
    # This address leads to …/releases/tag/TAG.
    tag=$(download "$RELEASES/latest" /dev/null) || fail "The newest release was not found at $RELEASES."
    tag=${tag##*/}
  fi
  [[ $tag =~ ^v[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$ ]] ||
    fail "\"$tag\" is no version of payctl: use one such as v0.1.0, latest or source."
  number=${tag#v}
  archive=payctl_${number}_${system}_$machine.$ending
  download "$RELEASES/download/$tag/checksums.txt" "$folder/checksums.txt" >/dev/null ||
    fail "The checksums of $tag cannot be downloaded from $RELEASES."
  download "$RELEASES/download/$tag/$archive" "$folder/$archive" >/dev/null ||
    fail "$archive cannot be downloaded from $RELEASES."

  expected=$(awk -v file="$archive" '$2 == file { print $1 }' "$folder/checksums.txt")
  [ "${#expected}" -eq 64 ] || fail "checksums.txt does not name $archive."
  [ "$(sha256 "$folder/$archive")" = "$expected" ] ||
    fail "The checksum of $archive is not the one in checksums.txt, so it was not installed."
  if [ "$GITHUB_SERVER_URL" != https://github.com ] || ! gh attestation verify --help >/dev/null 2>&1; then
    echo "::notice title=payctl::Only the checksum of $archive was verified: its provenance needs gh and github.com."
  else
    gh attestation verify "$folder/$archive" --repo "$repository" --source-ref "refs/tags/$tag" \
      --signer-workflow "$repository/.github/workflows/release.yml" ||
      fail "$archive was not built by the release workflow of $repository, so it was not installed."
  fi
  if [ "$ending" = zip ]; then
    unzip -q "$folder/$archive" "$program" -d "$folder"
  else
    tar -xzf "$folder/$archive" -C "$folder" "$program"
  fi
  rm "$folder/$archive" "$folder/checksums.txt"
}

case $VERSION in
  source) install_source ;;
  *) install_release ;;
esac
installed=$("$folder/$program" version -o json --jq .version) || fail 'payctl was installed, but does not run here.'
echo "Installed payctl $installed."
echo "version=$installed" >>"$GITHUB_OUTPUT"
native "$folder" >>"$GITHUB_PATH"
