package sqlite

import (
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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

// readsAsTheLibrarys holds the document of a record that is written here to the library's: both are read as the same.
func readsAsTheLibrarys[T any](t *testing.T) {
	t.Run(reflect.TypeFor[T]().Name(), func(t *testing.T) {
		t.Parallel()
		form := newKinds().form
		again := func(t *rapid.T, text []byte) string {
			var read T
			require.NoError(t, json.Unmarshal(text, &read, form), "%s", text)
			// Nothing that anybody sees tells an empty list from none.
			written, err := json.Marshal(&read, form, json.FormatNilSliceAsNull(false), json.Deterministic(true))
			require.NoError(t, err)
			return string(written)
		}
		rapid.Check(t, func(t *rapid.T) {
			record := arbitrary[T]().Draw(t, "record")
			expected, err := json.Marshal(&record, form, jsontext.AllowInvalidUTF8(true))
			require.NoError(t, err)
			own, err := document(&record, form)
			require.NoError(t, err)
			require.True(t, jsontext.Value(own).IsValid(), "%s", own)
			require.Equal(t, again(t, expected), again(t, own))
		})
	})
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	readsAsTheLibrarys[store.Transfer](t)
	readsAsTheLibrarys[store.Key](t)
}
