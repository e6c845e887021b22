package payments

import (
	"regexp"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

func TestParseTime(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]time.Time{
		"2030-01-31T12:00:00Z":           time.Date(2030, time.January, 31, 12, 0, 0, 0, time.UTC),
		"2030-01-31T12:00:00.5+02:00":    time.Date(2030, time.January, 31, 10, 0, 0, 500_000_000, time.UTC),
		"2030-01-31T12:00:00.123456789Z": time.Date(2030, time.January, 31, 12, 0, 0, 123_456_789, time.UTC),
		"2028-02-29T23:59:59-23:59":      time.Date(2028, time.March, 1, 23, 58, 59, 0, time.UTC),
	} {
		at, ok := ParseTime(text)
		require.True(t, ok, text)
		require.True(t, expected.Equal(at), "%s is %s", text, at)
	}
	for _, text := range []string{
		"", "now", "2030-01-01", "2030-01-01T0:00:00Z", "2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00.Z", "2030-01-01T00:00:00+24:00",
		"2030-01-01T00:00:00+00:60", "2030-01-01T00:00:00+0000", "2030-01-01T24:00:00Z", "2030-02-30T00:00:00Z", "2030-01-01 00:00:00Z",
		"2030-01-01T00:00:00", "2030-01-01T00:00:00Z ", "2030-01-01T00:00:00Z\xff", `2030-01-01T00:00:00Z"`,
	} {
		at, ok := ParseTime(text)
		require.False(t, ok, text)
		require.Zero(t, at)
	}
}

// grammar is date-time of RFC 3339 section 5.6 in capital letters. How long a month is time.Parse knows.
var grammar = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// FuzzParseTime holds what is read to the grammar, and to what the JSON decoder reads.
func FuzzParseTime(f *testing.F) {
	for _, seed := range []string{
		"2030-01-01T00:00:00Z", "2030-01-01T0:00:00Z", "2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00+24:00",
		"2028-02-29T23:59:59.123456789-23:59", "2030-01-01t00:00:00z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, ok := ParseTime(text)
		known, err := time.Parse(time.RFC3339, text)
		require.Equal(t, err == nil && grammar.MatchString(text), ok, "%q", text)
		if !ok {
			return
		}
		require.True(t, known.Equal(at), "%q", text)
		quoted, err := jsontext.AppendQuote(nil, text)
		require.NoError(t, err)
		var decoded time.Time
		require.NoError(t, json.Unmarshal(quoted, &decoded))
		require.Equal(t, at, decoded)
	})
}
