package coordinates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzIBAN(f *testing.F)               { fuzzCheck(f, IBAN, "GB82 WEST 1234 5698 7654 32") }
func FuzzBIC(f *testing.F)                { fuzzCheck(f, BIC, "DEUTDEFF500") }
func FuzzABARoutingNumber(f *testing.F)   { fuzzCheck(f, ABARoutingNumber, "021000021") }
func FuzzUSAccountNumber(f *testing.F)    { fuzzCheck(f, USAccountNumber, "000-123456789") }
func FuzzUKAccountNumber(f *testing.F)    { fuzzCheck(f, UKAccountNumber, "31926819") }
func FuzzSWIFTAccountNumber(f *testing.F) { fuzzCheck(f, SWIFTAccountNumber, "12-3456-7890123-00") }
func FuzzSortCode(f *testing.F)           { fuzzCheck(f, SortCode, "12-34-56") }
func FuzzCLABE(f *testing.F)              { fuzzCheck(f, CLABE, "032180000118359719") }
func FuzzEVMAddress(f *testing.F)         { fuzzCheck(f, EVMAddress, eip55Vectors[4]) }
func FuzzSolanaAddress(f *testing.F) {
	fuzzCheck(f, SolanaAddress, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v")
}
func FuzzTronAddress(f *testing.F) { fuzzCheck(f, TronAddress, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t") }
func FuzzBitcoinAddress(f *testing.F) {
	fuzzCheck(f, BitcoinAddress, append(segwitVectors, "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa")...)
}
func FuzzStellarAddress(f *testing.F) {
	fuzzCheck(f, StellarAddress, "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ")
}
func FuzzStellarMemo(f *testing.F) { fuzzCheck(f, StellarMemo, "customer 7") }

func FuzzPIXKey(f *testing.F) {
	requireCorpus(f)
	f.Add("cpf", "529.982.247-25")
	f.Add("cnpj", "12.ABC.345/01DE-35")
	f.Add("email", "pix@bcb.gov.br")
	f.Add("phone", "+55 61 91234-5678")
	f.Add("evp", "123e4567-e89b-42d3-a456-426655440000")
	f.Fuzz(func(t *testing.T, keyType, key string) {
		requireStable(t, func(k string) (string, error) { return PIXKey(keyType, k) }, key)
		requireStable(t, PIXKeyType, keyType)
		once := MaskPIXKey(keyType, key)
		require.Equal(t, once, MaskPIXKey(keyType, once))
	})
}

func FuzzCheck(f *testing.F) {
	requireCorpus(f)
	f.Add("sepa", "GB82WEST12345698765432", "DEUTDEFF", "", "")
	f.Add("ach", "", "", "021000021", "1234")
	f.Fuzz(func(t *testing.T, rail, iban, bic, routing, account string) {
		given := Coordinates{
			IBAN: iban, BIC: bic, RoutingNumber: routing, AccountNumber: account, SortCode: routing,
			CLABE: account, PIXKey: account, PIXKeyType: bic, Address: account, Memo: iban,
		}
		normal, problems := Check(rail, given)
		for _, p := range problems {
			require.True(t, strings.HasPrefix(p.Message, "The "+p.Field+" field is "), p.Message)
			require.True(t, strings.HasSuffix(p.Message, "."), p.Message)
		}
		if len(problems) == 0 {
			again, problems := Check(rail, normal)
			require.Empty(t, problems)
			require.Equal(t, normal, again)
		}
		MaskAll(given)
	})
}

func fuzzCheck(f *testing.F, check checkFunc, seeds ...string) {
	requireCorpus(f)
	for _, seed := range append(seeds, "", " ", "\u0660", "\xff") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) { requireStable(t, check, value) })
}

// requireStable holds what every check promises: a normal form that it accepts
// unchanged, or a Problem in plain text that does not repeat the value.
func requireStable(t *testing.T, check checkFunc, value string) {
	t.Helper()
	normal, err := check(value)
	if err == nil {
		again, err := check(normal)
		require.NoError(t, err)
		require.Equal(t, normal, again)
		return
	}
	require.Empty(t, normal)
	var problem Problem
	require.ErrorAs(t, err, &problem)
	require.True(t, strings.HasPrefix(string(problem), "is "), problem)
	require.Less(t, len(problem), 200)
	for _, r := range string(problem) {
		require.True(t, r >= ' ' && r <= '~', "%q", problem)
	}
	digits := strings.Map(func(r rune) rune {
		if isDigit(r) {
			return r
		}
		return -1
	}, value)
	if len(digits) > 6 {
		require.NotContains(t, string(problem), digits)
	}
}

// requireCorpus fails where the stored inputs of a fuzz target are gone.
func requireCorpus(f *testing.F) {
	f.Helper()
	inputs, err := os.ReadDir(filepath.Join("testdata", "fuzz", f.Name()))
	require.NoError(f, err)
	require.NotEmpty(f, inputs)
}
