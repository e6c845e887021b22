package coordinates

import "strings"

// IBAN checks an International Bank Account Number (ISO 13616-1): a registered country, that country's length and
// structure, and the ISO 7064 MOD 97-10 check digits. It returns the electronic format: capitals, no spaces.
//
// Source: SWIFT, IBAN Registry, release 100.
func IBAN(value string) (string, error) {
	const kind = "IBAN"
	s, err := tidy(kind, value, "")
	if err != nil {
		return "", err
	}
	s = upper(s)
	if err := onlyOf(kind, s, isUpperOrDigit, "a letter or a digit"); err != nil {
		return "", err
	}
	if len(s) < 4 || !isUpper(rune(s[0])) || !isUpper(rune(s[1])) ||
		!isDigit(rune(s[2])) || !isDigit(rune(s[3])) {
		return "", invalid(kind, "it must start with a two-letter country code and two check digits")
	}
	country := s[:2]
	structure, ok := ibanStructure(country)
	if !ok {
		return "", invalid(kind, "no IBAN is registered for the country code %s", country)
	}
	if want := 4 + bbanLength(structure); len(s) != want {
		return "", invalid(kind, "an IBAN of %s has %d characters and this one has %d", country, want, len(s))
	}
	if err := checkBBAN(kind, s, structure); err != nil {
		return "", err
	}
	// ISO 13616 derives check digits from 98 minus a remainder, so 00, 01 and 99
	// never occur, although each passes the bare MOD 97 test in place of another.
	if mod97(s[4:]+s[:4]) != 1 || s[2:4] < "02" || s[2:4] > "98" {
		return "", invalid(kind, "its check digits do not match the rest, so at least one character is mistyped")
	}
	return s, nil
}

// sepaCountries are the codes of the countries whose accounts the SEPA schemes reach. Territories without an IBAN code of
// their own have the code of their country.
//
// Source: European Payments Council, EPC409-09, list of SEPA scheme countries.
const sepaCountries = "AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL " +
	"PT RO RS SE SI SK SM VA"

// sepaIBAN checks an IBAN to which SEPA can pay.
func sepaIBAN(value string) (string, error) {
	iban, err := IBAN(value)
	if err == nil && !strings.Contains(sepaCountries, iban[:2]) {
		return "", invalid("IBAN", "SEPA does not reach accounts of the country code %s; another rail, such as swift, may", iban[:2])
	}
	return iban, err
}

// mod97 is the remainder modulo 97 of a number in which A stands for 10, B for
// 11 and so on to Z for 35 (ISO 7064, MOD 97-10).
func mod97(s string) int {
	remainder := 0
	for _, r := range s {
		if isDigit(r) {
			remainder = (remainder*10 + int(r-'0')) % 97
		} else {
			remainder = (remainder*100 + int(r-'A') + 10) % 97
		}
	}
	return remainder
}

// checkBBAN holds the part after the check digits against its structure.
func checkBBAN(kind, iban, structure string) error {
	position := 4
	for structure != "" {
		var length int
		var class byte
		length, class, structure = nextBlock(structure)
		for range length {
			r := rune(iban[position])
			position++
			switch {
			case class == 'n' && !isDigit(r):
				return invalid(kind, "in an IBAN of %s character %d is a digit", iban[:2], position)
			case class == 'a' && !isUpper(r):
				return invalid(kind, "in an IBAN of %s character %d is a letter", iban[:2], position)
			}
		}
	}
	return nil
}

func bbanLength(structure string) int {
	total := 0
	for structure != "" {
		var length int
		length, _, structure = nextBlock(structure)
		total += length
	}
	return total
}

// nextBlock splits the first block ("14n") off a structure of the table.
func nextBlock(structure string) (length int, class byte, rest string) {
	i := 0
	for structure[i] <= '9' {
		length = length*10 + int(structure[i]-'0')
		i++
	}
	return length, structure[i], structure[i+1:]
}
