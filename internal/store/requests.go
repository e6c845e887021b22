package store

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A RequestBatch is entries of a world's request log that were stored together.
type RequestBatch struct {
	// Requests are the entries in the order of their numbers, which are consecutive; there is at least one.
	Requests []payments.SandboxRequest
	At       time.Time // when the batch was stored, by the world's clock
}

// RequestBatchID is the identifier of the batch whose last entry has a number. Identifiers sort as the numbers do.
func RequestBatchID(last int) string { return fmt.Sprintf("%019d", last) }

// Last is the number of the batch's last entry.
func (b *RequestBatch) Last() int { return b.Requests[len(b.Requests)-1].Number }

// DocumentID implements Document.
func (b *RequestBatch) DocumentID() string { return RequestBatchID(b.Last()) }

// Indexed implements Document.
func (*RequestBatch) Indexed(string) string { return "" }
