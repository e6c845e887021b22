package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// valid has valid bodies, by schema.
var valid = map[*Schema]string{
	&schemaAccessTokenRequest: `{"grant_type":"client_credentials","scope":"kyc:read"}`,
	&schemaNewAccount: `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB","birthDate":"1990-12-31",
		"address":{"line1":"1 St James's Square","city":"London","country":"GB"},"metadata":{"tier":"gold"},"phoneNumber":"+442079460000"}`,
	&schemaKYCSubmission:        `{"requirements":[{"name":"identity_document","document":"aGVsbG8=","contentType":"image/png"},{"name":"registrationNumber","value":"1"}]}`,
	&schemaNewSavedContact:      `{"label":"Ada","holderName":"Ada Lovelace","holderType":"individual","paymentRail":"sepa","currency":"EUR","iban":"DE89370400440532013000"}`,
	&schemaRouteSelection:       `{"selectedSource":{"currency":"EUR","paymentRail":"sepa","provider":"europay"},"selectedDestination":null}`,
	&schemaSandboxClockSettings: `{"mode":"manual","now":"2030-01-01T00:00:00Z"}`,
	&schemaSandboxSnapshot: `{"version":"1","takenAt":"2026-01-01T00:00:00Z","instance":"wld_1",` +
		`"checksum":"` + strings.Repeat("0", 64) + `","world":{}}`,
	&schemaSandboxFaults:        `{"faults":[{"operation":"*","action":"drop"}]}`,
	&schemaSandboxAdvance:       `{"duration":"2s"}`,
	&schemaSandboxKYC:           `{"status":"rejected","reasons":["duplicate"]}`,
	&schemaSandboxDeposit:       `{"amount":"12.50"}`,
	&schemaSandboxTransferState: `{"state":"failed","reason":"provider_declined"}`,
	&schemaNewAutoTransfer:      `{"destinationSavedContactId":"sct_1","route":{"routeKey":"a:b->c:d","flowType":"onramp","provider":"europay"},"amount":"12.50","amountType":"target"}`,
}

// The messages are in the words of the specification.
func TestMessages(t *testing.T) {
	t.Parallel()
	transfer := func(more string) string {
		return `{"destinationSavedContactId":"sct_1","route":"sepa:EUR->base:USDC",` + more + `}`
	}
	const required = "is required."
	for _, test := range []struct {
		schema *Schema
		body   string
		errors map[string]string // what follows "The … field"
	}{
		{&schemaNewAutoTransfer, `{}`, map[string]string{"destinationSavedContactId": required, "route": required}},
		{&schemaNewAutoTransfer, `{"destinationSavedContactId":"","route":null}`,
			map[string]string{"destinationSavedContactId": required, "route": required}},
		{&schemaNewAutoTransfer, `{"destinationSavedContactId":7,"route":["a"]}`, map[string]string{
			"destinationSavedContactId": "must be a string, not a number.",
			"route":                     "must be a string or an object, not an array.",
		}},
		{&schemaNewAutoTransfer, `{"destinationSavedContactId":"sct_1","route":{"flowType":"teleport"}}`, map[string]string{
			"route.flowType": "must be one of: onramp, offramp, swap, bridge, transfer, fx.",
			"route.provider": required, "route.routeKey": required,
		}},
		{&schemaNewAutoTransfer, transfer(`"amount":12.5`), map[string]string{"amount": "must be a string, not a number."}},
		{&schemaNewAutoTransfer, transfer(`"amount":"1e3"`), map[string]string{
			"amount": "must be a decimal number such as 12.50, with up to 18 decimals.",
		}},
		{&schemaNewAutoTransfer, transfer(`"metadata":{"a":1}`), map[string]string{
			"metadata.a": "must be a string, not a number.",
		}},
		{&schemaRouteSelection, `{"selectedSource":{"currency":1}}`, map[string]string{
			"selectedSource.currency": "must be a string, not a number.",
		}},
		{&schemaRouteSelection, `[]`, map[string]string{"body": "must be an object, not an array."}},
		{&schemaRouteSelection, `null`, map[string]string{"body": "must be an object, not null."}},
		{&schemaKYCSubmission, `{"requirements":[]}`, map[string]string{"requirements": "must have at least 1 element(s)."}},
		{&schemaKYCSubmission, `{"requirements":[{"name":"a"},{"document":"!"}]}`, map[string]string{
			"requirements[1].name": required, "requirements[1].document": "must be base64.",
		}},
		{&schemaSandboxClockSettings, `{"mode":"real","now":"2030-01-01T00:00:00,5Z"}`, map[string]string{
			"now": "must be a time such as 2026-01-31T12:00:00Z (RFC 3339).",
		}},
		{
			&schemaNewAccount, `{"type":"business","email":"x","country":"g1","birthDate":"2001-02-30","externalId":""}`,
			map[string]string{
				"legalName":  required,
				"email":      "must be an e-mail address such as ada@example.com.",
				"country":    "must be an ISO 3166-1 alpha-2 country code such as GB.",
				"birthDate":  "must be a date such as 2001-12-31.",
				"externalId": "must not be empty.",
			},
		},
	} {
		report, err := Validate(test.schema, []byte(test.body))
		require.NoError(t, err, test.body)
		found := map[string]string{}
		for field, messages := range report.Errors {
			require.Len(t, messages, 1)
			found[field] = strings.TrimPrefix(messages[0], "The "+field+" field ")
		}
		require.Equal(t, test.errors, found, test.body)
	}
}

// Every offending field is reported, and no other. Each member of a valid body is kept, spoiled or removed.
func TestEveryOffendingFieldAtOnce(t *testing.T) {
	t.Parallel()
	for schema, body := range valid {
		rapid.Check(t, func(t *rapid.T) {
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(body), &object))
			expected := map[string]bool{}
			for _, name := range slices.Sorted(maps.Keys(object)) {
				member := schema.Members[slices.IndexFunc(schema.Members, func(m Member) bool { return m.Name == name })]
				switch rapid.IntRange(0, 2).Draw(t, name) {
				case 1:
					object[name] = 7 // no member of a request is a number
					expected[name] = true
				case 2:
					delete(object, name)
					expected[name] = member.Required || member.RequiredWhen != nil
				}
			}
			if object["type"] != "individual" {
				for _, name := range []string{"firstName", "lastName"} {
					if _, there := object[name]; !there {
						delete(expected, name)
					}
				}
			}
			maps.DeleteFunc(expected, func(_ string, offends bool) bool { return !offends })
			spoiled, err := json.Marshal(object)
			require.NoError(t, err)
			report, err := Validate(schema, spoiled)
			require.NoError(t, err)
			require.Equal(t, slices.Sorted(maps.Keys(expected)), slices.Sorted(maps.Keys(report.Errors)), "%s", spoiled)
		})
	}
}

func TestUnknownMembersAreNamed(t *testing.T) {
	t.Parallel()
	report, err := Validate(&schemaRouteSelection,
		[]byte(`{"later":{"selectedSource":1},"selectedSource":{"chain":"x"},"SelectedSource":{}}`))
	require.NoError(t, err)
	require.Empty(t, report.Errors)
	require.Equal(t, []string{"later", "selectedSource.chain", "SelectedSource"}, report.Unknown)
}

func TestCountsAreBounded(t *testing.T) {
	t.Parallel()
	answers := func(n int) string {
		return `{"requirements":[` + strings.Repeat(`{"name":"a"},`, n-1) + `{"name":"a"}]}`
	}
	pairs := func(n int) string {
		metadata := map[string]string{}
		for i := range n {
			metadata[fmt.Sprint(i)] = "x"
		}
		body, err := json.Marshal(map[string]any{
			"destinationSavedContactId": "sct_1", "route": "sepa:EUR->base:USDC", "metadata": metadata,
		})
		require.NoError(t, err)
		return string(body)
	}
	named := func(length int) string { return `{"metadata":{"` + strings.Repeat("é", length) + `":"x"}}` }
	for _, test := range []struct {
		schema      *Schema
		body, field string
	}{
		{&schemaAccountPatch, named(100), ""},
		{&schemaAccountPatch, named(101), "metadata." + Shorten(strings.Repeat("é", 101), MaxName)},
		{&schemaKYCSubmission, answers(50), ""}, {&schemaKYCSubmission, answers(51), "requirements"},
		{&schemaNewAutoTransfer, pairs(50), ""}, {&schemaNewAutoTransfer, pairs(51), "metadata"},
	} {
		report, err := Validate(test.schema, []byte(test.body))
		require.NoError(t, err)
		if test.field == "" {
			require.Empty(t, report.Errors)
			continue
		}
		require.Len(t, report.Errors, 1)
		require.Regexp(t, "must have (at most 50|a name of at most 100) ", report.Errors[test.field][0])
	}
}

func TestReportsAreBounded(t *testing.T) {
	t.Parallel()
	report, err := Validate(&schemaKYCSubmission, []byte(`{"requirements":[1`+strings.Repeat(",1", 100_000)+`]}`))
	require.NoError(t, err)
	require.Len(t, report.Errors, MaxReported)
	var unknown strings.Builder
	for i := range 5 * MaxReported {
		fmt.Fprintf(&unknown, `,"m%d":0`, i)
	}
	report, err = Validate(&schemaRouteSelection, []byte("{"+unknown.String()[1:]+"}"))
	require.NoError(t, err)
	require.Len(t, report.Unknown, MaxReported)
}

func TestSyntaxErrors(t *testing.T) {
	t.Parallel()
	for body, expected := range map[string]SyntaxError{
		"":                         {Line: 1, Column: 1, Reason: "the body is empty"},
		" \n ":                     {Line: 2, Column: 2, Reason: "the body is empty"},
		"{":                        {Line: 1, Column: 2, Reason: "the text ends within the value"},
		"{\n  \"route\": tru\n}":   {Line: 2, Column: 15, Reason: `the character "\n" cannot stand here`},
		"{}\n{}":                   {Line: 2, Column: 1},
		"{} x":                     {Line: 1, Column: 4},
		"{},":                      {Line: 1, Column: 3},
		`{"a":1,}`:                 {Line: 1, Column: 7},
		`{'a':1}`:                  {Line: 1, Column: 2, Reason: `the character "'" cannot stand here`},
		"{\"route\":\"\xff\"}":     {Line: 1, Column: 11, Reason: "the text is not UTF-8"},
		`{"route":"\ud800"}`:       {Line: 1, Column: 11, Reason: "the escape is half of a surrogate pair"},
		`{"route":"\udc00\ud800"}`: {Line: 1, Column: 11, Reason: "the escape is half of a surrogate pair"},
		"\xff\xfe{\x00}\x00":       {Line: 1, Column: 1, Reason: "the text is UTF-16; send UTF-8"},
		"\x00{\x00}":               {Line: 1, Column: 1, Reason: "the text is UTF-16; send UTF-8"},
		`{"a":01}`:                 {Line: 1, Column: 7},
		`{"a":NaN}`:                {Line: 1, Column: 6},
		"\xef\xbb\xbf{}":           {Line: 1, Column: 1, Reason: "the text begins with a byte order mark"},
		"{\"a\":\"\x01\"}":         {Line: 1, Column: 7},
		`{"route":"a","route":1}`:  {Line: 1, Column: 14},
		`{"a":"\y"}`:               {Line: 1, Column: 7},
		`{1:1}`:                    {Line: 1, Column: 2},
		`{"x":1,"x":1}`:            {Line: 1, Column: 8},
		`{"a":{"x":1,"\u0078":1}}`: {Line: 1, Column: 13, Reason: `the object has another member "x"`},
	} {
		_, err := Validate(&schemaNewAutoTransfer, []byte(body))
		var syntax *SyntaxError
		require.ErrorAs(t, err, &syntax, "%q", body)
		require.Equal(t, [2]int{expected.Line, expected.Column}, [2]int{syntax.Line, syntax.Column}, "%q: %v", body, err)
		require.NotEmpty(t, syntax.Reason)
		require.NotContains(t, syntax.Reason, "jsontext")
		if expected.Reason != "" {
			require.Equal(t, expected.Reason, syntax.Reason)
		}
	}
}

// schemas returns the schemas of request bodies in the order of the operations.
func schemas() []*Schema {
	var all []*Schema
	for _, op := range Operations {
		if op.Body != nil {
			all = append(all, op.Body)
		}
	}
	return all
}

func FuzzValidate(f *testing.F) {
	for i, schema := range schemas() {
		f.Add(uint(i), []byte(valid[schema]))
		f.Add(uint(i), []byte(`{"selectedSource":{"currency":"EUR"}`))
	}
	f.Add(uint(0), []byte(""))
	f.Add(uint(53), []byte("1E700"))
	f.Add(uint(0), []byte(`{"a":[[[[[[[{"b":[]}]]]]]]]}`))
	f.Add(uint(1), []byte("{\"type\":\"\\u0062usiness\",\"type\\u0000\":1}"))
	f.Add(uint(4), []byte("{\"label\":\"\\ud800\"}"))
	f.Fuzz(func(t *testing.T, which uint, body []byte) {
		all := schemas()
		report, err := Validate(all[which%uint(len(all))], body)
		require.Equal(t, jsontext.Value(body).IsValid(), err == nil, "%q: %v", body, err)
		if err != nil {
			var syntax *SyntaxError
			require.ErrorAs(t, err, &syntax)
			require.Positive(t, syntax.Line)
			require.Positive(t, syntax.Column)
			require.LessOrEqual(t, syntax.Column, len(body)+1)
			return
		}
		for field, messages := range report.Errors {
			require.NotEmpty(t, field)
			require.NotEmpty(t, messages)
		}
	})
}
