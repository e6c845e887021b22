#!/bin/sh
# Onboards the people of a file: creates an account for each, waits until all are approved, and saves where to pay them.
# Run it again after any failure: nobody is created twice. The reports tell what became of each row.
#
#   sh onboarding.sh people.csv
set -eu
people=${1:-people.csv}
payctl accounts import "$people" --map external_id=email --set type=individual \
	--report accounts.done.csv --wait --timeout 10m
payctl contacts import "$people" --map external_id=email,account=email,label=name,holder_name=name \
	--set holder_type=individual --set rail=sepa --set currency=EUR --report contacts.done.csv
