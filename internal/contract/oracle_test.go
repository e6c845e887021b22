package contract_test

import (
	"bytes"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/test/paytest"
)

// differences are the messages of Validate about values that the other implementation accepts, and why it does.
var differences = map[string]string{
	"must be an e-mail address":  "the oracle does not check the format email unless told how",
	"must be a date such as":     "the oracle's dates have a 30th of February",
	"must be a whole number":     "the oracle takes 1.0 and 1e1 for integers, as OpenAPI 3.1 does and 3.0.3 does not",
	"must be base64":             "the oracle takes base64 of any alphabet and length",
	"is required":                "the oracle does not know x-required-when, and does not count an empty text as missing (specification heading Errors, rule 2)",
	"must be one of: individual": "as above, of an empty type",
}

func excused(messages []string) bool {
	return !slices.ContainsFunc(messages, func(message string) bool {
		for difference := range differences {
			if strings.Contains(message, difference) {
				return false
			}
		}
		return true
	})
}

// Another implementation of OpenAPI agrees on generated bodies, except for the known differences.
func TestValidateAgreesWithAnotherImplementation(t *testing.T) {
	t.Parallel()
	document := paytest.Document(t)
	var allValid, allInvalid atomic.Int64
	t.Cleanup(func() {
		require.Positive(t, allValid.Load(), "the generator made no valid body")
		require.Positive(t, allInvalid.Load(), "the generator made no invalid body")
	})
	for _, op := range contract.Operations {
		if op.Body == nil {
			continue
		}
		request := document.Paths.Find(op.Path).GetOperation(op.Method).RequestBody.Value
		schema := request.Content.Get(op.BodyMedia).Schema.Value
		t.Run(op.ID, func(t *testing.T) {
			t.Parallel()
			var valid, invalid int
			rapid.Check(t, func(t *rapid.T) {
				body := paytest.Body(op.Body).Draw(t, "body")
				report, err := contract.Validate(op.Body, body)
				require.NoError(t, err, "generated bodies are well-formed: %s", body)
				var value any
				require.NoError(t, json.Unmarshal(body, &value))
				refused := schema.VisitJSON(value, openapi3.VisitAsRequest(), openapi3.MultiErrors())
				switch {
				case len(report.Errors) == 0 && refused != nil:
					// JSON Schema counts characters, the oracle counts the code units of UTF-16.
					require.NotEqual(t, utf8.RuneCount(body), len(utf16.Encode(bytes.Runes(body))),
						"refused only by the oracle: %s\n%v", body, refused)
				case len(report.Errors) > 0 && refused == nil:
					for field, messages := range report.Errors {
						require.True(t, excused(messages), "refused only here: %s: %s: %v", body, field, messages)
					}
				}
				if len(report.Errors) == 0 {
					valid++
				} else {
					invalid++
				}
			})
			allValid.Add(int64(valid))
			allInvalid.Add(int64(invalid))
			if !testing.Short() { // a few bodies may all be valid, or all invalid
				require.Positive(t, valid, "the generator made no valid body")
				require.Positive(t, invalid, "the generator made no invalid body")
			}
		})
	}
}
