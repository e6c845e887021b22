#!/bin/sh
# Compares the transfers of today with the invoices that should have been paid. Exit code 0: each was paid once, with its
# amount, and nothing else was paid. Otherwise 15, with a row for each difference.
#
#   sh reconciliation.sh invoices.csv
payctl transfer report --against "${1:-invoices.csv}" --map reference=invoice,contact=supplier,amount=total \
	--set currency=USDC --created-after today
