package payments

import (
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// arbitrary makes values of any wire type, with every member that may be absent now there and now not.
func arbitrary[T any](t *rapid.T) T {
	return rapid.MakeCustom[T](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[Decimal](): rapid.Custom(func(t *rapid.T) any {
			d, _ := drawDecimal(t, "amount")
			return d
		}),
		reflect.TypeFor[time.Time](): rapid.Custom(func(t *rapid.T) any {
			if rapid.IntRange(0, 3).Draw(t, "is zero") == 0 {
				return time.Time{}
			}
			at := time.UnixMilli(rapid.Int64Range(0, 253402300799999-24*time.Hour.Milliseconds()).Draw(t, "milliseconds"))
			return at.In(time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "minutes east")))
		}),
		reflect.TypeFor[string](): rapid.OneOf(rapid.String(), rapid.Just(""), rapid.Just("<&>\u2028\"\\\x00\x1f\xff é")).AsAny(),
	}}).Draw(t, "value")
}

func holdsToLibrary[T any](t *testing.T) {
	t.Run(reflect.TypeFor[T]().Name(), func(t *testing.T) {
		t.Parallel()
		_, generated := any(*new(T)).(encoder)
		require.True(t, generated, "the type is left to the library")
		rapid.Check(t, func(t *rapid.T) {
			value := arbitrary[T](t)
			expected, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
			require.NoError(t, err)
			for _, given := range []any{value, &value} {
				encoded, err := Encode(given)
				require.NoError(t, err)
				require.Equal(t, string(expected), string(encoded))
				after, err := AppendEncoded([]byte("before"), given)
				require.NoError(t, err)
				require.Equal(t, "before"+string(expected), string(after))
			}
		})
	})
}
