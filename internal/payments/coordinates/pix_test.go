package coordinates

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPIXKeyType(t *testing.T) {
	t.Parallel()
	requireAccepted(t, PIXKeyType, " CPF ", "cpf")
	requireRefused(t, PIXKeyType, "random", "the types are cpf, cnpj, email, phone and evp")
	requireRefused(t, pixKeyOf("random"), "52998224725", "is not a valid PIX key type")
	requireRefused(t, pixKeyOf(""), "52998224725", "is required")
}

func TestPIXKeyCPF(t *testing.T) {
	t.Parallel()
	check := pixKeyOf(PIXKeyTypeCPF)
	requireAccepted(t, check, "123.456.789-09", "12345678909")
	requireAccepted(t, check, "529.982.247-25", "52998224725")
	requireAccepted(t, check, "11144477735", "11144477735")
	requireRefused(t, check, "52998224724", "its check digits (the last two) do not match")
	requireRefused(t, check, "52998224735", "its check digits")
	requireRefused(t, check, "111.111.111-11", "one digit repeated")
	requireRefused(t, check, "5299822472", "it has 10 digits and needs 11")
	requireRefused(t, check, "5299822472X", `character 11, "X", is not a digit`)
}

func TestPIXKeyCNPJ(t *testing.T) {
	t.Parallel()
	check := pixKeyOf(PIXKeyTypeCNPJ)
	requireAccepted(t, check, "11.222.333/0001-81", "11222333000181")
	requireAccepted(t, check, "00.000.000/0001-91", "00000000000191")
	// The worked example of the alphanumeric CNPJ by the Receita Federal.
	requireAccepted(t, check, "12.ABC.345/01DE-35", "12ABC34501DE35")
	requireAccepted(t, check, "12abc34501de35", "12ABC34501DE35")
	requireRefused(t, check, "12.ABC.345/01DE-36", "its check digits")
	requireRefused(t, check, "11.222.333/0001-91", "its check digits")
	requireRefused(t, check, "12ABC34501DE3X", "its last two characters must be digits")
	requireRefused(t, check, "00000000000000", "one digit repeated")
	requireRefused(t, check, "1122233300018", "it has 13 characters and needs 14")
	requireRefused(t, check, "11.222.333_0001-81", `character 9, "_", is not a letter or a digit`)
}

// A scheme modulo 11 that writes both remainders 0 and 1 as the digit 0 misses
// some typos in the stem, but none in the check digits themselves.
func TestTaxpayerCheckDigits(t *testing.T) {
	t.Parallel()
	for keyType, stemOf := range map[string]func(*rapid.T) string{
		PIXKeyTypeCPF:  func(t *rapid.T) string { return drawText(t, digitAlphabet, 9, "cpf") },
		PIXKeyTypeCNPJ: func(t *rapid.T) string { return drawText(t, digitAlphabet+letterAlphabet, 12, "cnpj") },
	} {
		check := pixKeyOf(keyType)
		rapid.Check(t, func(t *rapid.T) {
			stem := stemOf(t)
			accepted := 0
			for pair := range 100 {
				if _, err := check(stem + string(rune('0'+pair/10)) + string(rune('0'+pair%10))); err == nil {
					accepted++
				}
			}
			if allSame(stem) {
				t.Skip("a placeholder")
			}
			require.Equal(t, 1, accepted, "one pair of check digits per stem %s", stem)
		})
	}
}

func TestPIXKeyEmail(t *testing.T) {
	t.Parallel()
	check := pixKeyOf(PIXKeyTypeEmail)
	requireAccepted(t, check, " Pix+1@BCB.gov.br ", "pix+1@bcb.gov.br")
	for value, part := range map[string]string{
		"pix.bcb.gov.br":                    "it needs one @",
		"@bcb.gov.br":                       "it needs one @",
		"pix@":                              "it needs one @",
		"a@b@c.br":                          "it needs one @",
		"pix@localhost":                     "has no dot",
		"pix@bcb..br":                       "not a domain name",
		"pix@-bcb.br":                       "not a domain name",
		"pix@b_b.br":                        "not a domain name",
		"josé@bcb.gov.br":                   `character 4, "\u00e9", is not allowed`,
		"a b@bcb.gov.br":                    `character 2, " ", is not allowed`,
		strings.Repeat("a", 71) + "@bcb.br": "it has 78 characters and may have 77",
	} {
		requireRefused(t, check, value, part)
	}
}

func TestPIXKeyPhone(t *testing.T) {
	t.Parallel()
	check := pixKeyOf(PIXKeyTypePhone)
	requireAccepted(t, check, "+55 (61) 91234-5678", "+5561912345678")
	requireAccepted(t, check, "+5510998765432", "+5510998765432")
	requireAccepted(t, check, "+44 20 7946 0958", "+442079460958")
	requireRefused(t, check, "61912345678", "it must start with + and the country code")
	requireRefused(t, check, "+556191234567890", "it has 13 digits after +55")
	requireRefused(t, check, "+55619123456", "it has 9 digits after +55")
	requireRefused(t, check, "+0123456789", "no country code starts with 0")
	requireRefused(t, check, "+12345", "needs 7 to 15")
	requireRefused(t, check, "+1234567890123456", "needs 7 to 15")
	requireRefused(t, check, "+", "it has 0 digits")
	requireRefused(t, check, "+1234x678", `character 5, "x"`)
}

func TestPIXKeyEVP(t *testing.T) {
	t.Parallel()
	check := pixKeyOf(PIXKeyTypeEVP)
	requireAccepted(t, check, "123E4567-E89B-42D3-A456-426655440000", "123e4567-e89b-42d3-a456-426655440000")
	requireRefused(t, check, "123e4567e89b42d3a456426655440000", "it has 32 characters and needs 36")
	requireRefused(t, check, "123e4567e-89b-42d3-a456-426655440000", "groups of 8, 4, 4, 4 and 12")
	requireRefused(t, check, "123g4567-e89b-42d3-a456-426655440000", `character 4, "g"`)
}
