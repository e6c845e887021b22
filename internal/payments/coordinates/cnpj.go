package coordinates

// cnpj checks a Cadastro Nacional da Pessoa Jurídica number, also written 11.222.333/0001-81: twelve characters and two
// check digits modulo 11. The twelve may hold capital letters, as the numbers assigned from July 2026 do; a letter
// counts for its ASCII code less 48, a digit therefore for itself.
//
// Source: Receita Federal do Brasil, Instrução Normativa RFB 2.229/2024; Nota Técnica COCAD/SUARA/RFB 49/2024.
func cnpj(value string) (string, error) {
	const kind = "CNPJ"
	s, err := tidy(kind, value, "./-")
	if err != nil {
		return "", err
	}
	s = upper(s)
	if err := onlyOf(kind, s, isUpperOrDigit, "a letter or a digit"); err != nil {
		return "", err
	}
	if len(s) != 14 {
		return "", invalid(kind, "it has %s and needs 14", count(len(s), "character"))
	}
	if !isDigit(rune(s[12])) || !isDigit(rune(s[13])) {
		return "", invalid(kind, "its last two characters must be digits")
	}
	if allSame(s) {
		return "", invalid(kind, "it is one digit repeated")
	}
	if cnpjDigit(s[:12]) != s[12] || cnpjDigit(s[:13]) != s[13] {
		return "", invalid(kind, "its check digits (the last two) do not match the rest, so at least one character is mistyped")
	}
	return s, nil
}

// cnpjDigit is the check digit that follows the given characters: their weights
// run from 2 to 9 over and over, starting at the right.
func cnpjDigit(characters string) byte {
	sum := 0
	for i, r := range characters {
		sum += int(r-'0') * (2 + (len(characters)-1-i)%8)
	}
	return mod11Digit(sum)
}
