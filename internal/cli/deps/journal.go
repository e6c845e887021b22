package deps

import (
	"context"
	"time"

	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
)

// A Journal is the journal of writes to one service by one client.
type Journal interface {
	payments.Journal
	// Lookup finds the entry of a write.
	Lookup(ctx context.Context, intent payments.Intent) (entry payments.JournalEntry, found bool, err error)
	// Prepare puts down writes ahead of sending them, in one go.
	Prepare(ctx context.Context, intents []payments.Intent) error
	// Record puts down what was found out about writes.
	Record(ctx context.Context, entries []payments.JournalEntry) error
	// Each calls a function for every entry, in the order in which they were put down, until it fails.
	Each(ctx context.Context, f journal.Filter, each func(payments.JournalEntry) error) error
	// OpenElsewhere counts the writes whose outcome is open to other services, and by other clients, by the service.
	OpenElsewhere(ctx context.Context) (map[string]int, error)
	// Compact drops entries of writes that did not happen, last changed before a moment.
	Compact(ctx context.Context, before time.Time) (dropped int64, err error)
}
