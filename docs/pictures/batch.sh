# A file with four payments. One is refused: its reference was used for another amount.
for person in 'Ada Lovelace' 'Grace Hopper' 'Alan Turing' 'Barbara Liskov'; do
	name=${person% *}
	account=$(payctl accounts create --type individual --first-name "$name" --last-name "${person#* }" \
		--email "$name@example.com" --country GB --jq .id)
	payctl sandbox clock +2s
	payctl contacts create --account "$account" --label "$name" --holder-name "$person" --holder-type individual \
		--rail sepa --currency EUR --iban DE89370400440532013000
done
payctl transfer auto --contact Alan --route 'base:USDC->sepa:EUR' --amount 950 --reference 2026-01/alan
cat >payroll.csv <<'CSV'
reference,contact,route,amount
2026-01/ada,Ada,base:USDC->sepa:EUR,1250.00
2026-01/grace,Grace,base:USDC->sepa:EUR,1310.00
2026-01/alan,Alan,base:USDC->sepa:EUR,980.50
2026-01/barbara,Barbara,base:USDC->sepa:EUR,1475.25
CSV
exec >&3 2>&3

type 'cat payroll.csv'
type 'payctl transfer batch payroll.csv --yes --report payroll.done.csv'
type 'echo $?'
