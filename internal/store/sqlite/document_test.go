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
		reflect.TypeFor[store.Teller]():       rapid.Just[any](store.Told{}),
		reflect.TypeFor[*store.Event]():       rapid.Map(rapid.Deferred(arbitrary[store.Event]), func(e store.Event) any { return &e }),
		reflect.TypeFor[*payments.Transfer](): rapid.Map(rapid.Deferred(arbitrary[payments.Transfer]), func(p payments.Transfer) any { return &p }),
		reflect.TypeFor[string]():             rapid.OneOf(rapid.String(), rapid.Just(""), rapid.Just("<&>\u2028\"\\\x00\x1f é")).AsAny(),
	}})
}

// readsAsTheLibrarys holds a document that is written here to the library's: both are read as the same.
func readsAsTheLibrarys[T any](t *testing.T, write func(*T) string) {
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
			own := []byte(write(&record))
			require.True(t, jsontext.Value(own).IsValid(), "%s", own)
			require.Equal(t, again(t, expected), again(t, own))
		})
	})
}

func recordDocument[T any](record *T) string {
	document, err := documentOf(record, nil)
	if err != nil || document.append == nil {
		panic("it is left to the library")
	}
	return document.text()
}

func TestDocuments(t *testing.T) {
	t.Parallel()
	readsAsTheLibrarys(t, recordDocument[store.Transfer])
	readsAsTheLibrarys(t, recordDocument[store.Key])
	readsAsTheLibrarys(t, func(w *written) string {
		w.Of = store.Told(w.Data)
		return newLogged(w.Event).document.text()
	})
}
