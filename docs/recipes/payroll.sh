#!/bin/sh
# Pays the salaries of a month: checks the file and shows the plan, pays within a limit, waits until the money has arrived,
# and compares what was paid with the file. Amounts are what arrives. The employees are contacts, by label or external id.
# Run it again after any failure: nobody is paid twice for one payslip.
#
#   sh payroll.sh payroll.csv 2026-11 60000:EUR
set -eu
file=${1:-payroll.csv} month=${2:-2026-11} limit=${3:-60000:EUR}
set -- "$file" --map reference=payslip,contact=employee,amount=net --set amount_type=target --set route='base:USDC->sepa:EUR'
payctl transfer batch "$@" --dry-run
payctl transfer batch "$@" --batch-id "payroll-$month" --max-total "$limit" --yes \
	--report "payroll-$month.done.csv" --wait --timeout 30m
payctl transfer report --batch "payroll-$month"
payctl transfer report --batch "payroll-$month" --against "$file" --map reference=payslip,contact=employee,amount=net \
	--set currency=EUR
