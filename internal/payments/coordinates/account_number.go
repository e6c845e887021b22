package coordinates

import "strings"

// USAccountNumber checks an account number of a bank in the United States: 4 to 17 digits, the width of the account
// field of a NACHA entry. Such numbers have no check digit that holds at every bank. It returns the digits.
//
// Source: Nacha Operating Rules, appendix 3, "DFI Account Number".
func USAccountNumber(value string) (string, error) {
	return digitString("US account number", value, 4, 17)
}

// UKAccountNumber checks an account number of a bank in the United Kingdom: eight digits. The modulus check that ties
// it to a sort code differs by bank and is not made. It returns the digits.
//
// Source: Pay.UK, "Validating Account Numbers".
func UKAccountNumber(value string) (string, error) {
	return digitString("UK account number", value, 8, 8)
}

// SWIFTAccountNumber checks the account of a beneficiary outside the IBAN countries: up to 34 letters, digits and the
// marks - . / inside it. National schemes differ, so nothing finer can be said. It returns the number without spaces
// and otherwise as typed.
//
// Source: SWIFT MT 103, field 59, "Account" (34x).
func SWIFTAccountNumber(value string) (string, error) {
	const kind = "account number"
	s, err := tidy(kind, value, "")
	if err != nil {
		return "", err
	}
	allowed := func(r rune) bool { return isUpperOrDigit(r) || r >= 'a' && r <= 'z' || strings.ContainsRune("-./", r) }
	if err := onlyOf(kind, s, allowed, "a letter, a digit or one of - . /"); err != nil {
		return "", err
	}
	if len(s) > 34 {
		return "", invalid(kind, "it has %d characters and may have 34", len(s))
	}
	if first, last := rune(s[0]), rune(s[len(s)-1]); strings.ContainsRune("-./", first) || strings.ContainsRune("-./", last) {
		return "", invalid(kind, "it must start and end with a letter or a digit")
	}
	return s, nil
}
