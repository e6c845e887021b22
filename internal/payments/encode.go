package payments

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode writes a value as it goes over the wire. No value has the same name twice, so that nothing need be remembered to
// find out. The options are not joined beforehand, which would cost an allocation each time.
func Encode(value any) ([]byte, error) {
	return json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// EncodeTo is Encode to a writer.
func EncodeTo(w io.Writer, value any) error {
	return json.MarshalWrite(w, value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}
