package batch

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// PaidTwice is a reference for which the service has several transfers.
type PaidTwice struct {
	Reference   string
	TransferIDs []string
}

// shown is what the service has shown of a batch.
type shown struct {
	// transfers are those with a reference of the batch, also if another batch made one: the oldest first. Of one that only
	// the journal has, the identifier is known alone.
	transfers map[string][]made
	isWhole   bool   // all transfers of the batch that the service has are among them
	oldest    string // identifier of the batch's first transfer; empty: it has none yet
}

// add adds a transfer with a reference. They come newest first: one that comes again is older than those before it.
func (s *shown) add(reference string, m made) {
	others := slices.DeleteFunc(s.transfers[reference], func(known made) bool { return known.ID == m.ID })
	s.transfers[reference] = append([]made{m}, others...)
}

// PaidTwice returns the references of the batch for which the service showed several transfers that are not canceled.
func (s *shown) PaidTwice() (all []PaidTwice) {
	for _, reference := range slices.Sorted(maps.Keys(s.transfers)) {
		var ids []string
		for _, m := range s.transfers[reference] {
			if m.State != string(payments.TransferStateCanceled) {
				ids = append(ids, m.ID)
			}
		}
		if len(ids) > 1 {
			all = append(all, PaidTwice{reference, ids})
		}
	}
	return all
}

// readShown notes which transfers of the batch the service has, and references for which there are several. It reads the
// list of a batch, or of all if it is empty, newest first, as far as a transfer; empty: to its end. All is false if the
// service shows transfers without their batches, some of which may be of this one.
func (s *Sender) readShown(ctx context.Context, batchID, than string) (all bool, err error) {
	filter := payments.TransferFilter{BatchID: batchID, PageQuery: payments.PageQuery{Limit: payments.LargestPage}}
	var guard payments.PageGuard
	for all = true; ; {
		page, err := s.Outbox.ListTransfers(ctx, filter)
		if err != nil {
			return false, err
		}
		at := slices.IndexFunc(page.Data, func(t payments.Transfer) bool { return t.ID == than })
		if at >= 0 && than != "" {
			page.Data, page.NextCursor = page.Data[:at+1], nil
		}
		all = all && !slices.ContainsFunc(page.Data, func(t payments.Transfer) bool { return t.BatchID == "" })
		if err := s.note(ctx, page.Data); err != nil || page.NextCursor == nil {
			return all && err == nil, err
		}
		filter.Cursor = *page.NextCursor
		if err := guard.Step(len(page.Data), filter.Cursor); err != nil {
			return false, err
		}
	}
}

func unreadable(err error) error { return fmt.Errorf("the journal cannot be read: %w", err) }

// note notes the transfers of a page that have a reference of the batch.
func (s *Sender) note(ctx context.Context, page []payments.Transfer) error {
	page = slices.DeleteFunc(slices.Clone(page), func(t payments.Transfer) bool { return t.Reference == "" })
	all := make([]*outbox.Write, len(page))
	for i, t := range page {
		all[i] = outbox.NewAutoTransfer(outbox.RequestOf(t), payments.Idempotency{})
	}
	entries, err := s.Outbox.Lookup(ctx, all)
	if err != nil {
		return unreadable(err)
	}
	world := s.Outbox.World()
	for i, t := range page {
		entry, isOwn, known := entries[i], t.BatchID == s.BatchID, s.transfers[t.Reference]
		isDone := entry.Outcome == journal.OutcomeDone && entry.Result.World == world && (isOwn || entry.BatchID == s.BatchID)
		if isDone && !slices.ContainsFunc(known, func(m made) bool { return m.ID == entry.Subject }) {
			s.add(t.Reference, made{ID: entry.Subject})
		}
		if isOwn || isDone || len(known) > 0 { // a list may show other transfers as well
			s.add(t.Reference, made{
				ID: t.ID, State: string(t.State), BatchID: t.BatchID, Fees: t.Fees, CreatedAt: t.CreatedAt,
				fingerprint: all[i].Intent.Fingerprint,
			})
		}
		if isOwn {
			s.oldest = t.ID
		}
	}
	return nil
}
