package store

import (
	"crypto/rand"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A RequestBatch is entries of a world's request log that were stored together.
type RequestBatch struct {
	// Requests are the entries in the order of their numbers; there is at least one.
	Requests []payments.SandboxRequest
	At       time.Time // when the batch was stored, by the world's clock
	// Unnumbered is nil if the entries have numbers. Then they are consecutive.
	Unnumbered *UnnumberedRequests `json:",omitzero"`
}

// UnnumberedRequests are the entries of one of several servers. They get numbers when those of the other servers are
// stored too, in the order of their ends.
type UnnumberedRequests struct {
	ID string // see NewUnnumberedID
	// Waiting reports that the server has entries that it has not stored yet, and the batch is empty.
	Waiting bool `json:",omitzero"`
	// Wanted asks the server to store them at once.
	Wanted  bool        `json:",omitzero"`
	Ended   []time.Time // when each request ended, by the clock that all servers have
	Dropped int         `json:",omitzero"` // how many earlier entries are not kept
}

// RequestBatchID is the identifier of the batch whose last entry has a number. Identifiers sort as the numbers do.
func RequestBatchID(last int) string { return fmt.Sprintf("%019d", last) }

// UnnumberedBatches is less than the identifier of every batch whose entries have no numbers, and greater than that of
// all others.
const UnnumberedBatches = "~"

// UnnumberedBefore is greater than the identifiers of those batches that were begun before a time.
func UnnumberedBefore(at time.Time) string {
	return fmt.Sprintf("%s%019d", UnnumberedBatches, at.UnixMicro())
}

// NewUnnumberedID returns an identifier for a batch that is begun now and whose entries have no numbers yet.
func NewUnnumberedID(now time.Time) string { return UnnumberedBefore(now) + "-" + rand.Text() }

// Last is the number of the batch's last entry.
func (b *RequestBatch) Last() int { return b.Requests[len(b.Requests)-1].Number }

// RecordID implements Record.
func (b *RequestBatch) RecordID() string {
	if b.Unnumbered != nil {
		return b.Unnumbered.ID
	}
	return RequestBatchID(b.Last())
}

// Indexed implements Record.
func (*RequestBatch) Indexed(string) string { return "" }
