package coordinates

import "strings"

// The types of key under which an account is registered in PIX, in the form that PIXKey takes.
const (
	PIXKeyTypeCPF   = "cpf"   // a person's taxpayer number
	PIXKeyTypeCNPJ  = "cnpj"  // a company's taxpayer number
	PIXKeyTypeEmail = "email" // an e-mail address
	PIXKeyTypePhone = "phone" // a telephone number with its country code
	PIXKeyTypeEVP   = "evp"   // a random key, which has the form of a UUID
)

// PIXKeyType checks the name of a PIX key type and returns it in small letters.
func PIXKeyType(value string) (string, error) {
	const kind = "PIX key type"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	switch s = lower(s); s {
	case PIXKeyTypeCPF, PIXKeyTypeCNPJ, PIXKeyTypeEmail, PIXKeyTypePhone, PIXKeyTypeEVP:
		return s, nil
	}
	return "", invalid(kind, "the types are cpf, cnpj, email, phone and evp")
}

// PIXKey checks a key of the given type and returns it in the form in which the directory of PIX keys holds it: bare
// digits for cpf, digits and capitals for cnpj, small letters for email and evp, + and digits for phone. A bad type is
// reported before the key is looked at.
//
// Source: Banco Central do Brasil, DICT API, "Key"; Manual Operacional do DICT.
func PIXKey(keyType, key string) (string, error) {
	keyType, err := PIXKeyType(keyType)
	if err != nil {
		return "", err
	}
	switch keyType {
	case PIXKeyTypeCPF:
		return cpf(key)
	case PIXKeyTypeCNPJ:
		return cnpj(key)
	case PIXKeyTypeEmail:
		return pixEmail(key)
	case PIXKeyTypePhone:
		return pixPhone(key)
	default:
		return pixEVP(key)
	}
}

// pixPhone checks a number in the form of ITU-T E.164: a plus sign and at most fifteen digits, the country code first.
func pixPhone(value string) (string, error) {
	const kind = "PIX phone key"
	s, err := tidy(kind, value, "-().")
	if err != nil {
		return "", err
	}
	digits, ok := strings.CutPrefix(s, "+")
	if !ok {
		return "", invalid(kind, "it must start with + and the country code, which is +55 for Brazil")
	}
	if err := onlyOf(kind, digits, isDigit, "a digit (counted after the +)"); err != nil {
		return "", err
	}
	if len(digits) < 7 || len(digits) > 15 {
		return "", invalid(kind, "it has %s after the + and needs 7 to 15", count(len(digits), "digit"))
	}
	if digits[0] == '0' {
		return "", invalid(kind, "no country code starts with 0")
	}
	if national, ok := strings.CutPrefix(digits, "55"); ok && len(national) != 10 && len(national) != 11 {
		return "", invalid(kind, "it has %s after +55 and a Brazilian number has 10 or 11, area code included",
			count(len(national), "digit"))
	}
	return s, nil
}

// pixEVP checks the form of a random key: hexadecimal in groups of 8, 4, 4, 4
// and 12. The directory does not promise a UUID version, so none is asked for.
func pixEVP(value string) (string, error) {
	const kind = "PIX random key"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	s = lower(s)
	allowed := func(r rune) bool { return isHex(r) || r == '-' }
	if err := onlyOf(kind, s, allowed, "a hexadecimal digit or a hyphen"); err != nil {
		return "", err
	}
	if len(s) != 36 {
		return "", invalid(kind, "it has %s and needs 36, hyphens included", count(len(s), "character"))
	}
	for i, r := range s {
		if hyphen := i == 8 || i == 13 || i == 18 || i == 23; hyphen != (r == '-') {
			return "", invalid(kind, "its hyphens must part it into groups of 8, 4, 4, 4 and 12")
		}
	}
	return s, nil
}
