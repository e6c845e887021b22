package follow

import (
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
)

// mostTimelineEvents is more than a person reads of one account or transfer.
const mostTimelineEvents = 200

// Timeline returns the events about an account, a saved contact or a transfer, oldest first, and the newest 200 if
// there are more. complete reports whether these are all of them since it was created. It is false if older events were
// dropped or may not fit into so many requests, of which nearly every subject needs one. It is also false, without an
// error, if the service does not filter by subject or has no event feed. No further page is read then, since the
// service might send its whole feed.
func Timeline(
	ctx context.Context, service payments.Events, subjectID string, requests int,
) (events []payments.Event, complete bool, err error) {
	if subjectID == "" {
		return nil, false, nil // it would select the events about every subject
	}
	filter := payments.EventFilter{SubjectID: subjectID, Limit: payments.LargestPage}
	seen := map[string]bool{} // a cursor may lead back
	for range requests {
		page, err := service.ListEvents(ctx, filter)
		if err != nil && ctx.Err() == nil && HasNoFeed(err) {
			return newest(events), false, nil
		}
		if err != nil {
			return nil, false, err
		}
		filters := true
		for _, event := range page.Data {
			if !filter.Matches(event) {
				filters = false
			} else if !seen[event.ID] {
				seen[event.ID] = true
				events = append(events, event)
			}
		}
		switch {
		case !filters:
			return newest(events), false, nil
		case len(page.Data) > 0 && len(page.Data) < filter.Limit, page.Cursor == filter.After:
			complete = len(events) > 0 && len(events) <= mostTimelineEvents && isFirst(events[0])
			return newest(events), complete, nil
		}
		filter.After = page.Cursor
	}
	return newest(events), false, nil
}

func newest(events []payments.Event) []payments.Event {
	return events[max(len(events)-mostTimelineEvents, 0):]
}

// isFirst reports whether an event is the first one of its subject that the caller may read. A token that may read
// identity checks alone does not see that an account was created, but its first status.
func isFirst(e payments.Event) bool {
	created := []payments.EventType{
		payments.EventTypeAccountCreated, payments.EventTypeContactCreated, payments.EventTypeTransferCreated,
	}
	return slices.Contains(created, e.Type) || e.Type == payments.EventTypeKYCStatusChanged && e.From == nil
}
