package batch

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/payments"
)

// recover puts down in the journal which transfers of the batch the service has, so that a lost journal, or another
// machine's, pays no row twice. It is done at every start: a journal that knows of some rows need not know of all.
func (s *Sender) recover(ctx context.Context) error {
	filter := payments.TransferFilter{BatchID: s.BatchID, PageQuery: payments.PageQuery{Limit: payments.LargestPage}}
	var walk payments.Walk
	for {
		var page payments.TransferPage
		err := s.ask(ctx, func(ctx context.Context) (err error) {
			page, err = s.Service.ListTransfers(ctx, filter)
			return err
		})
		if err != nil {
			return err
		}
		var entries []payments.JournalEntry
		for _, t := range page.Data { // newest first: of two with one reference the older one is put down last, and counts
			if t.Reference == "" || t.BatchID != s.BatchID {
				continue // a service that does not filter by batch tells nothing by its list
			}
			ready, err := s.Prepare(Asked(t), s.Key(t.Reference))
			if err != nil {
				return err
			}
			intent := ready.Intent
			s.known = true
			entry, found, err := s.Journal.Lookup(ctx, intent)
			if err != nil {
				return fmt.Errorf("the journal cannot be read: %w", err)
			}
			if found && entry.Outcome == payments.OutcomeDone && entry.Subject == t.ID && entry.Result.World == intent.World {
				continue // it need not be put down again
			}
			entries = append(entries, payments.JournalEntry{Intent: intent, Result: payments.Result{
				Outcome: payments.OutcomeDone, Subject: t.ID, State: string(t.State), World: intent.World,
			}})
		}
		if len(entries) > 0 {
			if err := s.Journal.Record(ctx, entries); err != nil {
				return err
			}
		}
		if page.NextCursor == nil {
			return nil
		}
		filter.Cursor = *page.NextCursor
		if err := walk.Step(len(page.Data), filter.Cursor); err != nil {
			return err
		}
	}
}

// done says whether the journal tells that a row was done, with the same content and in the world that is there now.
func (j *job) done(entry payments.JournalEntry) bool {
	sameWorld := entry.Result.World == "" || j.ready.Intent.World == "" || entry.Result.World == j.ready.Intent.World
	return entry.Outcome == payments.OutcomeDone && entry.BodyHash == j.ready.Intent.BodyHash && sameWorld && entry.Subject != ""
}
