package sql_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
	storesql "github.com/payctl/payctl/internal/store/sql"
)

// TestEncode compares documents with those that the library makes, of values in which every member is set, and of
// values in which none is, with nil and empty lists.
func TestEncode(t *testing.T) {
	t.Parallel()
	for _, example := range []any{
		&store.Event{}, &store.Key{}, &store.Transfer{}, &store.Account{}, &store.RequestBatch{},
		&store.Key{Response: []byte{}}, &store.Transfer{Transfer: &payments.Transfer{}},
		&store.Transfer{Transfer: &payments.Transfer{Fees: []payments.Fee{}}},
		&store.Transfer{
			Transfer: &payments.Transfer{Fees: []payments.Fee{}}, OnchainTransactions: []payments.OnchainTransaction{},
			Plan: []store.TransferStep{},
		},
	} {
		full := reflect.New(reflect.TypeOf(example).Elem())
		fill(t, full.Elem())
		for _, value := range []any{example, full.Interface()} {
			document, expected, err := storesql.Encode(value)
			require.NoError(t, err)
			require.JSONEq(t, expected, document)
		}
	}
}

// fill sets all members of a value.
func fill(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, time.January, 2, 3, 4, 5, 678_900_000, time.UTC)))
		return
	case reflect.TypeFor[payments.Decimal]():
		v.Set(reflect.ValueOf(payments.MustDecimal("12.50")))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-7)
	case reflect.Uint8:
		v.SetUint(255)
	case reflect.Uint64:
		v.SetUint(8)
	case reflect.String:
		v.SetString("a\"b\n\xff<é>")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0))
		fill(t, v.Index(1))
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key)
		fill(t, value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("the test cannot make a %v", v.Type())
	}
}
