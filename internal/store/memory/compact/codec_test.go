package compact

import (
	"fmt"
	"hash/maphash"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// TestRecordsAreDecodedAsTheyWere, whatever they hold. Each check uses its dictionary often enough to learn from it.
func TestRecordsAreDecodedAsTheyWere(t *testing.T) {
	t.Parallel()
	t.Run("transfer", testRecords[store.Transfer])
	t.Run("key", testRecords[store.Key])
	t.Run("account", testRecords[store.Account])
	t.Run("contact", testRecords[store.Contact])
	t.Run("event", testRecords[store.Event])
	t.Run("client", testRecords[store.Client])
	t.Run("token", testRecords[store.Token])
	t.Run("requests", testRecords[store.RequestBatch])
	t.Run("world", testRecords[store.World])
	t.Run("job", testRecords[store.Job])
	t.Run("others", testRecords[others])
}

// others has the kinds of fields that no record has yet.
type others struct {
	Bools   []bool
	Small   int8
	Bytes   uint8
	Large   uint64
	Nested  [][]string
	Links   []*string
	Linked  **string
	Numbers map[int]*payments.Decimal
	Empty   struct{}
}

func testRecords[T any](t *testing.T) {
	t.Parallel()
	dictionary := NewDictionary()
	codec := NewCodec[T](dictionary)
	rapid.Check(t, func(t *rapid.T) {
		record := new(T)
		fill(t, reflect.ValueOf(record).Elem())
		own := drawText(t)
		for range rapid.SampledFrom([]int{1, 1, 1, timesSeen + 1}).Draw(t, "times") {
			b, ok := codec.Append([]byte("before"), own, record)
			require.True(t, ok)
			require.Equal(t, "before", string(b[:6]))
			decoded, err := codec.Decode(b[6:], own)
			require.NoError(t, err)
			if !reflect.DeepEqual(record, decoded) { // require.Equal takes nil and empty for the same
				require.Equal(t, fmt.Sprintf("%#v", record), fmt.Sprintf("%#v", decoded))
			}
		}
	})
}

// fill draws a value.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Type() {
	case reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(drawTime(t)))
		return
	case reflect.TypeFor[payments.Decimal]():
		v.Set(reflect.ValueOf(drawDecimal(t)))
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Int, reflect.Int8, reflect.Int64:
		n := rapid.SampledFrom([]int64{0, 1, -1, 100, math.MaxInt64, math.MinInt64}).Draw(t, "int")
		if v.OverflowInt(n) {
			n = math.MinInt8
		}
		v.SetInt(n)
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Uint8().Draw(t, "uint8")))
	case reflect.Uint64:
		v.SetUint(rapid.Uint64().Draw(t, "uint64"))
	case reflect.String:
		v.SetString(drawText(t))
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "pointer") {
			v.Set(reflect.New(v.Type().Elem()))
			fill(t, v.Elem())
		}
	case reflect.Slice:
		size := rapid.IntRange(-1, 3).Draw(t, "size")
		if size < 0 {
			return
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(drawText(t)))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), size, size))
		for i := range size {
			fill(t, v.Index(i))
		}
	case reflect.Map:
		size := rapid.IntRange(-1, 2).Draw(t, "size")
		if size < 0 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range size {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(t, key)
			fill(t, value)
			v.SetMapIndex(key, value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("the test cannot make a %v", v.Type())
	}
}

// hostile are texts that look like one of the forms that texts are encoded in.
var hostile = []string{
	"", "a", "EUR", "0x", "0x00", "0xABCDEF0123456789ABCDEF", "0xabcdef0123456789abcdef", "0xabcdef0123456789abcde", "abcdef0123456789",
	"ABCDEF0123456789", "1234567890123456", "trf_01kb0000000000000000000000", "trf_01KB0000000000000000000000", "trf_81kb0000000000000000000000",
	"trf_01kbilou00000000000000000", "trf_0000000000000000000000000i", "2026-01-01T09:00:00Z", "2026-01-01T09:00:00.120Z", "2026-01-01T09:00:00.123456789Z",
	"2026-01-01T09:00:00.12Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2026-01-01T09:00:60Z", "2026-01-01t09:00:00z", "2026-01-01T09:00:00+00:00",
	`{"a":"b","c":"","d":["x","y"],"e":{"f":"g\"h\\"}}`, `:"`, `:":"`, `x:"`, `:"x`, `{"a":"\`, `{"a":"\"`, `{"a:":"b"}`, `:""`, `:"":"`, "\xff:\"\xfe\"",
	"POST /transfers/auto/v1\n{\"amount\":\"12.5\"}", strings.Repeat("long ", 30), strings.Repeat(`"a":"b",`, 40), "z\x00",
	"invoice-000042", "invoice-12345", "000000", "0.000000", "123456.", ".123456", "a.123456", "a.1.234567", "1.2.3456789", "0.925925925925925926",
	"2026-01-01T09:00:00Z123456", "18446744073709551616", "1844674407370955161", "1234567890123.456789", "123456789012345678901234567890.5", "0x12345678.9",
}

func drawText(t *rapid.T) string {
	joined := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(hostile), 2, 4), func(texts []string) string { return strings.Join(texts, "") })
	return rapid.OneOf(rapid.SampledFrom(hostile), joined, rapid.String(), rapid.StringMatching(`[":\\a]{0,8}`)).Draw(t, "text")
}

func drawTime(t *rapid.T) time.Time {
	at := rapid.SampledFrom([]time.Time{
		{}, time.Unix(0, 0).UTC(), time.UnixMilli(1_767_258_000_123).UTC(), time.Unix(1, 1).UTC(), time.Unix(-1, 999_999_999).UTC(),
		time.Date(1, 1, 1, 0, 0, 0, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC), time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC),
	}).Draw(t, "time")
	return at.Add(time.Duration(rapid.IntRange(0, 1).Draw(t, "later")) * time.Duration(rapid.Uint32().Draw(t, "by")))
}

func drawDecimal(t *rapid.T) payments.Decimal {
	return rapid.SampledFrom([]payments.Decimal{
		{}, payments.MustDecimal("0.00"), payments.MustDecimal("12.50"), payments.MustDecimal("0.925925925925925926"),
		payments.MustDecimal("9999999999999999999"[:18]), payments.MustDecimal("123456789012345678.123456789012345678"),
		payments.Unit(40), payments.MustDecimal("123456789012345678.123456789012345678").Mul(payments.MustDecimal("123456789012345678.123456789012345678")),
		payments.MustDecimal("18").Mul(payments.Unit(18)).Mul(payments.Unit(18)),
	}).Draw(t, "decimal")
}

// TestValuesThatCannotBeEncoded are noticed, so that the record is kept as it is.
func TestValuesThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	codec := NewCodec[store.Client](NewDictionary())
	for name, at := range map[string]time.Time{
		"a time zone":         time.Unix(0, 0).In(time.FixedZone("", 3600)),
		"a monotonic reading": time.Now(),
		"too far away":        time.UnixMilli(math.MaxInt64 / 2).UTC(),
	} {
		b, ok := codec.Append([]byte("before"), "", &store.Client{At: at})
		require.False(t, ok, name)
		require.Equal(t, "before", string(b), name)
	}
}

// TestTypesThatCannotBeEncoded are refused before a record is.
func TestTypesThatCannotBeEncoded(t *testing.T) {
	t.Parallel()
	require.PanicsWithValue(t, "compact: cannot encode a interface {}", func() { NewCodec[payments.MergePatch](NewDictionary()) })
	require.PanicsWithValue(t, "compact: cannot encode the field at of a struct { at int }, which is not exported",
		func() { NewCodec[struct{ at int }](NewDictionary()) })
}

// TestDamagedRecordsAreNoticed if they are too short or too long.
func TestDamagedRecordsAreNoticed(t *testing.T) {
	t.Parallel()
	codec := NewCodec[store.Key](NewDictionary())
	b, ok := codec.Append(nil, "k", &store.Key{ID: "k", Response: []byte(`{"a":"b","c":"d"}`), At: time.Unix(1, 1).UTC()})
	require.True(t, ok)
	for size := range b {
		_, err := codec.Decode(b[:size], "k")
		require.ErrorIs(t, err, errDamaged)
	}
	_, err := codec.Decode(append(b, 0), "k")
	require.ErrorIs(t, err, errDamaged)
}

// TestManyReadersDecodeAtOnce what a writer has encoded in between.
func TestManyReadersDecodeAtOnce(t *testing.T) {
	t.Parallel()
	codec := NewCodec[store.Token](NewDictionary())
	for i := range 3 * timesSeen {
		token := &store.Token{Hash: fmt.Sprint("hash ", i), Scopes: []string{"read", "write"}, ClientID: "client"}
		b, ok := codec.Append(nil, token.Hash, token)
		require.True(t, ok)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				decoded, err := codec.Decode(b, token.Hash)
				if err != nil || !reflect.DeepEqual(token, decoded) {
					t.Errorf("%v %v", decoded, err)
				}
			})
		}
		readers.Wait()
	}
}

// TestDictionaryLearnsWhatReturns, and not what a single transfer has in several places.
func TestDictionaryLearnsWhatReturns(t *testing.T) {
	t.Parallel()
	dictionary := NewDictionary()
	codec := NewCodec[store.Token](dictionary)
	size := func(client, instance string) int {
		b, ok := codec.Append(nil, "", &store.Token{ClientID: client, Instance: instance})
		require.True(t, ok)
		return len(b)
	}
	first := size("the client", "unique 0")
	for i := range 100 * timesSeen {
		for range timesSeen / 4 {
			size("the client", fmt.Sprint("unique ", i))
		}
	}
	require.Equal(t, []string{"the client"}, dictionary.strings)
	require.Equal(t, first-len("the client"), size("the client", "unique 1"))
}

// TestDictionaryLearnsWhatComesInTurn, although the counts of both strings are kept in the same pair.
func TestDictionaryLearnsWhatComesInTurn(t *testing.T) {
	t.Parallel()
	dictionary := NewDictionary()
	pair := func(text string) uint64 { return maphash.String(dictionary.seed, text) % candidatePairs }
	first, second := "first", "0"
	for i := 1; pair(second) != pair(first); i++ {
		second = fmt.Sprint(i)
	}
	for range timesSeen + 1 { // the first loses one to the second
		dictionary.learn(first)
		dictionary.learn(second)
	}
	require.Contains(t, dictionary.numbers, first)
	require.Contains(t, dictionary.numbers, second)
}

// TestDictionaryIsBounded in the number and the size of its strings.
func TestDictionaryIsBounded(t *testing.T) {
	t.Parallel()
	dictionary := NewDictionary()
	long := strings.Repeat("c", maxEntryBytes+1)
	for range timesSeen {
		dictionary.learn(long)
	}
	for i := range maxEntries + 1 {
		hash := fmt.Sprint("hash ", i)
		for range timesSeen {
			dictionary.learn(hash)
		}
	}
	require.Len(t, dictionary.strings, maxEntries)
	require.NotContains(t, dictionary.numbers, long)
	codec := NewCodec[store.Token](dictionary)
	for _, i := range []int{0, formNumber2 - 1, formNumber2, 8351, 8352, maxEntries - 1, maxEntries} {
		token := &store.Token{Hash: fmt.Sprint("hash ", i), ClientID: long}
		b, ok := codec.Append(nil, "", token)
		require.True(t, ok)
		decoded, err := codec.Decode(b, "")
		require.NoError(t, err)
		require.Equal(t, token, decoded)
	}
}
