package service

import (
	"context"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// KeptEvents is how many of a world's latest events are kept at the least. Their age does not count: a world's clock can
// jump, and what happened in the jump has still to be read.
const KeptEvents = 100_000

// pruneEvery is how many events come between two times that old ones are forgotten.
const pruneEvery = 1000

// feed is the subject on which those wait who wait for any event. No identifier is empty.
const feed = ""

// happened adds an event to the log, in the transaction of what it tells of.
func (w *work) happened(event *store.Event) error {
	event.At = w.now
	seq, err := w.Events().Append(event)
	if err != nil {
		return err
	}
	if !w.told {
		w.told = true
		w.changed = append(w.changed, feed)
	}
	if seq > KeptEvents && seq%pruneEvery == 0 {
		return w.Events().Prune(seq - KeptEvents)
	}
	return nil
}

// ListEvents implements payments.Events.
func (s *Service) ListEvents(ctx context.Context, filter payments.EventFilter) (page payments.EventPage, err error) {
	err = s.hold(ctx, feed, filter.Wait, func() (bool, error) {
		var err error
		if page, err = s.eventsAfter(ctx, filter); err != nil {
			return false, err
		}
		filter.After = page.Cursor // what was passed over is not looked through again
		return len(page.Data) == 0, nil
	})
	return page, err
}

// eventsAfter reads a page of the feed as it now is.
func (s *Service) eventsAfter(ctx context.Context, filter payments.EventFilter) (page payments.EventPage, err error) {
	err = s.view(ctx, func(w *work) error {
		log, err := s.openLog(w)
		if err != nil {
			return err
		}
		page, err = log.page(filter)
		return err
	})
	return page, err
}

// A feedLog is the log of a world in one of its lives.
type feedLog struct {
	store.EventLog
	store.EventExtent
	name string
}

func (s *Service) openLog(w *work) (feedLog, error) {
	extent, err := w.Events().Extent()
	return feedLog{w.Events(), extent, s.presentLife(w)}, err
}

func (l feedLog) page(filter payments.EventFilter) (payments.EventPage, error) {
	after, err := l.place(filter.After)
	if err != nil {
		return payments.EventPage{}, err
	}
	limit := filter.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	events, err := l.After(store.EventQuery{After: after, Types: filter.Types, Limit: limit})
	if err != nil {
		return payments.EventPage{}, err
	}
	end := l.Last // there are no more of these types
	if len(events) == limit {
		end = events[limit-1].Seq
	}
	return payments.EventPage{
		Data: convert(events, func(e *store.Event) payments.Event {
			return payments.Event{
				ID: cursor(l.name, e.Seq), Type: e.Type, OccurredAt: e.At, SubjectID: e.SubjectID, From: orNull(e.From), To: orNull(e.To), Data: e.Of.EventData(),
			}
		}),
		Cursor: cursor(l.name, end),
	}, nil
}

// orNull is nil for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
