// Package moment reads moments as RFC 3339 writes them.
package moment

import (
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Parse reads a moment. It takes what the JSON decoder takes, so that whatever is found good can be decoded. time.Parse takes
// more than RFC 3339 has, such as an hour of one digit.
func Parse(text string) (at time.Time, ok bool) {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err == nil {
		err = json.Unmarshal(quoted, &at)
	}
	if err != nil {
		return time.Time{}, false
	}
	return at, true
}
