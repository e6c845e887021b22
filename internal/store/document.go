package store

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Document is a record that writes its own JSON, since it is written often. The JSON library reads it back; what it would read
// if a member were not there may be left out.
type Document interface {
	AppendJSON(b []byte) ([]byte, error)
}

var (
	_ Document = (*Transfer)(nil)
	_ Document = (*Key)(nil)
)

// AppendJSON implements Document.
func (t *Transfer) AppendJSON(b []byte) ([]byte, error) {
	b = t.Whole().AppendJSON(b)
	b = append(b[:len(b)-len("}")], `,"Revision":`...)
	b = strconv.AppendInt(b, int64(t.Revision), 10)
	if t.Polled != 0 {
		b = strconv.AppendInt(append(b, `,"Polled":`...), int64(t.Polled), 10)
	}
	if t.Deposit != nil {
		amount, err := t.Deposit.MarshalText()
		if err != nil {
			return nil, err
		}
		b = append(append(append(b, `,"Deposit":"`...), amount...), '"')
	}
	if len(t.Plan) == 0 {
		return append(b, '}'), nil
	}
	b = append(b, `,"Plan":`...)
	for i, step := range t.Plan {
		b = step.appendJSON(append(b, "[,"[min(i, 1)]))
	}
	return append(b, "]}"...), nil
}

func (s TransferStep) appendJSON(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"After":`...), int64(s.After), 10)
	b = appendText(append(b, `,"State":`...), string(s.State))
	if s.Reason != "" {
		b = appendText(append(b, `,"Reason":`...), s.Reason)
	}
	if s.Polls != 0 {
		b = strconv.AppendInt(append(b, `,"Polls":`...), int64(s.Polls), 10)
	}
	if s.ByDeposit {
		b = append(b, `,"ByDeposit":true`...)
	}
	return append(b, '}')
}

// AppendJSON implements Document.
func (k *Key) AppendJSON(b []byte) ([]byte, error) {
	fingerprint, err := k.Fingerprint.MarshalText()
	if err != nil {
		return nil, err
	}
	answer, err := k.Answer.Text()
	if err != nil {
		return nil, err
	}
	b = appendText(append(b, `{"ID":`...), k.ID)
	b = appendText(append(b, `,"Fingerprint":`...), string(fingerprint))
	b = base64.StdEncoding.AppendEncode(append(b, `,"Answer":"`...), answer)
	b = k.At.AppendFormat(append(b, `","At":"`...), time.RFC3339Nano)
	return append(b, `"}`...), nil
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // what is not UTF-8 is replaced
	return b
}
