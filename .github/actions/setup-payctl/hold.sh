#!/usr/bin/env bash
# The command of the service that start.sh starts: writes where the service is, and keeps it running until the file `end`
# is in the folder, the folder is gone, or the time is over. Usage: hold.sh FOLDER MINUTES
set -euo pipefail
folder=$1
limit=$(($2 * 60))

for name in PAYCTL_BASE_URL PAYCTL_CLIENT_ID PAYCTL_CLIENT_SECRET PAYCTL_CONFIG_DIR PAYCTL_CREDENTIAL_STORE PAYCTL_CA_CERT; do
  [ -z "${!name:-}" ] || printf '%s=%s\n' "$name" "${!name}"
done >"$folder/environment.new"
mv "$folder/environment.new" "$folder/environment"
SECONDS=0
while [ -d "$folder" ] && [ ! -e "$folder/end" ]; do
  if [ "$SECONDS" -ge "$limit" ]; then
    echo "The service ends: nothing ended it within $2 minutes." >&2
    exit 124
  fi
  sleep 0.2
done
