package payments

import (
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// form is how the service writes JSON. No value has the same name twice, so that nothing need be remembered to find out.
func form() json.Options {
	return json.JoinOptions(json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

// Encode writes a value as it goes over the wire.
func Encode(value any) ([]byte, error) { return json.Marshal(value, form()) }

// EncodeTo is Encode to a writer.
func EncodeTo(w io.Writer, value any) error { return json.MarshalWrite(w, value, form()) }
