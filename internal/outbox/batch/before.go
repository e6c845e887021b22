package batch

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// lookedUpTogether is how many rows are looked up in the journal at once.
const lookedUpTogether = 512

var errFound = errors.New("found")

// FindPaidBefore counts the rows of a plan's file that were paid before according to the journal: with the same content,
// by this batch or by another one.
func FindPaidBefore(ctx context.Context, source *Source, o *outbox.Outbox, batchID string) ([]PaidBefore, error) {
	err := o.Entries(ctx, journal.Filter{}, func(entry journal.Entry) error {
		if entry.Operation == outbox.CreateAutoTransferOperation && entry.Outcome == journal.OutcomeDone {
			return errFound
		}
		return nil
	})
	if !errors.Is(err, errFound) { // the journal has no payment: the file need not be read once more
		return nil, err
	}
	file, err := source.open()
	if err != nil {
		return nil, err
	}
	var all []PaidBefore
	for end := error(nil); end == nil; {
		var together []Row
		var writes []*outbox.Write
		for len(writes) < lookedUpTogether && end == nil {
			var row Row
			if row, end = file.next(); end != nil {
				break
			}
			together = append(together, row)
			writes = append(writes, &outbox.Write{Intent: journal.Intent{ // its content is compared only if it is there
				Operation: outbox.CreateAutoTransferOperation, Reference: row.Reference,
				Key: journal.ReferenceKey(outbox.CreateAutoTransferOperation, row.Reference),
			}})
		}
		if end != nil && !errors.Is(end, io.EOF) {
			return nil, end
		}
		entries, err := o.Lookup(ctx, writes)
		if err != nil {
			return nil, unreadable(err)
		}
		for i := range entries {
			if entries[i].Outcome != journal.OutcomeDone {
				continue
			}
			request, err := together[i].request(batchID)
			if err != nil {
				return nil, err
			}
			if outbox.NewAutoTransfer(request, payments.Idempotency{}).Intent.Fingerprint == entries[i].Fingerprint {
				all = addPaidBefore(all, &entries[i])
			}
		}
	}
	slices.SortFunc(all, func(a, b PaidBefore) int { return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.BatchID, b.BatchID)) })
	return all, nil
}

func addPaidBefore(all []PaidBefore, entry *journal.Entry) []PaidBefore {
	day := entry.Began.Format(time.DateOnly)
	for i := range all {
		if all[i].BatchID == entry.BatchID && all[i].File == entry.File {
			all[i].Rows++
			all[i].Day = min(all[i].Day, day)
			return all
		}
	}
	return append(all, PaidBefore{BatchID: entry.BatchID, File: entry.File, Day: day, Rows: 1})
}
