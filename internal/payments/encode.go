package payments

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Encode returns a value's JSON as it is sent, always in the same order. Text that is not UTF-8 is replaced. Duplicate
// names are not looked for, because no value has them.
func Encode(value any) ([]byte, error) {
	return json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}
