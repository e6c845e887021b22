package money

import "strings"

// usAccountForm is an account number of a bank in the United States. Its length is that of the account field in a NACHA
// entry. Check digits differ by bank.
//
// Source: Nacha Operating Rules, appendix 3, "DFI Account Number".
var usAccountForm = form{
	name: "US account number", groups: "-", pattern: `^[0-9]{4,17}$`, words: "4 to 17 digits",
}

// ukAccountForm and sortCodeForm are an account number and the sort code of a bank in the United Kingdom. Their modulus
// check differs by bank and is not made.
//
// Source: Pay.UK, "Validating Account Numbers".
var (
	ukAccountForm = form{name: "UK account number", groups: "-", pattern: `^[0-9]{8}$`, words: "8 digits"}
	sortCodeForm  = form{name: "sort code", groups: "-", pattern: `^[0-9]{6}$`, words: "6 digits"}
)

// swiftAccountForm is the account of a beneficiary outside the IBAN countries, where national schemes differ.
//
// Source: SWIFT MT 103, field 59, "Account" (34x).
var swiftAccountForm = form{
	name: "account number", pattern: `^[A-Za-z0-9]([A-Za-z0-9./-]{0,32}[A-Za-z0-9])?$`,
	words: "up to 34 letters and digits, with - . and / between them",
}

// routingForm is a routing transit number of the United States, with an assigned first pair and a checksum.
//
// Source: American Bankers Association, Routing Number Policy.
var routingForm = form{
	name: "ABA routing number", groups: "-",
	pattern: `^(0[0-9]|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)[0-9]{7}$`,
	words:   "9 digits, the first two of them 00 to 12, 21 to 32, 61 to 72 or 80",
	check: func(text string) (string, string) {
		return unless(weighted371(text)%10 != 0, mistyped, text)
	},
}

// clabeForm is a Clave Bancaria Estandarizada: three digits for the bank, three for the place, eleven for the account,
// and a check digit.
//
// Source: Asociación de Bancos de México, CLABE standard.
var clabeForm = form{
	name: "CLABE", groups: "-", pattern: `^[0-9]{18}$`, words: "18 digits",
	check: func(text string) (string, string) {
		return unless((10-weighted371(text[:17])%10)%10 != int(text[17]-'0'), mistyped, text)
	},
}

// weighted371 sums the last digits of the products with 3, 7 and 1 in turn.
func weighted371(digits string) int {
	weights := [...]int{3, 7, 1}
	sum := 0
	for i, r := range digits {
		sum += int(r-'0') * weights[i%len(weights)] % 10
	}
	return sum
}

// bicForm is a Business Identifier Code. It has four letters or digits for the party, an ISO 3166 country code, two
// characters for the location, and sometimes three for the branch.
//
// Source: ISO 9362:2022; ISO 20022 data type BICFIDec2014Identifier.
var bicForm = form{
	name: "BIC", fold: strings.ToUpper, pattern: `^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$`,
	words: "8 or 11 letters and digits, with a country code at characters 5 and 6",
	check: func(text string) (string, string) {
		const kosovo = "XK" // not in ISO 3166
		country := text[4:6]
		return unless(!IsCountry(country) && country != kosovo, country+" is not a country code", text)
	},
}
