package sqlite

import (
	"encoding/base64"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/store"
)

// A document is a record or an event as its table has it, in JSON. Those that are written most often, and cannot fail, are not
// written before they are asked for: whoever made them does it when others have their turn at the writer.
type document struct {
	once   sync.Once
	append func(b []byte) []byte // nil: there is the text
	made   string
}

// text is the document.
func (d *document) text() string {
	d.once.Do(func() {
		if d.append == nil {
			return
		}
		room := rooms.Get().(*[]byte)
		*room = d.append((*room)[:0])
		d.made, d.append = string(*room), nil
		rooms.Put(room)
	})
	return d.made
}

// rooms are where documents are written before it is known how long they are.
var rooms = sync.Pool{New: func() any { return new(make([]byte, 0, 2048)) }}

// documentOf is the document of a record. The JSON library would write all of them, and reads all of them back; some are written
// here, in less time. What the library would read if a member were not there may be left out.
func documentOf(record any, form json.Options) (*document, error) {
	switch record := record.(type) {
	case *store.Transfer:
		return &document{append: func(b []byte) []byte { return appendTransfer(b, record) }}, nil
	case *store.Key:
		return &document{append: func(b []byte) []byte { return appendKey(b, record) }}, nil
	}
	text, err := json.Marshal(record, form)
	return &document{made: string(text)}, err
}

func appendTransfer(b []byte, t *store.Transfer) []byte {
	b = t.Whole().AppendJSON(b)
	b = append(b[:len(b)-len("}")], `,"Revision":`...)
	b = strconv.AppendInt(b, int64(t.Revision), 10)
	if t.Polled != 0 {
		b = strconv.AppendInt(append(b, `,"Polled":`...), int64(t.Polled), 10)
	}
	if t.Deposit != nil {
		b = appendText(append(b, `,"Deposit":`...), t.Deposit.String())
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
	return append(b, '}')
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

func appendKey(b []byte, k *store.Key) []byte {
	b = appendText(append(b, `{"ID":`...), k.ID)
	b = appendText(append(b, `,"Fingerprint":`...), string(k.Fingerprint.Hash()))
	b = base64.StdEncoding.AppendEncode(append(b, `,"Answer":"`...), k.Answer.Text())
	b = appendTime(append(b, `","At":`...), k.At)
	return append(b, '}')
}

func appendEvent(b []byte, e *store.Event) []byte {
	b = strconv.AppendUint(append(b, `{"Seq":`...), e.Seq, 10)
	b = appendText(append(b, `,"Type":`...), string(e.Type))
	b = appendTime(append(b, `,"At":`...), e.At)
	b = appendText(append(b, `,"SubjectID":`...), e.SubjectID)
	if e.From != "" {
		b = appendText(append(b, `,"From":`...), e.From)
	}
	if e.To != "" {
		b = appendText(append(b, `,"To":`...), e.To)
	}
	b = e.Of.EventData().AppendJSON(append(b, `,"Data":`...))
	return append(b, '}')
}

func appendTime(b []byte, at time.Time) []byte {
	return append(at.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // what is not UTF-8 is replaced
	return b
}
