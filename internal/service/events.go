package service

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

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

// appendAccountEvents adds the creation of an account, or the change of its identity check's status, to the log. Before
// is nil for a new account.
func (w *work) appendAccountEvents(before, account *store.Account) error {
	from := ""
	switch {
	case before == nil:
		if err := w.appendEvent(&store.Event{
			Type: payments.EventTypeAccountCreated, SubjectID: account.ID,
			Data: payments.EventData{ExternalID: account.ExternalID},
		}); err != nil {
			return err
		}
	case before.KYCStatus == account.KYCStatus:
		return nil
	default:
		from = string(before.KYCStatus)
	}
	data := payments.EventData{Attempt: account.KYC.Attempt, Reasons: account.KYC.Reasons, ExternalID: account.ExternalID}
	if account.KYC.RejectType != nil {
		data.RejectType = *account.KYC.RejectType
	}
	return w.appendEvent(&store.Event{
		Type: payments.EventTypeKYCStatusChanged, SubjectID: account.ID,
		From: from, To: string(account.KYCStatus), Data: data,
	})
}

// appendTransferEvent adds the creation of a transfer, or its change of state, to the log.
func (w *work) appendTransferEvent(t *store.Transfer, from payments.TransferState) error {
	event := &store.Event{
		Type: payments.EventTypeTransferStateChanged, SubjectID: t.ID, From: string(from), To: string(t.State),
		Data: payments.EventData{
			AccountID: t.AccountID, ExternalID: t.ExternalID, Reference: t.Reference, BatchID: t.BatchID, Route: t.Route,
			DestinationSavedContactID: t.DestinationSavedContactID, ExpectedSettlementAt: expectedSettlement(t),
			Source: &t.Source, Destination: &t.Destination, Refund: t.Refund, // never changed in place
		},
	}
	if from == "" {
		event.Type = payments.EventTypeTransferCreated
	}
	if t.FailureReason != nil {
		event.Data.FailureReason = *t.FailureReason
	}
	if t.ReturnCode != nil {
		event.Data.ReturnCode = *t.ReturnCode
	}
	return w.appendEvent(event)
}

// appendContactEvent adds the creation or deletion of a saved contact to the log.
func (w *work) appendContactEvent(kind payments.EventType, contact *store.Contact) error {
	return w.appendEvent(&store.Event{
		Type: kind, SubjectID: contact.ID,
		Data: payments.EventData{AccountID: contact.AccountID, ExternalID: contact.ExternalID, Label: contact.Label},
	})
}

// A cursor of the event feed is the identifier of the last event before it. It has the short name of the world's
// instance and the event's number in the log. Both are in base 32 (RFC 4648 section 7, in lower case), so identifiers
// sort like events.
const (
	placeLength = 10
	placeBits   = 5 * placeLength
)

func eventID(instance string, seq uint64) string {
	digits := strconv.FormatUint(seq, 32)
	return prefixEvent + instance + strings.Repeat("0", max(placeLength-len(digits), 0)) + digits
}

// parseEventID is the inverse of eventID.
func parseEventID(text string) (instance string, seq uint64, ok bool) {
	rest, ok := strings.CutPrefix(text, prefixEvent)
	if !ok || len(rest) != instanceNameLength+placeLength {
		return "", 0, false
	}
	instance = rest[:instanceNameLength]
	seq, err := strconv.ParseUint(rest[instanceNameLength:], 32, placeBits)
	return instance, seq, err == nil && eventID(instance, seq) == text
}

// position returns the number of the last event before a page.
func (l eventLog) position(cursor string) (uint64, error) {
	switch cursor {
	case "":
		return l.Pruned, nil
	case payments.LatestEvent:
		return l.Last, nil
	}
	instance, seq, ok := parseEventID(cursor)
	switch {
	case !ok:
		return 0, invalidQuery("after", fmt.Sprintf(
			"must be the cursor of an earlier answer, the id of an event, or %s", payments.LatestEvent))
	case instance != l.instance || seq > l.Last:
		return 0, payments.NewProblem(payments.ProblemGone,
			"The cursor %s is of another instance of this world, which was reset or whose memory is gone.", cursor)
	case seq < l.Pruned:
		return 0, payments.NewProblem(payments.ProblemGone, "The cursor %s is older than the events that are kept.", cursor)
	}
	return seq, nil
}

// invalidQuery returns the problem of a query parameter.
func invalidQuery(field, message string) error {
	problem := payments.NewValidationProblem(payments.FieldErrors{field: {"The " + field + " field " + message + "."}})
	problem.Detail = "The request's query failed validation."
	return problem
}
