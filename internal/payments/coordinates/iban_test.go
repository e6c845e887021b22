package coordinates

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIBANRegistryExamples(t *testing.T) {
	t.Parallel()
	require.Len(t, ibanExamples, len(ibanStructures))
	for i, example := range ibanExamples {
		requireAccepted(t, IBAN, example, example)
		require.Equal(t, ibanStructures[i].country, example[:2], "the table must stay sorted")
		require.Len(t, example, 4+bbanLength(ibanStructures[i].bban), example)
	}
}

func TestIBANNormalises(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{
		"GB82 WEST 1234 5698 7654 32", "gb82west12345698765432", " GB82\u00a0WEST\t12345698765432\n",
	} {
		requireAccepted(t, IBAN, typed, "GB82WEST12345698765432")
	}
}

func TestIBANRefusals(t *testing.T) {
	t.Parallel()
	for value, part := range map[string]string{
		"GB82WEST1234569876543":       "an IBAN of GB has 22 characters and this one has 21",
		"GB82WEST123456987654321":     "has 22 characters and this one has 23",
		"GB82WEST12345698765433":      "its check digits do not match",
		"GB28WEST12345698765432":      "its check digits do not match",
		"GB8212341234569876543A":      "character 5 is a letter",
		"GB82WEST1234569876543A":      "character 22 is a digit",
		"US64SVBKUS6S3300958879":      "no IBAN is registered for the country code US",
		"GB82-WEST-1234":              `character 5, "-", is not a letter or a digit`,
		"GB82WEST1234569876543\u0662": `character 22, "\u0662", is not a letter or a digit`,
		"82WEST":                      "must start with a two-letter country code",
		"GB":                          "must start with a two-letter country code",
		"GBXXWEST12345698765432":      "two check digits",
		// The dotless i and the long s are not I and S.
		"L\u013121088100002324013AA": `character 2, "\u0131"`,
	} {
		requireRefused(t, IBAN, value, part)
	}
}

// Modulo 97 the check digits 00, 01 and 99 equal 97, 98 and 02, so the bare
// remainder test would take either of each pair.
func TestIBANRefusesAliasedCheckDigits(t *testing.T) {
	t.Parallel()
	aliases := map[string]string{"97": "00", "98": "01", "02": "99"}
	found := 0
	for n := range 2000 {
		bban := fmt.Sprintf("%016d", n)
		digits := referenceCheckDigits("AT", bban)
		alias, ok := aliases[digits]
		if !ok {
			continue
		}
		found++
		requireAccepted(t, IBAN, "AT"+digits+bban, "AT"+digits+bban)
		requireRefused(t, IBAN, "AT"+alias+bban, "check digits")
	}
	require.Greater(t, found, 3)
}

func TestIBANProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		iban := drawIBAN(t)
		requireAccepted(t, IBAN, iban, iban)
		requireAccepted(t, IBAN, strings.ToLower(iban), iban)
		// A digit for a letter is not always noticed: it changes the number's length.
		requireSingleTypoRefused(t, IBAN, iban, digitAlphabet, letterAlphabet)
	})
}

func drawIBAN(t *rapid.T) string {
	entry := rapid.SampledFrom(ibanStructures[:]).Draw(t, "country")
	bban := ""
	for rest := entry.bban; rest != ""; {
		var length int
		var class byte
		length, class, rest = nextBlock(rest)
		alphabet := map[byte]string{'n': digitAlphabet, 'a': letterAlphabet, 'c': digitAlphabet + letterAlphabet}[class]
		bban += drawText(t, alphabet, length, "block")
	}
	return entry.country + referenceCheckDigits(entry.country, bban) + bban
}

// referenceCheckDigits computes check digits the way the standard tells it, as one big number.
func referenceCheckDigits(country, bban string) string {
	var digits strings.Builder
	for _, r := range bban + country + "00" {
		if r >= 'A' {
			fmt.Fprint(&digits, int(r-'A')+10)
		} else {
			digits.WriteRune(r)
		}
	}
	number, _ := new(big.Int).SetString(digits.String(), 10)
	remainder := new(big.Int).Mod(number, big.NewInt(97)).Int64()
	return fmt.Sprintf("%02d", 98-remainder)
}
