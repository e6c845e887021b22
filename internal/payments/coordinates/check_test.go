package coordinates

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// complete has a good value for every coordinate of the bank rails.
func complete() Coordinates {
	return Coordinates{
		IBAN: "gb82 west 1234 5698 7654 32", BIC: "deutdeff", RoutingNumber: "0210 0002 1", AccountNumber: "3192-6819",
		SortCode: "12-34-56", CLABE: "032180000118359719", PIXKey: "529.982.247-25", PIXKeyType: "CPF",
		Memo: "customer 7",
	}
}

func TestCheckNormalisesAndDropsTheRest(t *testing.T) {
	t.Parallel()
	us := Coordinates{RoutingNumber: "021000021", AccountNumber: "31926819"}
	sepa := Coordinates{IBAN: "GB82WEST12345698765432", BIC: "DEUTDEFF"}
	evm := Coordinates{Address: "0x52908400098527886E0F7030069857D2E4169EE7"}
	addresses := map[string]string{
		"solana":  "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
		"stellar": "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
		"tron":    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		"bitcoin": "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
	}
	want := map[string]Coordinates{
		"ach": us, "ach_same_day": us, "wire": us, "rtp": us,
		"swift": {BIC: "DEUTDEFF", AccountNumber: "3192-6819", IBAN: "GB82WEST12345698765432"},
		"sepa":  sepa, "sepa_instant": sepa,
		"faster_payments": {SortCode: "123456", AccountNumber: "31926819"},
		"pix":             {PIXKey: "52998224725", PIXKeyType: "cpf"},
		"spei":            {CLABE: "032180000118359719"},
		"ethereum":        evm, "base": evm, "polygon": evm, "arbitrum": evm, "optimism": evm, "avalanche": evm,
		"solana":  {Address: addresses["solana"]},
		"stellar": {Address: addresses["stellar"], Memo: "customer 7"},
		"tron":    {Address: addresses["tron"]},
		"bitcoin": {Address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
	}
	require.Len(t, Rails(), len(want))
	for _, rail := range Rails() {
		given := complete()
		given.Address = addresses[rail]
		if given.Address == "" {
			given.Address = "0x52908400098527886e0f7030069857d2e4169ee7"
		}
		got, problems := Check(rail, given)
		require.Empty(t, problems, rail)
		require.Equal(t, want[rail], got, rail)
		again, problems := Check(rail, got)
		require.Empty(t, problems, rail)
		require.Equal(t, got, again, rail)
	}
}

func TestCheckReportsEveryMissingField(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"ach":             {"routingNumber", "accountNumber"},
		"ach_same_day":    {"routingNumber", "accountNumber"},
		"wire":            {"routingNumber", "accountNumber"},
		"rtp":             {"routingNumber", "accountNumber"},
		"sepa":            {"iban"},
		"sepa_instant":    {"iban"},
		"faster_payments": {"sortCode", "accountNumber"},
		"pix":             {"pixKeyType", "pixKey"},
		"spei":            {"clabe"},
	}
	for _, rail := range Rails() {
		fields, listed := want[rail]
		switch {
		case rail == "swift":
			continue // its own test
		case !listed:
			fields = []string{"address"}
		}
		_, problems := Check(rail, Coordinates{Memo: " "})
		expected := make([]FieldProblem, len(fields))
		for i, f := range fields {
			expected[i] = FieldProblem{f, "The " + f + " field is required."}
		}
		require.Equal(t, expected, problems, rail)
	}
}

func TestCheckSWIFTTakesAccountNumberOrIBAN(t *testing.T) {
	t.Parallel()
	for _, given := range []Coordinates{
		{BIC: "CHASUS33", AccountNumber: "12-3456"},
		{BIC: "DEUTDEFF", IBAN: "DE89370400440532013000"},
	} {
		got, problems := Check("swift", given)
		require.Empty(t, problems)
		require.Equal(t, given, got)
	}
	_, problems := Check("swift", Coordinates{})
	require.Equal(t, []FieldProblem{
		{"bic", "The bic field is required."},
		{"accountNumber", "The accountNumber field is required unless iban is given."},
	}, problems)
	_, problems = Check("swift", Coordinates{BIC: "X", AccountNumber: "?", IBAN: "DE89370400440532013001"})
	require.Len(t, problems, 3)
}

func TestCheckReportsEveryBadField(t *testing.T) {
	t.Parallel()
	got, problems := Check("sepa", Coordinates{IBAN: "GB82WEST12345698765433", BIC: "DEUT"})
	require.Equal(t, Coordinates{}, got)
	require.Equal(t, []FieldProblem{
		{"iban", "The iban field is not a valid IBAN: its check digits do not match the rest, so at least one character is mistyped."},
		{"bic", "The bic field is not a valid BIC: it has 4 characters and needs 8 or 11."},
	}, problems)

	got, problems = Check("faster_payments", Coordinates{SortCode: "12-34-56", AccountNumber: "1"})
	require.Equal(t, Coordinates{SortCode: "123456"}, got)
	require.Len(t, problems, 1)
}

func TestCheckPIXKeyNeedsItsType(t *testing.T) {
	t.Parallel()
	_, problems := Check("pix", Coordinates{PIXKey: "x"})
	require.Equal(t, []FieldProblem{{"pixKeyType", "The pixKeyType field is required."}}, problems)
	_, problems = Check("pix", Coordinates{PIXKey: "x", PIXKeyType: "iban"})
	require.Equal(t, []FieldProblem{
		{"pixKeyType", "The pixKeyType field is not a valid PIX key type: the types are cpf, cnpj, email, phone and evp."},
	}, problems)
	_, problems = Check("pix", Coordinates{PIXKeyType: "cpf"})
	require.Equal(t, []FieldProblem{{"pixKey", "The pixKey field is required."}}, problems)
	_, problems = Check("pix", Coordinates{PIXKey: "x", PIXKeyType: "cpf"})
	require.Len(t, problems, 1)
	require.Equal(t, "pixKey", problems[0].Field)
}

func TestCheckUnknownRail(t *testing.T) {
	t.Parallel()
	for _, rail := range []string{"cheque", "SEPA"} {
		got, problems := Check(rail, complete())
		require.Equal(t, Coordinates{}, got)
		require.Len(t, problems, 1)
		require.Equal(t, "paymentRail", problems[0].Field)
		require.Contains(t, problems[0].Message, "The paymentRail field is not a valid payment rail: the rails are ach, ")
	}
	_, problems := Check("", complete())
	require.Equal(t, []FieldProblem{{"paymentRail", "The paymentRail field is required."}}, problems)
}

func TestFieldNamesAreTheJSONMembers(t *testing.T) {
	t.Parallel()
	all := complete()
	all.Address = "a"
	text, err := json.Marshal(all)
	require.NoError(t, err)
	var members map[string]string
	require.NoError(t, json.Unmarshal(text, &members))
	for _, r := range rails {
		for _, list := range [][]*member{r.required, r.either, r.optional} {
			for _, m := range list {
				require.Contains(t, members, m.name, r.name)
				require.Equal(t, members[m.name], *m.at(&all), "%s of %s", m.name, r.name)
			}
		}
	}
}
