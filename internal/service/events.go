package service

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// KeptEvents is how many of a world's latest events are kept at least. They are not removed by age: after a jump of the
// world's clock, clients must still read the events.
const KeptEvents = 100_000

// pruneEvery is how many events are appended between two removals of old ones.
const pruneEvery = 1000

// appendEvent adds an event to the log, in the transaction of the change.
func (w *work) appendEvent(event *store.Event) error {
	event.At = w.now
	seq, err := w.Events().Append(event)
	if err != nil {
		return err
	}
	if seq > KeptEvents && seq%pruneEvery == 0 {
		return w.Events().Prune(seq - KeptEvents)
	}
	return nil
}

// ListEvents implements payments.Events.
func (s *Service) ListEvents(ctx context.Context, filter payments.EventFilter) (page payments.EventPage, err error) {
	err = s.waitForChange(ctx, filter.Wait, func() (unchanged bool, err error) {
		page, err = view(ctx, s, func(w *work) (payments.EventPage, error) {
			log, err := s.openLog(w)
			if err != nil {
				return payments.EventPage{}, err
			}
			return log.page(filter)
		})
		if err != nil {
			return false, err
		}
		filter.After = page.Cursor // events that the filter skips are not read again
		return len(page.Data) == 0, nil
	})
	return page, err
}

// An eventLog is the log of one instance of a world.
type eventLog struct {
	store.EventLog
	store.EventExtent
	instance string // its short name
}

func (s *Service) openLog(w *work) (eventLog, error) {
	extent, err := w.Events().Extent()
	return eventLog{w.Events(), extent, s.instanceName(w)}, err
}

func (l eventLog) page(filter payments.EventFilter) (payments.EventPage, error) {
	after, err := l.position(filter.After)
	if err != nil {
		return payments.EventPage{}, err
	}
	limit := cmp.Or(filter.Limit, payments.DefaultPage)
	events, err := l.After(store.EventQuery{
		After: after, Types: filter.Types, Subject: filter.SubjectID, Limit: limit,
	})
	if err != nil {
		return payments.EventPage{}, err
	}
	end := l.Last // the filter selects no more
	if len(events) == limit {
		end = events[limit-1].Seq
	}
	return payments.EventPage{
		Data: convert(events, func(e *store.Event) payments.Event {
			return payments.Event{
				ID: eventID(l.instance, e.Seq), Type: e.Type, OccurredAt: e.At, SubjectID: e.SubjectID,
				From: orNull(e.From), To: orNull(e.To), Data: e.Data,
			}
		}),
		Cursor: eventID(l.instance, end),
	}, nil
}

// orNull returns nil for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
