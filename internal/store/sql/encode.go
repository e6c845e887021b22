package sql

import (
	"encoding/base64"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/store"
)

// encodeBuffers hold documents while they are encoded, as *[]byte.
var encodeBuffers = sync.Pool{New: func() any { return new([]byte) }}

// encode returns the document of a record or an event. What every transfer writes several times is encoded without
// reflection, in a fifth of the library's time. The text is what the library writes with the options in encoding.
func encode(value any) (string, error) {
	buffer := encodeBuffers.Get().(*[]byte)
	defer encodeBuffers.Put(buffer)
	b := (*buffer)[:0]
	switch value := value.(type) {
	case *store.Event:
		b = appendEvent(b, value)
	case *store.Key:
		b = appendKey(b, value)
	case *store.Transfer:
		b = appendTransfer(b, value)
	}
	if len(b) == 0 {
		text, err := json.Marshal(value, encoding)
		return string(text), err
	}
	*buffer = b
	return string(b), nil
}

// appendEvent appends an eventDocument.
func appendEvent(b []byte, event *store.Event) []byte {
	b = appendTime(append(b, `{"At":`...), event.At)
	if event.From != "" {
		b = appendText(append(b, `,"From":`...), event.From)
	}
	if event.To != "" {
		b = appendText(append(b, `,"To":`...), event.To)
	}
	return append(event.Data.AppendJSON(append(b, `,"Data":`...)), '}')
}

func appendKey(b []byte, key *store.Key) []byte {
	b = appendText(append(b, `{"ID":`...), key.ID)
	b = appendText(append(b, `,"Fingerprint":`...), string(key.Fingerprint.Hash()))
	if key.Response == nil {
		b = append(b, `,"Answer":null`...)
	} else {
		b = append(base64.StdEncoding.AppendEncode(append(b, `,"Answer":"`...), key.Response), '"')
	}
	if key.Existing {
		b = append(b, `,"Existing":true`...)
	}
	return append(appendTime(append(b, `,"At":`...), key.At), '}')
}

// appendTransfer appends nothing for a transfer with a list that is nil, which its own encoder does not tell from an
// empty one.
func appendTransfer(b []byte, transfer *store.Transfer) []byte {
	if transfer.Transfer == nil || transfer.Fees == nil || transfer.OnchainTransactions == nil {
		return b
	}
	b = transfer.Whole().AppendJSON(b)
	b = strconv.AppendInt(append(b[:len(b)-1], `,"Revision":`...), int64(transfer.Revision), 10)
	b = append(b, `,"Plan":`...)
	if transfer.Plan == nil {
		b = append(b, "null"...)
	} else {
		b = append(b, '[')
		for i, step := range transfer.Plan {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(append(b, `{"After":`...), int64(step.After), 10)
			b = appendText(append(b, `,"State":`...), string(step.State))
			b = appendText(append(b, `,"Reason":`...), step.Reason)
			b = strconv.AppendInt(append(b, `,"Polls":`...), int64(step.Polls), 10)
			b = append(strconv.AppendBool(append(b, `,"ByDeposit":`...), step.ByDeposit), '}')
		}
		b = append(b, ']')
	}
	b = strconv.AppendInt(append(b, `,"Polled":`...), int64(transfer.Polled), 10)
	if transfer.Deposit == nil {
		return append(b, `,"Deposit":null}`...)
	}
	b, _ = transfer.Deposit.AppendText(append(b, `,"Deposit":"`...)) // never fails
	return append(b, `"}`...)
}

func appendText(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // replaces invalid UTF-8, as encoding does
	return b
}

func appendTime(b []byte, at time.Time) []byte {
	return append(at.AppendFormat(append(b, '"'), time.RFC3339Nano), '"')
}
