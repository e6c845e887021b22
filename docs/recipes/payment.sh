#!/bin/sh
# Pays the invoices of a file and waits until the money has arrived. The suppliers are contacts, by label or external id.
# Run it again after any failure: no invoice is paid twice. It pays nothing if the file adds up to more than the limit.
#
#   sh payment.sh invoices.csv 20000:USDC
set -eu
invoices=${1:-invoices.csv} limit=${2:-20000:USDC}
payctl transfer batch "$invoices" --map reference=invoice,contact=supplier,amount=total \
	--set route='base:USDC->sepa:EUR' --max-total "$limit" --yes --report invoices.done.csv --wait --timeout 30m
