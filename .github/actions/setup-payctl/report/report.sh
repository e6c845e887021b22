#!/usr/bin/env bash
# Ends the service that setup-payctl has started, and writes the summary of the job. Fails if the service broke the contract or
# did not end as it should. Reads ARTIFACT and JOB_INDEX. Writes the outputs `report` (a folder) and `artifact` (its name).
set -euo pipefail
here=${BASH_SOURCE[0]%/*}
# shellcheck source=../common.sh
. "$here/../common.sh"

# How long the service may take to finish its requests, and to write its report.
end_seconds=120
# The exit code of serve --check if a response broke the contract.
check_failed=15

if [ -z "${SETUP_PAYCTL_FOLDER:-}" ]; then
  echo 'No service was started in this job, so there is no report.'
  exit 0
fi
folder=$SETUP_PAYCTL_FOLDER
log=$folder/report/service.log
touch "$folder/end"
echo 'SETUP_PAYCTL_FOLDER=' >>"$GITHUB_ENV"
SECONDS=0
while [ ! -e "$folder/code" ]; do
  if [ "$SECONDS" -ge "$end_seconds" ]; then
    show_log "$log"
    fail "The service has not ended after $end_seconds seconds. Its log is above."
  fi
  sleep 0.1
done
code=$(cat "$folder/code")

report=$folder/report/report.json
if [ -e "$report" ]; then
  {
    echo "report=$(native "$folder/report")"
    echo "artifact=${ARTIFACT:-payctl-report-$GITHUB_JOB-${JOB_INDEX:-0}}"
  } >>"$GITHUB_OUTPUT"
  if command -v jq >/dev/null; then
    jq -r -f "$(native "$here/summary.jq")" "$(native "$report")" >>"$GITHUB_STEP_SUMMARY"
  else
    echo 'The report of payctl is in the artifact of this run. A summary of it needs jq on the runner.' >>"$GITHUB_STEP_SUMMARY"
  fi
fi
case $code in
  0) ;;
  "$check_failed")
    show_log "$log"
    fail 'The service broke the contract. The summary of this job lists where.'
    ;;
  *)
    show_log "$log"
    fail "The service ended with exit code $code. Its log is above."
    ;;
esac
