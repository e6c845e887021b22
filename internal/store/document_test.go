package store_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// arbitrary makes records with every field that may be empty now empty and now not.
func arbitrary[T any]() *rapid.Generator[T] {
	return rapid.MakeCustom[T](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[payments.Decimal](): rapid.Custom(func(t *rapid.T) any {
			return payments.MustDecimal(rapid.StringMatching(`(0|[1-9][0-9]{0,9})(\.[0-9]{1,18})?`).Draw(t, "amount"))
		}),
		reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
			return time.UnixMilli(rapid.Int64Range(0, 4e12).Draw(t, "milliseconds")).UTC()
		}),
		reflect.TypeFor[store.Answer](): rapid.Custom(func(t *rapid.T) any {
			return store.AnswerText([]byte(rapid.String().Draw(t, "answer")))
		}),
		reflect.TypeFor[*payments.Transfer](): rapid.Map(rapid.Deferred(arbitrary[payments.Transfer]), func(p payments.Transfer) any { return &p }),
		reflect.TypeFor[string]():             rapid.OneOf(rapid.String(), rapid.Just(""), rapid.Just("<&>\u2028\"\\\x00\x1f é")).AsAny(),
	}})
}

// holds a record's own document to the library's: both are read as the same.
func readAsTheLibrarys[T any](t *testing.T, document func(*T) store.Document) {
	t.Run(reflect.TypeFor[T]().Name(), func(t *testing.T) {
		t.Parallel()
		durations := jsonv1.FormatDurationAsNano(true)
		again := func(t *rapid.T, text []byte) string {
			var read T
			require.NoError(t, jsonv2.Unmarshal(text, &read, durations), "%s", text)
			written, err := jsonv2.Marshal(&read, durations, jsonv2.Deterministic(true))
			require.NoError(t, err)
			return string(written)
		}
		rapid.Check(t, func(t *rapid.T) {
			record := arbitrary[T]().Draw(t, "record")
			expected, err := jsonv2.Marshal(&record, durations, jsontext.AllowInvalidUTF8(true))
			require.NoError(t, err)
			own, err := document(&record).AppendJSON([]byte("before"))
			require.NoError(t, err)
			require.True(t, json.Valid(own[len("before"):]), "%s", own)
			require.Equal(t, again(t, expected), again(t, own[len("before"):]))
		})
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	readAsTheLibrarys(t, func(transfer *store.Transfer) store.Document { return transfer })
	readAsTheLibrarys(t, func(key *store.Key) store.Document { return key })
}
