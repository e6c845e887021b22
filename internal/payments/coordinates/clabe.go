package coordinates

// CLABE checks a Clave Bancaria Estandarizada: three digits for the bank, three
// for the place, eleven for the account, and a check digit with weights 3, 7,
// 1. It returns the eighteen digits.
//
// Source: Asociación de Bancos de México, CLABE standard.
func CLABE(value string) (string, error) {
	const kind = "CLABE"
	s, err := digitString(kind, value, 18, 18)
	if err != nil {
		return "", err
	}
	if allSame(s) {
		return "", invalid(kind, "it is one digit repeated")
	}
	if (10-weighted371(s[:17])%10)%10 != int(s[17]-'0') {
		return "", invalid(kind, "its check digit (the last) does not match the rest, so at least one digit is mistyped")
	}
	return s, nil
}
