package coordinates

// cpf checks a Cadastro de Pessoas Físicas number, also written 123.456.789-09: eleven digits, the last two of which
// are check digits modulo 11.
//
// Source: Receita Federal do Brasil, dígitos verificadores do CPF (módulo 11).
func cpf(value string) (string, error) {
	const kind = "CPF"
	s, err := tidy(kind, value, ".-")
	if err != nil {
		return "", err
	}
	if err := onlyOf(kind, s, isDigit, "a digit"); err != nil {
		return "", err
	}
	if len(s) != 11 {
		return "", invalid(kind, "it has %s and needs 11", count(len(s), "digit"))
	}
	if allSame(s) {
		return "", invalid(kind, "it is one digit repeated")
	}
	if cpfDigit(s[:9]) != s[9] || cpfDigit(s[:10]) != s[10] {
		return "", invalid(kind, "its check digits (the last two) do not match the rest, so at least one digit is mistyped")
	}
	return s, nil
}

// cpfDigit is the check digit that follows the given ones: their weights rise
// by one from 2 at the right, without turning back at 9 as those of a CNPJ do.
func cpfDigit(digits string) byte {
	sum := 0
	for i, r := range digits {
		sum += int(r-'0') * (len(digits) + 1 - i)
	}
	return mod11Digit(sum)
}

// mod11Digit turns a weighted sum into the check digit of a CPF or a CNPJ.
func mod11Digit(sum int) byte {
	if remainder := sum % 11; remainder >= 2 {
		return byte('0' + 11 - remainder)
	}
	return '0'
}
