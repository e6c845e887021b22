package money

import "strings"

// The types of PIX keys.
const (
	PIXKeyTypeCPF   = "cpf"   // a person's taxpayer number
	PIXKeyTypeCNPJ  = "cnpj"  // a company's taxpayer number
	PIXKeyTypeEmail = "email" // an e-mail address
	PIXKeyTypePhone = "phone" // a telephone number with its country code
	PIXKeyTypeEVP   = "evp"   // a random key, with the form of a UUID
)

var pixTypeForm = form{
	name: "PIX key type", fold: strings.ToLower, pattern: `^(cpf|cnpj|email|phone|evp)$`,
	words: "cpf, cnpj, email, phone or evp",
}

// pixForms are the forms of keys, by type. Their normal form is that of the directory of PIX keys.
//
// Source: Banco Central do Brasil, DICT API, "Key"; Manual Operacional do DICT.
var pixForms = map[string]*form{
	// Source: Receita Federal do Brasil, dígitos verificadores do CPF (módulo 11).
	PIXKeyTypeCPF: {
		name: "CPF", groups: ".-", pattern: `^[0-9]{11}$`, words: "11 digits",
		check: func(text string) (string, string) { return unless(!hasTaxDigits(text, 10), mistyped, text) },
	},
	// The twelve characters before the check digits may have letters, in numbers assigned since July 2026.
	//
	// Source: Receita Federal do Brasil, Instrução Normativa RFB 2.229/2024; Nota Técnica COCAD/SUARA/RFB 49/2024.
	PIXKeyTypeCNPJ: {
		name: "CNPJ", groups: "./-", fold: strings.ToUpper, pattern: `^[0-9A-Z]{12}[0-9]{2}$`,
		words: "12 letters and digits and 2 digits",
		check: func(text string) (string, string) { return unless(!hasTaxDigits(text, 8), mistyped, text) },
	},
	// The pattern follows the valid e-mail address of the HTML standard.
	PIXKeyTypeEmail: {
		name: "PIX e-mail key", isWhole: true, fold: strings.ToLower,
		pattern: "^[a-z0-9.!#$&'*+/=?^_`{|}~-]+@(" + domainLabel + `\.)+` + domainLabel + "$",
		words:   "an e-mail address such as ada@example.com",
		check: func(text string) (string, string) {
			const maxLength = 77
			return unless(len(text) > maxLength, "it has more than 77 characters", text)
		},
	},
	// The form of ITU-T E.164.
	PIXKeyTypePhone: {
		name: "PIX phone key", groups: "-().",
		pattern: `^\+(55[0-9]{10,11}|5[0-46-9][0-9]{5,13}|[1-46-9][0-9]{6,14})$`,
		words:   "+, the country code and up to 13 digits, of Brazil +55 and 10 or 11 digits",
	},
	PIXKeyTypeEVP: {
		name: "PIX random key", isWhole: true, fold: strings.ToLower,
		pattern: `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`,
		words:   "hexadecimal digits in groups of 8, 4, 4, 4 and 12",
	},
}

const domainLabel = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"

// hasTaxDigits reports whether the last two characters are the check digits modulo 11 of those before them. From the
// right, the weights are 2, 3 and so on. They begin again after a number of characters. The value of a character is its
// ASCII code less 48.
func hasTaxDigits(text string, weights int) bool {
	for at := len(text) - 2; at < len(text); at++ {
		sum := 0
		for i := range at {
			sum += int(text[i]-'0') * (2 + (at-1-i)%weights)
		}
		digit := byte('0')
		if remainder := sum % 11; remainder >= 2 {
			digit += byte(11 - remainder)
		}
		if text[at] != digit {
			return false
		}
	}
	return true
}
