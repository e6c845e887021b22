package follow

import (
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
)

// Timeline returns the events about an account, a saved contact or a transfer, oldest first; nearly every subject has
// fewer than the one page that is read. complete reports whether these are all of them since it was created. It is
// false, without an error, if the service does not filter by subject or has no event feed.
func Timeline(ctx context.Context, service payments.Events, subjectID string) (events []payments.Event, complete bool, err error) {
	if subjectID == "" {
		return nil, false, nil // it would select the events about every subject
	}
	filter := payments.EventFilter{SubjectID: subjectID, Limit: payments.LargestPage}
	page, err := service.ListEvents(ctx, filter)
	if err != nil {
		if ctx.Err() == nil && HasNoFeed(err) {
			err = nil
		}
		return nil, false, err
	}
	events = slices.DeleteFunc(slices.Clone(page.Data), func(event payments.Event) bool { return !filter.Matches(event) })
	isAll := len(events) == len(page.Data) && (len(events) < filter.Limit || page.Cursor == filter.After)
	return events, isAll && len(events) > 0 && isFirst(events[0]), nil
}

// isFirst reports whether an event is the first one of its subject that the caller may read. A token that may read
// identity checks alone does not see that an account was created, but its first status.
func isFirst(e payments.Event) bool {
	created := []payments.EventType{
		payments.EventTypeAccountCreated, payments.EventTypeContactCreated, payments.EventTypeTransferCreated,
	}
	return slices.Contains(created, e.Type) || e.Type == payments.EventTypeKYCStatusChanged && e.From == nil
}
