package payments

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An encoder is a wire type whose JSON is written by code that is generated from the contract, as the JSON library would
// write it, in a fifth of the time.
type encoder interface{ AppendJSON(b []byte) []byte }

// Encode writes a value as it goes over the wire. No value has the same name twice, so that nothing need be remembered to
// find out. The options are not joined beforehand, which would cost an allocation each time.
func Encode(value any) ([]byte, error) {
	if known, ok := value.(encoder); ok {
		return known.AppendJSON(nil), nil
	}
	return json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// AppendEncoded is Encode to the end of b.
func AppendEncoded(b []byte, value any) ([]byte, error) {
	if known, ok := value.(encoder); ok {
		return known.AppendJSON(b), nil
	}
	text, err := Encode(value)
	return append(b, text...), err
}

// The rest is what generated encoders consist of. An object begins with the comma of its first member, in whose place its
// brace is put at the end: which member is the first is known only then.

func closeObject(b []byte, start int) []byte {
	if len(b) == start {
		return append(b, "{}"...)
	}
	b[start] = '{'
	return append(b, '}')
}

func appendString(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // what is not UTF-8 is replaced
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
