package coordinates

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMaskAccountNumber(t *testing.T) {
	t.Parallel()
	for value, masked := range map[string]string{
		"": "", "7": "*", "12": "*2", "1234": "**34", "1234567": "****567", "12345678": "****5678",
		"032180000118359719": "**************9719", "añb": "**b",
	} {
		require.Equal(t, masked, MaskAccountNumber(value))
	}
}

func TestMaskIBAN(t *testing.T) {
	t.Parallel()
	require.Equal(t, "GB****************5432", MaskIBAN("GB82WEST12345698765432"))
	require.Equal(t, "NO*********7947", MaskIBAN("NO9386011117947"))
	require.Equal(t, "**34", MaskIBAN("1234"))
	require.Empty(t, MaskIBAN(""))
}

func TestMaskPIXKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ keyType, value, masked string }{
		{PIXKeyTypeCPF, "52998224725", "***982247**"},
		{PIXKeyTypeCPF, "5299", "**99"},
		{PIXKeyTypeCNPJ, "12ABC34501DE35", "12ABC34501DE35"},
		{PIXKeyTypeEmail, "maria@example.com.br", "m***@example.com.br"},
		{PIXKeyTypeEmail, "m@example.com.br", "****@example.com.br"},
		{PIXKeyTypePhone, "+5561912345678", "+55*******5678"},
		{PIXKeyTypePhone, "+442079460958", "+********0958"},
		{PIXKeyTypeEVP, "123e4567-e89b-42d3-a456-426655440000", "********************************0000"},
		{"", "52998224725", "*******4725"},
	} {
		require.Equal(t, c.masked, MaskPIXKey(c.keyType, c.value))
	}
}

func TestMaskAll(t *testing.T) {
	t.Parallel()
	require.Equal(t, Coordinates{
		IBAN: "GB****************5432", BIC: "DEUTDEFF", RoutingNumber: "021000021", AccountNumber: "****6819",
		SortCode: "123456", CLABE: "**************9719", PIXKey: "***982247**", PIXKeyType: "cpf",
		Address: "0x52908400098527886E0F7030069857D2E4169EE7", Memo: "customer 7",
	}, MaskAll(Coordinates{
		IBAN: "GB82WEST12345698765432", BIC: "DEUTDEFF", RoutingNumber: "021000021", AccountNumber: "31926819",
		SortCode: "123456", CLABE: "032180000118359719", PIXKey: "52998224725", PIXKeyType: "cpf",
		Address: "0x52908400098527886E0F7030069857D2E4169EE7", Memo: "customer 7",
	}))
	require.Equal(t, Coordinates{}, MaskAll(Coordinates{}))
}

// What is masked can be masked again without harm, keeps its length where that
// is no secret, and never shows more than half of a number.
func TestMaskProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Coordinates{
			IBAN:          drawIBAN(t),
			AccountNumber: rapid.StringMatching(`[0-9]{1,34}`).Draw(t, "account"),
			CLABE:         rapid.StringMatching(`[0-9]{18}`).Draw(t, "clabe"),
			PIXKeyType:    rapid.SampledFrom([]string{"cpf", "cnpj", "email", "phone", "evp"}).Draw(t, "type"),
			PIXKey:        rapid.StringMatching(`\+?[0-9a-z]{1,14}(@[a-z]{1,5}\.br)?`).Draw(t, "key"),
		}
		masked := MaskAll(c)
		require.Equal(t, masked, MaskAll(masked))
		require.Len(t, masked.AccountNumber, len(c.AccountNumber))
		shown := 0
		for _, r := range masked.AccountNumber {
			if r != '*' {
				shown++
			}
		}
		require.LessOrEqual(t, shown, len(c.AccountNumber)/2)
		require.LessOrEqual(t, shown, maskVisible)
	})
}
