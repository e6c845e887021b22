package store

import (
	"encoding/base64"

	"github.com/payctl/payctl/internal/payments"
)

// An Answer is what a request was answered. Most are never asked for again, so that the text of one that shows a transfer is
// made when it is.
type Answer struct {
	text []byte
	of   Shown // nil: there is the text
}

// Shown is a transfer as its client has seen it, or would have, at a moment.
type Shown interface{ Show() payments.Transfer }

// AnswerOf is the answer that shows a transfer.
func AnswerOf(transfer Shown) Answer { return Answer{of: transfer} }

// AnswerText is the answer with a text in JSON.
func AnswerText(text []byte) Answer { return Answer{text: text} }

// Text is the answer in JSON.
func (a Answer) Text() []byte {
	if a.of == nil {
		return a.text
	}
	return a.of.Show().AppendJSON(nil)
}

// MarshalText implements encoding.TextMarshaler, in base64, which no layout of the JSON around it changes.
func (a Answer) MarshalText() ([]byte, error) {
	return base64.StdEncoding.AppendEncode(nil, a.Text()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Answer) UnmarshalText(encoded []byte) error {
	text, err := base64.StdEncoding.AppendDecode(nil, encoded)
	*a = AnswerText(text)
	return err
}
