# The main job of payctl, step by step; `make demo` runs it against the embedded service.
# Each command is shown before it runs.
set -eu

show() {
	printf '\n$ payctl'
	for word; do
		case $word in
		*[!A-Za-z0-9_.,:/@=-]*) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	payctl "$@"
}

# A login of its own: the id and secret of the environment would do without one.
printf '\n$ payctl auth login --client-id %s --secret-stdin\n' "$PAYCTL_CLIENT_ID"
secret=$PAYCTL_CLIENT_SECRET
unset PAYCTL_CLIENT_SECRET
printf '%s\n' "$secret" | payctl auth login --client-id "$PAYCTL_CLIENT_ID" --secret-stdin

show accounts create --type individual --first-name Ada --last-name Lovelace --email ada@example.com --country GB
account=$(payctl accounts list --limit 1 --jq '.[0].id')

show kyc watch "$account" --timeout 1m

show contacts create --account "$account" --label 'Ada, Berlin' --holder-name 'Ada Lovelace' --holder-type individual \
	--rail sepa --currency EUR --iban DE89370400440532013000
contact=$(payctl contacts list --limit 1 --jq '.[0].id')

show routes list --source base:USDC --destination sepa:EUR

show transfer auto --contact "$contact" --route 'base:USDC->sepa:EUR' --amount 250 --reference invoice-42 --wait --timeout 1m

printf '\nThe same line again pays nothing twice:\n'
show transfer auto --contact "$contact" --route 'base:USDC->sepa:EUR' --amount 250 --reference invoice-42 --jq '{id, state, reference}'
