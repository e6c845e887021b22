package payments

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An encoder is a wire type with a generated AppendJSON. It writes the same JSON as the library in a fifth of the time,
// which is worth 35 % of a route selection and 12 % of a create.
type encoder interface{ AppendJSON(b []byte) []byte }

// Encode returns a value's JSON as it is sent. Duplicate names are not looked for, because no value has them. The
// options are passed one by one, because joining them would cost an allocation each time.
func Encode(value any) ([]byte, error) {
	if known, ok := value.(encoder); ok {
		return known.AppendJSON(nil), nil
	}
	return json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// AppendEncoded appends what Encode returns to b.
func AppendEncoded(b []byte, value any) ([]byte, error) {
	if known, ok := value.(encoder); ok {
		return known.AppendJSON(b), nil
	}
	text, err := Encode(value)
	return append(b, text...), err
}

// The functions below are called by the generated encoders. Each member of an object is preceded by a comma, and
// closeObject replaces the first comma by the opening brace: a generated encoder need not know which optional member
// comes first.

func closeObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

func appendString(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // invalid UTF-8 is replaced
	return b
}

func appendStrings(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, text := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendString(b, text)
	}
	return append(b, ']')
}

func appendMap(b []byte, texts map[string]string) []byte {
	start := len(b)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b = append(appendString(append(b, ','), name), ':')
		b = appendString(b, texts[name])
	}
	return closeObject(b, start)
}

func appendInt(b []byte, number int) []byte { return strconv.AppendInt(b, int64(number), 10) }

func appendBool(b []byte, is bool) []byte { return strconv.AppendBool(b, is) }

func appendAmount(b []byte, amount Amount) []byte {
	return append(amount.append(append(b, '"')), '"')
}

func appendTime(b []byte, at time.Time) []byte {
	return append(at.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}
