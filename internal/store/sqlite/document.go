package sqlite

import (
	"encoding/base64"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/store"
)

// usual is for how many bytes of a document there is room at once.
const usual = 2048

// document is a record as its table has it. The JSON library would write all of them, and reads all of them back; those that are
// written most often are written here, in less time. What the library would read if a member were not there may be left out.
func document(record any, form json.Options) ([]byte, error) {
	switch record := record.(type) {
	case *store.Transfer:
		return transferDocument(record)
	case *store.Key:
		return keyDocument(record)
	}
	return json.Marshal(record, form)
}

func transferDocument(t *store.Transfer) ([]byte, error) {
	b := t.Whole().AppendJSON(make([]byte, 0, usual))
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
		b = appendText(append(b, `,"Deposit":`...), string(amount))
	}
	if len(t.Plan) > 0 {
		b = append(b, `,"Plan":[`...)
		for i, step := range t.Plan {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendStep(b, step)
		}
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

func appendStep(b []byte, s store.TransferStep) []byte {
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

func keyDocument(k *store.Key) ([]byte, error) {
	fingerprint, err := k.Fingerprint.MarshalText()
	if err != nil {
		return nil, err
	}
	answer, err := k.Answer.Text()
	if err != nil {
		return nil, err
	}
	b := appendText(append(make([]byte, 0, usual), `{"ID":`...), k.ID)
	b = appendText(append(b, `,"Fingerprint":`...), string(fingerprint))
	b = base64.StdEncoding.AppendEncode(append(b, `,"Answer":"`...), answer)
	b = k.At.AppendFormat(append(b, `","At":"`...), time.RFC3339Nano)
	return append(b, `"}`...), nil
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // what is not UTF-8 is replaced
	return b
}
