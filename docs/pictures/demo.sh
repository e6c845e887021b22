# A payment, the same line again, and a payment whose answer is lost.
account=$(payctl accounts create --type individual --first-name Ada --last-name Lovelace \
	--email ada@example.com --country GB --jq .id)
payctl sandbox clock +2s
payctl contacts create --account "$account" --label Ada --holder-name 'Ada Lovelace' --holder-type individual \
	--rail sepa --currency EUR --iban DE89370400440532013000
exec >&3 2>&3

say 'Pay an invoice'
type "payctl transfer auto --contact Ada --route 'base:USDC->sepa:EUR' \\
    --amount 250 --reference invoice-42 --jq .id"
say 'Run the same line again: it is the same transfer'
type "payctl transfer auto --contact Ada --route 'base:USDC->sepa:EUR' \\
    --amount 250 --reference invoice-42 --jq .id"
payctl sandbox faults createAutoTransfer=drop,times:1 >/dev/null
say 'The connection breaks before the answer to the next payment arrives'
type "payctl transfer auto --contact Ada --route 'base:USDC->sepa:EUR' \\
    --amount 99.50 --reference invoice-43 --retries 0"
type 'echo $?'
say 'Ask the service what became of it: it was paid, once'
type 'payctl transfer resolve'
