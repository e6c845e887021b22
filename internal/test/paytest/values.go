package paytest

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
)

// Body generates JSON bodies for a schema: some are valid, some are wrong in one or more places.
func Body(s *contract.Schema) *rapid.Generator[[]byte] {
	return rapid.Custom(func(t *rapid.T) []byte {
		maker := &values{T: t, spoil: rapid.SampledFrom([]int{0, 0, 3, 12, 40}).Draw(t, "percent spoiled")}
		body, err := json.Marshal(maker.value(s, ""), json.Deterministic(true))
		if err != nil {
			t.Fatalf("a generated body cannot be encoded: %v", err)
		}
		return body
	})
}

// examples are texts for checks that a schema cannot express, by member. Some of them fail these checks.
var examples = map[string][]string{
	"accountId":     {"acc_01"},
	"accountNumber": {"000123456789", "31926819"},
	"address":       {"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"},
	"amount":        {"12.50", "100", "0", "1000000000000", "0.000000000000000001"},
	"bic":           {"DEUTDEFF", "COBADEFFXXX"},
	"birthDate":     {"1990-12-31", "2020-01-01", "2001-02-30", "2000-02-29"},
	"checksum":      {"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}, // of {}
	"clabe":         {"032180000118359719"},
	"country":       {"GB", "DE", "ZZ"},
	"currency":      {"EUR", "USD", "GBP", "BRL", "MXN", "USDC", "BTC"},
	"document":      {"aGVsbG8=", "aGVsbG8", "!", "_-8="},
	"duration":      {"1ms", "-1s", "tomorrow"},
	"takenAt":       {"2026-01-01T00:00:00Z"},
	"now":           {"2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "now"},
	"email": {"ada@example.com", "Ada Lovelace <ada@example.com>", "a@b@c",
		"ada+kyc-rejected@example.com", "ada@"},
	"iban":          {"DE89370400440532013000", "GB82 WEST 1234 5698 7654 32"},
	"name":          {"registrationNumber", "identity_document"},
	"paymentRail":   {"sepa", "ach", "faster_payments", "pix", "spei", "base", "bitcoin", "stellar", "swift"},
	"phoneNumber":   {"+442079460000"},
	"pixKey":        {"123e4567-e89b-42d3-a456-426614174000", "529.982.247-25"},
	"provider":      {"europay", "northbank", "chainline"},
	"routeKey":      {"sepa:EUR->base:USDC", "ach:USD->bitcoin:BTC"},
	"route":         {"sepa:EUR->base:USDC", "wire:USD->sepa:EUR", "nowhere"},
	"routingNumber": {"021000021", "021000022"},
	"scope":         {"kyc:read accounts:read", "kyc:read", "everything"},
	"sortCode":      {"12-34-56"},
}

// longest is the largest maximum length of a schema that a generated text reaches.
const longest = 1100

// values generates values. About spoil percent of them do not match the schema.
type values struct {
	*rapid.T
	spoil int
}

func (v *values) chance(percent int, what string) bool {
	return rapid.IntRange(1, 100).Draw(v.T, what) <= percent
}

func (v *values) value(s *contract.Schema, name string) any {
	if v.chance(v.spoil, "another value") {
		return rapid.SampledFrom([]any{nil, true, 7, -1.5, "", "text", []any{}, []any{nil}, map[string]any{},
			map[string]any{"a": 1},
			jsontext.Value("1.0"), jsontext.Value("1e1"), jsontext.Value("-0")}).Draw(v.T, "other")
	}
	if s.Nullable && v.chance(10, "null") {
		return nil
	}
	if len(s.OneOf) > 0 {
		s = s.OneOf[rapid.IntRange(0, len(s.OneOf)-1).Draw(v.T, "branch")]
	}
	switch s.Type {
	case contract.String:
		return v.text(s, name)
	case contract.Integer:
		return rapid.Int64Range(-5, 200).Draw(v.T, name)
	case contract.Boolean:
		return rapid.Bool().Draw(v.T, name)
	case contract.Array:
		list := []any{}
		for i := range v.count(s.MinItems, s.MaxItems) {
			list = append(list, v.value(s.Items, fmt.Sprint(name, i)))
		}
		return list
	case contract.Object:
		return v.object(s)
	default:
		return nil
	}
}

// count returns a number of elements. A spoiled one is out of bounds.
func (v *values) count(least, most int) int {
	if most > 0 && v.chance(v.spoil, "too many") {
		return most + 1
	}
	if v.chance(v.spoil, "too few") {
		return max(least-1, 0)
	}
	return rapid.IntRange(least, least+2).Draw(v.T, "elements")
}

func (v *values) object(s *contract.Schema) map[string]any {
	object := map[string]any{}
	for _, member := range s.Members {
		percent := 40
		if member.Required || member.RequiredWhen != nil {
			percent = 100 - v.spoil
		}
		if v.chance(percent, "has "+member.Name) {
			object[member.Name] = v.value(member.Schema, member.Name)
		}
	}
	if s.Values != nil {
		for i := range v.count(0, s.MaxProperties) {
			object[fmt.Sprint("key", i)] = v.value(s.Values, "value")
		}
	}
	if len(s.Members) > 0 && v.chance(10, "unknown member") {
		object["unheardOf"] = []any{1, map[string]any{"deep": nil}}
	}
	return object
}

func (v *values) text(s *contract.Schema, name string) string {
	if v.chance(v.spoil, "any text") {
		return rapid.String().Draw(v.T, name)
	}
	if known := examples[name]; known != nil && v.chance(85, "example") {
		return rapid.SampledFrom(known).Draw(v.T, name)
	}
	switch {
	case len(s.Enum) > 0:
		return rapid.SampledFrom(s.Enum).Draw(v.T, name)
	case s.Pattern != "":
		return rapid.StringMatching(s.Pattern).Draw(v.T, name)
	}
	lengths := []int{s.MinLength, s.MinLength + 3}
	if s.MaxLength > 0 && s.MaxLength <= longest {
		lengths = append(lengths, s.MaxLength)
		if v.spoil > 0 {
			lengths = append(lengths, s.MaxLength+1)
		}
	}
	length := rapid.SampledFrom(lengths).Draw(v.T, "length")
	return strings.Repeat(rapid.SampledFrom([]string{"x", "é", "7", " "}).Draw(v.T, name), length)
}

// Coordinates returns well-formed coordinates of a contact on a payment rail, by member. They are not in use. An
// unknown rail has none.
func Coordinates(rail string) map[string]string {
	switch rail {
	case "ach", "ach_same_day", "wire", "rtp":
		return map[string]string{"routingNumber": "021000021", "accountNumber": "000123456789"}
	case "swift":
		return map[string]string{"bic": "DEUTDEFF", "accountNumber": "12-3456-7890123-00"}
	case "sepa", "sepa_instant":
		return map[string]string{"iban": "DE89370400440532013000"}
	case "faster_payments":
		return map[string]string{"sortCode": "20-00-00", "accountNumber": "55779911"}
	case "pix":
		return map[string]string{"pixKeyType": "evp", "pixKey": "123e4567-e89b-42d3-a456-426614174000"}
	case "spei":
		return map[string]string{"clabe": "032180000118359719"}
	case "ethereum", "base", "polygon", "arbitrum", "optimism", "avalanche":
		return map[string]string{"address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}
	case "solana":
		return map[string]string{"address": "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"}
	case "stellar":
		return map[string]string{"address": "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "memo": "42"}
	case "tron":
		return map[string]string{"address": "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"}
	case "bitcoin":
		return map[string]string{"address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}
	}
	return nil
}
