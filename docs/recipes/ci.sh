#!/bin/sh
# A CI job: tests payments against a service of its own, which ends with the script, without a network or credentials. The
# service loses the first answer to a payment. It checks its answers against the contract and reports what was used.
#
#   sh ci.sh
set -eu
if [ "${1-}" != inside ]; then
	exec payctl serve --addr 127.0.0.1:0 --check --report coverage.json --clock 60x --seed 1 \
		--fault createAutoTransfer=drop,times:1 -- sh "$0" inside
fi
account=$(payctl accounts create --type individual --first-name Ada --last-name Adler --email ada@example.com \
	--country DE --external-id ada --wait --timeout 1m --jq .id)
payctl contacts create --account "$account" --label Ada --holder-name 'Ada Adler' --holder-type individual \
	--rail sepa --currency EUR --iban DE89370400440532013000
for attempt in first second; do
	echo "The $attempt run of the same line:"
	payctl transfer auto --contact Ada --route 'base:USDC->sepa:EUR' --amount 25 --reference ci-1 --wait --timeout 1m
done
[ "$(payctl transfer list --reference ci-1 --all --jq length)" = 1 ] # paid once

# Your own tests go here. They find the service in PAYCTL_BASE_URL, PAYCTL_CLIENT_ID and PAYCTL_CLIENT_SECRET.
