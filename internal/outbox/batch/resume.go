package batch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
)

// PaidTwice is a reference with several transfers.
type PaidTwice struct {
	Reference   string
	TransferIDs []string
}

// shown is what the service has shown of a batch.
type shown struct {
	// transfers are those with a reference of the batch, of any batch. The oldest is first if lists begin with the
	// newest. A transfer that only the journal has is known by its id alone.
	transfers map[string][]madeResource
	isRow     map[string]bool     // the references of the rows
	accepted  map[string][]string // ids that a person has accepted, by reference
	isWhole   bool                // transfers has all transfers of the batch
	listed    map[string]bool     // ids of all transfers of the last list, in lower case
}

// add adds a transfer with a reference. They come newest first. One that comes again is older than those before it.
func (s *shown) add(reference string, m madeResource) {
	others := slices.DeleteFunc(s.transfers[reference], func(known madeResource) bool { return known.ID == m.ID })
	s.transfers[reference] = append([]madeResource{m}, others...)
}

// paidTwice returns the references of the batch with several transfers that have not failed.
func (s *Sender) paidTwice(ctx context.Context) (all []PaidTwice, err error) {
	for _, reference := range slices.Sorted(maps.Keys(s.transfers)) {
		var effects []outbox.Effect
		for _, m := range s.transfers[reference] {
			effects = append(effects, outbox.Effect{ID: m.ID, State: m.State})
		}
		if len(effects) < 2 {
			continue
		}
		ids, failure := s.Outbox.Distinct(ctx, &contract.GetTransfer, effects, s.accepted[reference])
		if len(ids) > 1 {
			all = append(all, PaidTwice{reference, ids})
		}
		if failure != nil {
			err = failure
		}
	}
	return all, err
}

// readShown notes the transfers of the batch in a list. It reads the list to its end, or until a time if the list
// begins with the newest. All is false if the list may have others: transfers without their batches, or rows that
// cannot be read.
func (s *Sender) readShown(ctx context.Context, filter payments.TransferFilter, until time.Time) (all bool, err error) {
	filter.Limit, s.listed = payments.LargestPage, map[string]bool{}
	var guard payments.PageGuard
	last, isSorted := time.Time{}, !until.IsZero()
	for all = true; ; {
		page, err := s.Outbox.ListTransfers(ctx, filter)
		if err != nil {
			return false, err
		}
		s.Outbox.NoteList()
		var ids []string
		for _, t := range page.Data {
			ids = append(ids, t.ID)
			s.listed[strings.ToLower(t.ID)] = t.Reference != ""
			all = all && t.BatchID != ""
			begins := last.IsZero() && !t.CreatedAt.Before(until) // with the newest transfers
			isSorted = isSorted && !t.CreatedAt.IsZero() && (begins || !last.IsZero() && !t.CreatedAt.After(last))
			last = t.CreatedAt
		}
		if err := s.note(ctx, page.Data); err != nil || page.NextCursor == nil {
			return all && err == nil && page.End != payments.ListIsCut, err
		}
		if isSorted && last.Before(until) {
			return all, nil
		}
		filter.Cursor = *page.NextCursor
		if err := guard.Step(filter.Cursor, ids); err != nil {
			return false, err
		}
	}
}

// checkMargin is how much older than the batch another machine's transfer may be, if lists showed it late.
const checkMargin = time.Hour

// checkMadeOnce reads the transfers since the batch began once more. Another machine may have sent a row at the same
// moment, or a service may have broken its promise.
func (s *Sender) checkMadeOnce(ctx context.Context, rows []*Row) error {
	if s.Outbox.ListLag == outbox.ListsAreUseless {
		s.Outbox.NoteUnseen()
		return nil
	}
	err := s.Outbox.Sleep(ctx, s.Outbox.ListLag)
	if err == nil {
		err = s.Outbox.Journal.Record(ctx, nil) // this waits until the journal has what this run has sent
	}
	if err != nil {
		return err
	}
	filter := payments.TransferFilter{PageQuery: payments.PageQuery{CreatedAfter: s.Outbox.Now().Add(-2 * checkMargin)}}
	for _, row := range rows {
		if at, err := time.Parse(time.RFC3339, row.CreatedAt); err == nil &&
			at.Add(-checkMargin).Before(filter.CreatedAfter) {
			filter.CreatedAfter = at.Add(-checkMargin)
		}
	}
	err = s.Outbox.RetryList(ctx, func() error {
		_, err := s.readShown(ctx, filter, filter.CreatedAfter)
		return err
	})
	if outbox.IsNoList(err) && s.Outbox.HasList() {
		err = s.readEach(ctx, rows)
	}
	isUnseen := func(row *Row) bool { return row.Exists() && !s.listed[strings.ToLower(row.ID)] }
	if outbox.IsNoList(err) && !s.Outbox.HasList() || err == nil && slices.ContainsFunc(rows, isUnseen) {
		s.Outbox.NoteUnseen()
		return nil
	}
	return err
}

// readEach notes the transfers of each row, at a service that finds one by its reference and lists none.
func (s *Sender) readEach(ctx context.Context, rows []*Row) error {
	seen := map[string]bool{}
	for _, row := range rows {
		if !row.Exists() {
			continue
		}
		filter := payments.TransferFilter{Reference: row.newWrite().Pending.Reference}
		err := s.Outbox.RetryList(ctx, func() error {
			_, err := s.readShown(ctx, filter, time.Time{})
			return err
		})
		if err != nil {
			return err
		}
		maps.Copy(seen, s.listed)
	}
	s.listed = seen
	return nil
}

func unreadable(err error) error { return fmt.Errorf("the journal cannot be read: %w", err) }

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
		entry, isOwn, known := entries[i], t.BatchID == s.BatchID || s.isRow[t.Reference], s.transfers[t.Reference]
		isDone := entry.Outcome == effect.Done && entry.Ending.World == world && (isOwn || entry.BatchID == s.BatchID)
		if isDone && entry.Subject != "" && !slices.ContainsFunc(known,
			func(m madeResource) bool { return m.ID == entry.Subject }) {
			s.add(t.Reference, madeResource{ID: entry.Subject})
		}
		if isOwn || isDone || len(known) > 0 { // a list may show other transfers as well
			s.accepted[t.Reference] = entry.Accepted
			s.add(t.Reference, madeResource{
				ID: t.ID, State: string(t.State), BatchID: t.BatchID, Fees: t.Fees, CreatedAt: t.CreatedAt,
				fingerprint: all[i].Pending.Fingerprint,
			})
		}
	}
	return nil
}
