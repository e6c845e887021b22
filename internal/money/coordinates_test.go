package money

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// given returns a value for each coordinate: a good one for the bank rails, or the one in changes.
func given(changes map[string]string) map[string]*string {
	values := map[string]*string{}
	for name, value := range map[string]string{
		"iban": "gb82 west 1234 5698 7654 32", "bic": "deutdeff",
		"routingNumber": "0210 0002 1", "accountNumber": "3192-6819", "sortCode": "12-34-56",
		"clabe": "032180000118359719", "pixKey": "529.982.247-25", "pixKeyType": "CPF",
		"memo": "customer 7", "address": "0x52908400098527886e0f7030069857d2e4169ee7",
	} {
		if changed, ok := changes[name]; ok || changes[""] != "" {
			value = changed
		}
		values[name] = &value
	}
	return values
}

// present returns the values that are not empty.
func present(values map[string]*string) map[string]string {
	all := map[string]string{}
	for name, value := range values {
		if *value != "" {
			all[name] = *value
		}
	}
	return all
}

func TestCheckNormalisesAndDropsTheRest(t *testing.T) {
	t.Parallel()
	us := map[string]string{"routingNumber": "021000021", "accountNumber": "31926819"}
	sepa := map[string]string{"iban": "GB82WEST12345698765432", "bic": "DEUTDEFF"}
	evm := map[string]string{"address": "0x52908400098527886E0F7030069857D2E4169EE7"}
	addresses := map[string]string{
		"solana":  "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU",
		"stellar": "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
		"tron":    "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7",
		"bitcoin": "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
	}
	want := map[string]map[string]string{
		"ach": us, "ach_same_day": us, "wire": us, "rtp": us,
		"swift": {"bic": "DEUTDEFF", "accountNumber": "3192-6819", "iban": "GB82WEST12345698765432"},
		"sepa":  sepa, "sepa_instant": sepa,
		"faster_payments": {"sortCode": "123456", "accountNumber": "31926819"},
		"pix":             {"pixKey": "52998224725", "pixKeyType": "cpf"},
		"spei":            {"clabe": "032180000118359719"},
		"ethereum":        evm, "base": evm, "polygon": evm, "arbitrum": evm, "optimism": evm, "avalanche": evm,
		"solana":  {"address": addresses["solana"]},
		"stellar": {"address": addresses["stellar"], "memo": "customer 7"},
		"tron":    {"address": addresses["tron"]},
		"bitcoin": {"address": strings.ToLower(addresses["bitcoin"])},
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), Rails())
	for rail, kept := range want {
		values := given(nil)
		if addresses[rail] != "" {
			*values["address"] = addresses[rail]
		}
		for range 2 {
			require.Empty(t, CheckCoordinates(rail, values), rail)
			require.Equal(t, kept, present(values), rail)
		}
	}
}

func TestCheckNamesEveryWrongField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rail     string
		given    map[string]string
		problems string
	}{
		{"wire", map[string]string{"memo": " "}, "routingNumber accountNumber"},
		{"sepa", map[string]string{}, "iban"},
		{"sepa", map[string]string{"iban": "GB82WEST12345698765433", "bic": "DEUT"}, "iban bic"},
		{"faster_payments", map[string]string{"sortCode": "12-34-56", "accountNumber": "1"}, "accountNumber"},
		{"pix", map[string]string{}, "pixKeyType pixKey"},
		{"pix", map[string]string{"pixKey": "x"}, "pixKeyType"},
		{"pix", map[string]string{"pixKey": "x", "pixKeyType": "iban"}, "pixKeyType"},
		{"pix", map[string]string{"pixKeyType": "cpf"}, "pixKey"},
		{"pix", map[string]string{"pixKey": "x", "pixKeyType": "cpf"}, "pixKey"},
		{"spei", map[string]string{}, "clabe"},
		{"tron", map[string]string{}, "address"},
		{"swift", map[string]string{}, "bic accountNumber"},
		{"swift", map[string]string{"bic": "DEUTDEFF", "iban": "DE89370400440532013000"}, ""},
		{"swift", map[string]string{"bic": "CHASUS33", "accountNumber": "12-3456"}, ""},
		{"swift", map[string]string{"bic": "X", "accountNumber": "?", "iban": "DE89370400440532013001"},
			"bic accountNumber iban"},
		{"cheque", map[string]string{}, "paymentRail"},
		{"SEPA", map[string]string{"iban": "DE89370400440532013000"}, "paymentRail"},
		{"", map[string]string{}, "paymentRail"},
	} {
		test.given[""] = "nothing else"
		values := given(test.given)
		var fields []string
		for _, problem := range CheckCoordinates(test.rail, values) {
			require.Regexp(t, "^The "+problem.Field+" field is .*\\.$", problem.Message)
			require.Empty(t, values[problem.Field], "a wrong value is not kept")
			fields = append(fields, problem.Field)
		}
		require.Equal(t, test.problems, strings.Join(fields, " "), "%s %v", test.rail, test.given)
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	for value, masked := range map[string]string{
		"": "", "7": "*", "12": "*2", "1234": "**34", "1234567": "****567", "12345678": "****5678",
		"032180000118359719": "**************9719", "añb": "**b",
	} {
		require.Equal(t, masked, MaskAccountNumber(value))
	}
	for value, masked := range map[string]string{
		"GB82WEST12345698765432": "GB****************5432", "NO9386011117947": "NO*********7947", "1234": "**34", "": "",
	} {
		require.Equal(t, masked, MaskIBAN(value))
	}
	for _, c := range []struct{ keyType, value, masked string }{
		{PIXKeyTypeCPF, "52998224725", "*******4725"},
		{PIXKeyTypeCNPJ, "12ABC34501DE35", "**********DE35"},
		{PIXKeyTypeEmail, "maria@example.com.br", "m***@example.com.br"},
		{PIXKeyTypeEmail, "m@example.com.br", "****@example.com.br"},
		{PIXKeyTypePhone, "+5561912345678", "+*********5678"},
		{PIXKeyTypePhone, "+442079460958", "+********0958"},
		{PIXKeyTypeEVP, "123e4567-e89b-42d3-a456-426655440000", "********************************0000"},
		{"", "52998224725", "*******4725"},
	} {
		require.Equal(t, c.masked, MaskPIXKey(c.keyType, c.value))
	}
}

// Masking a masked value changes nothing. An account number keeps its length, and at most half of it is shown.
func TestMaskProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		iban := MaskIBAN(rapid.StringMatching(`[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}`).Draw(t, "iban"))
		require.Equal(t, iban, MaskIBAN(iban))
		kind := rapid.SampledFrom([]string{"cpf", "cnpj", "email", "phone", "evp"}).Draw(t, "type")
		key := MaskPIXKey(kind, rapid.StringMatching(`\+?[0-9a-z]{1,14}(@[a-z]{1,5}\.br)?`).Draw(t, "key"))
		require.Equal(t, key, MaskPIXKey(kind, key))
		number := rapid.StringMatching(`[0-9]{1,34}`).Draw(t, "account")
		masked := MaskAccountNumber(number)
		require.Equal(t, masked, MaskAccountNumber(masked))
		require.Len(t, masked, len(number))
		require.LessOrEqual(t, len(strings.Trim(masked, "*")), min(len(number)/2, maskVisible))
	})
}

// Every address in noPayees is valid and in the form in which it is kept, but is refused as a payee.
func TestAddressesThatAreNoPayees(t *testing.T) {
	t.Parallel()
	for _, address := range strings.Fields(noPayees) {
		rail := map[byte]string{'0': "base", 'E': "solana", '1': "bitcoin", 'T': "tron", 'G': "stellar"}[address[0]]
		if strings.HasPrefix(address, "Token") || strings.HasPrefix(address, "1nc") {
			rail = "solana"
		}
		f := &evmForm
		for _, r := range rails {
			if r.name == rail {
				f = r.required[0].form
			}
		}
		requireRead(t, f, address, address)
		for _, spelling := range []string{address, strings.Replace(address, "0x", "0X", 1), " " + address} {
			values := given(map[string]string{"address": spelling})
			require.NotEmpty(t, CheckCoordinates(rail, values), address)
		}
	}
	values := given(map[string]string{"address": "0x000000000000000000000000000000000000dead"})
	require.NotEmpty(t, CheckCoordinates("base", values))
}
