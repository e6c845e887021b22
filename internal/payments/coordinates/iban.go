package coordinates

import (
	"regexp"
	"strconv"
	"strings"
)

// ibanStructures lists, by country code, the structure of what follows the check digits: n digits, a capital letters, c
// either, each preceded by how many. Neighbouring blocks of one class are joined.
//
// Source: SWIFT, IBAN Registry, release 100 (entries "IBAN structure").
const ibanStructures = "" +
	"AD:8n12c AE:19n AL:8n16c AT:16n AZ:4a20c BA:16n BE:12n BG:4a6n8c BH:4a14c BI:23n BR:23n1a1c BY:4c4n16c " +
	"CH:5n12c CR:18n CY:8n16c CZ:20n DE:18n DJ:23n DK:14n DO:4c20n EE:16n EG:25n ES:20n FI:14n FK:2a12n FO:14n " +
	"FR:10n11c2n GB:4a14n GE:2a16n GI:4a15c GL:14n GR:7n16c GT:24c HN:4a20n HR:17n HU:24n IE:4a14n IL:19n " +
	"IQ:4a15n IS:22n IT:1a10n12c JO:4a4n18c KW:4a22c KZ:3n13c LB:4n20c LC:4a24c LI:5n12c LT:16n LU:3n13c " +
	"LV:4a13c LY:21n MC:10n11c2n MD:20c ME:18n MK:3n10c2n MN:16n MR:23n MT:4a5n18c MU:4a19n3a NI:4a20n NL:4a10n " +
	"NO:11n OM:3n16c PK:4a16c PL:24n PS:4a21c PT:21n QA:4a21c RO:4a16c RS:18n RU:14n15c SA:2n18c SC:4a20n3a " +
	"SD:14n SE:20n SI:15n SK:20n SM:1a10n12c SO:19n ST:21n SV:4a20n TL:19n TN:20n TR:6n16c UA:6n19c VA:18n " +
	"VG:4a16n XK:16n YE:4a4n18c "

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

// ibanBlock is a block of a structure.
const ibanBlock = `([0-9]+)([nac])`

// checkIBAN checks the structure that the country has registered, and the check digits (ISO 7064, MOD 97-10).
func checkIBAN(iban string) (string, string) {
	country := iban[:2]
	_, structure, isKnown := strings.Cut(" "+ibanStructures, " "+country+":")
	if !isKnown {
		return "", "no IBAN is registered for the country code " + country
	}
	structure, _, _ = strings.Cut(structure, " ")
	want := 4
	for _, block := range compiled(ibanBlock).FindAllStringSubmatch(structure, -1) {
		length, _ := strconv.Atoi(block[1])
		want += length
	}
	if len(iban) != want {
		return "", "an IBAN of " + country + " has " + count(want) + " and this one has " + strconv.Itoa(len(iban))
	}
	classes := strings.NewReplacer("[n]", "[0-9]", "[a]", "[A-Z]", "[c]", "[A-Z0-9]")
	account := regexp.MustCompile("^" + classes.Replace(compiled(ibanBlock).ReplaceAllString(structure, "[$2]{$1}")) + "$")
	if !account.MatchString(iban[4:]) {
		return "", "an IBAN of " + country + " has its letters and digits in other places"
	}
	// The check digits are 98 minus a remainder. So 00, 01 and 99 never occur, although each passes the bare test in place
	// of another.
	if mod97(iban[4:]+iban[:4]) != 1 || iban[2:4] < "02" || iban[2:4] > "98" {
		return "", mistyped
	}
	return iban, ""
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
