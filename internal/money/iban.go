package money

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/textutil"
)

// ibanStructures lists the structure of the account number by country code. It has so many digits (n), capital letters
// (a), or characters of either kind (c).
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

// sepaCountries are the codes of the countries whose accounts the SEPA schemes reach. Territories without an IBAN code
// of their own have the code of their country.
//
// Source: European Payments Council, EPC409-09, list of SEPA scheme countries.
const sepaCountries = "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL " +
	"NO PL PT RO RS SE SI SK SM VA"

// ibanForm is an International Bank Account Number (ISO 13616-1), kept in its electronic format: capitals, no spaces.
// sepaForm is one to which SEPA can pay.
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
				fault = "SEPA does not reach accounts of the country code " + iban[:2] + "; another rail, such as swift, may"
			}
			return iban, fault
		},
	}
)

// IBAN returns a text as an IBAN in its electronic format, and whether it is one.
func IBAN(text string) (iban string, ok bool) {
	iban, fault := ibanForm.read(text)
	return iban, fault == ""
}

// checkIBAN checks the structure that the country has registered, and the check digits (ISO 7064, MOD 97-10).
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
		kind := ibanKinds[part[2]]
		here := rest[:min(n, len(rest))]
		rest = rest[len(here):]
		length, words = length+n, append(words, part[1]+" "+kind.words)
		isRight = isRight && strings.Trim(here, kind.characters) == ""
	}
	switch {
	case len(iban) != length:
		return "", fmt.Sprintf("an IBAN of %s has %d characters and this one has %d", country, length, len(iban))
	case !isRight:
		return "", fmt.Sprintf("an IBAN of %s has %s after the check digits", country, strings.Join(words, ", "))
	// The check digits are 98 minus a remainder. So 00, 01 and 99 never occur, although each passes the bare test in place
	// of another.
	case mod97(iban[4:]+iban[:4]) != 1, iban[2:4] < "02", iban[2:4] > "98":
		return "", mistyped
	}
	return iban, ""
}

// ibanKinds are the kinds of characters in a structure.
var ibanKinds = map[string]struct{ characters, words string }{
	"n": {"0123456789", "digits"}, "a": {"ABCDEFGHIJKLMNOPQRSTUVWXYZ", "letters"},
	"c": {"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", "letters or digits"},
}

// mod97 is the remainder modulo 97 of a number in which A stands for 10, B for 11 and so on to Z for 35.
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
