package money

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/textutil"
)

// ibanStructures lists the structure of the account number by country code, as numbers of digits (n), capital letters
// (a) or either (c).
//
// Source: SWIFT, IBAN Registry, release 100 (entries "BBAN structure").
const ibanStructures = "" +
	"AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR23n1a1c BY4c4n16c CH5n12c CR18n " +
	"CY8n16c CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n FR10n11c2n GB4a14n GE2a16n " +
	"GI4a15c GL14n GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c " +
	"KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n " +
	"MT4a5n18c MU4a19n3a NI4a20n NL4a10n NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n " +
	"RU14n15c SA2n18c SC4a20n3a SD14n SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c " +
	"UA6n19c VA18n VG4a16n XK16n YE4a4n18c "

// sepaCountries are the country codes of accounts that SEPA reaches. Territories without their own IBAN code have the
// code of their country.
//
// Source: European Payments Council, EPC409-09, list of SEPA scheme countries.
const sepaCountries = "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL " +
	"NO PL PT RO RS SE SI SK SM VA"

// ibanForm is an International Bank Account Number (ISO 13616-1). Its normal form is the electronic format, with
// capitals and no spaces. sepaForm is an IBAN that SEPA reaches.
var (
	ibanForm = form{
		name: "IBAN", fold: strings.ToUpper, pattern: `^[A-Z]{2}[0-9]{2}[A-Z0-9]+$`,
		words: "a country code, two check digits and the account", check: checkIBAN,
	}
	sepaForm = form{
		name: "IBAN", fold: strings.ToUpper, pattern: ibanForm.pattern, words: ibanForm.words,
		check: func(iban string) (string, string) {
			iban, fault := checkIBAN(iban)
			if fault == "" && !strings.Contains(sepaCountries, iban[:2]) {
				fault = "SEPA does not reach accounts with the country code " + iban[:2] + "; another rail, such as swift, may"
			}
			return iban, fault
		},
	}
)

// IBAN returns the electronic format of an IBAN, and whether the text is one.
func IBAN(text string) (iban string, ok bool) {
	iban, fault := ibanForm.read(text)
	return iban, fault == ""
}

// checkIBAN checks the country's registered structure, and the check digits (ISO 7064, MOD 97-10).
func checkIBAN(iban string) (string, string) {
	country := iban[:2]
	_, structure, isKnown := strings.Cut(" "+ibanStructures, " "+country)
	if !isKnown {
		return "", "no IBAN is registered for the country code " + country
	}
	structure, _, _ = strings.Cut(structure, " ")
	length, rest, isRight := len("DE00"), iban[4:], true
	var words []string
	for _, part := range textutil.Regexp(`(\d+)([nac])`).FindAllStringSubmatch(structure, -1) {
		n, _ := strconv.Atoi(part[1])
		allowed := ibanCharacters[part[2]]
		here := rest[:min(n, len(rest))]
		rest = rest[len(here):]
		length, words = length+n, append(words, part[1]+" "+allowed.words)
		isRight = isRight && strings.Trim(here, allowed.characters) == ""
	}
	switch {
	case len(iban) != length:
		return "", fmt.Sprintf("an IBAN of %s has %d characters and this one has %d", country, length, len(iban))
	case !isRight:
		return "", fmt.Sprintf("an IBAN of %s has %s after the check digits", country, strings.Join(words, ", "))
	// The check digits are 98 minus a remainder, so 00, 01 and 99 never occur. The remainder alone would accept them.
	case mod97(iban[4:]+iban[:4]) != 1, iban[2:4] < "02", iban[2:4] > "98":
		return "", mistyped
	}
	return iban, ""
}

// ibanCharacters are the characters in a structure, by their letter.
var ibanCharacters = map[string]struct{ characters, words string }{
	"n": {"0123456789", "digits"}, "a": {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "letters"},
	"c": {"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "letters or digits"},
}

// mod97 is the remainder modulo 97 of a number, where the letters A to Z mean 10 to 35.
func mod97(s string) int {
	remainder := 0
	for _, r := range s {
		if r <= '9' {
			remainder = (remainder*10 + int(r-'0')) % 97
		} else {
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		}
	}
	return remainder
}
