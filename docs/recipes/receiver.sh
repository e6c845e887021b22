#!/bin/sh
# Acts once on each event that it needs. To try it beside a service on this machine:
#   payctl listen --exec 'sh receiver.sh' --resume receiver
# payctl runs this for one event after the other, and again until the exit code is 0. An event may come a second time.
set -eu
done=${RECEIVER_DONE:-./events-done}

read -r event # the event as the service sent it
id=$(printf %s "$event" | sed 's/.*"id":"\(evt_[^"]*\)".*/\1/')
if grep -qxF "$id" "$done" 2>/dev/null; then
	exit 0
fi
case "$PAYCTL_EVENT_TYPE $PAYCTL_EVENT_TO" in
'kyc.statusChanged approved') echo "welcome $PAYCTL_EVENT_SUBJECT_ID" ;;
'transfer.stateChanged payment_processed') echo "paid $PAYCTL_EVENT_SUBJECT_ID" ;;
esac
echo "$id" >>"$done" # behind the work: whatever fails before is done again
