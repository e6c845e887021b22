package coordinates

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzFormats gives any text to the check of every format, since a check never knows whose text it gets.
func FuzzFormats(f *testing.F) {
	for _, seed := range []string{
		"", " ", "\u0660", "\xff", "GB82 WEST 1234 5698 7654 32", "gb82\u00a0west 1234 5698 7654 32",
		"L\u013121088100002324013AA", "DEUTDEFF500", "021000021", "0210-0002-1", "000-123456789", "31926819",
		"12-3456-7890123-00", "12/34/56", "032180000118359719", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", "customer 7",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		"GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "GAAAAAAAACGC6", "529.982.247-25", "12.ABC.345/01DE-35",
		"pix@bcb..br", "a@b@c.br", "+55 61 91234-5678", "123e4567-e89b-42d3-a456-426655440000",
	} {
		f.Add(seed)
	}
	for _, seed := range append(slices.Clone(segwitVectors), eip55Vectors...) {
		f.Add(seed)
	}
	checks := []checkFunc{
		IBAN, BIC, ABARoutingNumber, USAccountNumber, UKAccountNumber, SWIFTAccountNumber, SortCode, CLABE, EVMAddress,
		SolanaAddress, TronAddress, BitcoinAddress, StellarAddress, StellarMemo, PIXKeyType,
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, check := range checks {
			requireStable(t, check, value)
		}
		for _, keyType := range []string{"cpf", "cnpj", "email", "phone", "evp", ""} {
			requireStable(t, func(key string) (string, error) { return PIXKey(keyType, key) }, value)
			once := MaskPIXKey(keyType, value)
			require.Equal(t, once, MaskPIXKey(keyType, once))
		}
	})
}

func FuzzCheck(f *testing.F) {
	f.Add("sepa", "GB82WEST12345698765432", "DEUTDEFF", "", "")
	f.Add("ach", "", "", "021000021", "1234")
	f.Add("pix", "", "cpf", "", "52998224725")
	f.Add("stellar", " ", "", "", "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ")
	f.Add("faster_payments", "", "", "12-34-56", "31926819")
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
