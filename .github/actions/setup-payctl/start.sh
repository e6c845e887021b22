#!/usr/bin/env bash
# Starts the service in the background and exports to the following steps where it is.
# Reads ARGS, further flags of serve, and TIMEOUT_MINUTES, after which the service ends by itself. Writes the output `url`.
set -euo pipefail
here=${BASH_SOURCE[0]%/*}
# shellcheck source=common.sh
. "$here/common.sh"

# How long the service may take until it answers.
ready_seconds=120

[ -z "${SETUP_PAYCTL_FOLDER:-}" ] || fail 'A service runs already in this job: end it first, with setup-payctl/report.'
[[ $TIMEOUT_MINUTES =~ ^[1-9][0-9]{0,4}$ ]] || fail "timeout-minutes must be a number of minutes, and is \"$TIMEOUT_MINUTES\"."
read -r -d '' -a flags <<<"$ARGS" || true # which reports the end of the text
for flag in ${flags[@]+"${flags[@]}"}; do
  [ "$flag" != -- ] || fail 'args takes flags of payctl serve, and no command.'
done

umask 077
folder=$(mktemp -d "$(posix "$RUNNER_TEMP")/payctl-service-XXXXXX")
mkdir "$folder/report"
# The service ends when its command does. That needs no signal, which programs on Windows cannot get.
(
  trap '' HUP
  code=0
  payctl serve --addr 127.0.0.1:0 --check --report "$(native "$folder/report/report.json")" \
    ${flags[@]+"${flags[@]}"} -- "$BASH" "$here/hold.sh" "$folder" "$TIMEOUT_MINUTES" || code=$?
  echo "$code" >"$folder/code.new"
  mv "$folder/code.new" "$folder/code"
) </dev/null >"$folder/report/service.log" 2>&1 &

SECONDS=0
while [ ! -e "$folder/environment" ]; do
  if [ -e "$folder/code" ]; then
    show_log "$folder/report/service.log"
    fail "The service did not start: payctl serve ended with exit code $(cat "$folder/code"). Its log is above."
  fi
  if [ "$SECONDS" -ge "$ready_seconds" ]; then
    touch "$folder/end"
    show_log "$folder/report/service.log"
    fail "The service was not ready after $ready_seconds seconds. Its log is above."
  fi
  sleep 0.1
done

while IFS= read -r line; do
  value=${line#*=}
  case $line in
    PAYCTL_CLIENT_SECRET=*) echo "::add-mask::${value//\%/%25}" ;;
    PAYCTL_BASE_URL=*)
      echo "url=$value" >>"$GITHUB_OUTPUT"
      echo "payctl serves at $value."
      ;;
  esac
  printf '%s\n' "$line" >>"$GITHUB_ENV"
done <"$folder/environment"
echo "SETUP_PAYCTL_FOLDER=$folder" >>"$GITHUB_ENV"
