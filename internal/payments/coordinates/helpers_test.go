package coordinates

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

type checkFunc = func(string) (string, error)

func requireAccepted(t require.TestingT, check checkFunc, value, normal string) {
	got, err := check(value)
	require.NoError(t, err, value)
	require.Equal(t, normal, got, value)
}

// requireRefused asks for a Problem that contains part and leaves no value.
func requireRefused(t require.TestingT, check checkFunc, value, part string) {
	got, err := check(value)
	var problem Problem
	require.ErrorAs(t, err, &problem, value)
	require.Contains(t, string(problem), part, value)
	require.Empty(t, got, value)
}

// requireSingleTypoRefused swaps one character of a valid value for another of the same alphabet and asks that the
// check notices. A character is taken to belong to the first alphabet that has it.
func requireSingleTypoRefused(t *rapid.T, check checkFunc, value string, alphabets ...string) {
	i := rapid.IntRange(0, len(value)-1).Draw(t, "position")
	for _, alphabet := range alphabets {
		if !strings.Contains(alphabet, value[i:i+1]) {
			continue
		}
		c := rapid.SampledFrom([]byte(strings.ReplaceAll(alphabet, value[i:i+1], ""))).Draw(t, "character")
		typo := value[:i] + string(c) + value[i+1:]
		_, err := check(typo)
		require.Error(t, err, "%s for %s", typo, value)
		return
	}
	t.Skip("a fixed character, such as the separator of bech32")
}

func drawText(t *rapid.T, alphabet string, length int, label string) string {
	return string(rapid.SliceOfN(rapid.SampledFrom([]byte(alphabet)), length, length).Draw(t, label))
}

const (
	digitAlphabet  = "0123456789"
	letterAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	base58Alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
)

func TestBlankIsRequired(t *testing.T) {
	t.Parallel()
	for name, check := range everyCheck {
		for _, blank := range []string{"", " ", " \t\n\u00a0"} {
			if name == "StellarMemo" && blank != "" {
				continue // every byte of a memo counts, and only Check treats it as absent
			}
			_, err := check(blank)
			require.ErrorIs(t, err, Required, "%s of %q", name, blank)
		}
	}
}

func TestInputIsBounded(t *testing.T) {
	t.Parallel()
	for name, check := range everyCheck {
		_, err := check(strings.Repeat("1", 1<<20))
		var problem Problem
		require.ErrorAs(t, err, &problem, name)
		require.Less(t, len(problem), 200, name)
	}
}

// everyCheck names every check of one value, for what holds for all of them.
var everyCheck = map[string]checkFunc{
	"IBAN": IBAN, "BIC": BIC, "ABARoutingNumber": ABARoutingNumber, "USAccountNumber": USAccountNumber,
	"UKAccountNumber": UKAccountNumber, "SWIFTAccountNumber": SWIFTAccountNumber, "SortCode": SortCode,
	"CLABE": CLABE, "PIXKeyType": PIXKeyType, "EVMAddress": EVMAddress, "SolanaAddress": SolanaAddress,
	"TronAddress": TronAddress, "BitcoinAddress": BitcoinAddress, "StellarAddress": StellarAddress,
	"StellarMemo": StellarMemo, "PIXKey cpf": pixKeyOf(PIXKeyTypeCPF), "PIXKey cnpj": pixKeyOf(PIXKeyTypeCNPJ),
	"PIXKey email": pixKeyOf(PIXKeyTypeEmail), "PIXKey phone": pixKeyOf(PIXKeyTypePhone),
	"PIXKey evp": pixKeyOf(PIXKeyTypeEVP),
}

func pixKeyOf(keyType string) checkFunc {
	return func(key string) (string, error) { return PIXKey(keyType, key) }
}
