package follow

import (
	"context"
	"slices"

	"github.com/payctl/payctl/internal/payments"
)

// Timeline returns the events about a subject, oldest first; nearly every subject has fewer than the one page that is
// read. A service that has no event feed has none.
func Timeline(ctx context.Context, service payments.Events, subjectID string) ([]payments.Event, error) {
	if subjectID == "" {
		return nil, nil // it would select the events about every subject
	}
	filter := payments.EventFilter{SubjectID: subjectID, Limit: payments.LargestPage}
	page, err := service.ListEvents(ctx, filter)
	if ctx.Err() == nil && HasNoFeed(err) {
		err = nil
	}
	// A service that does not know the filter sends events about others.
	return slices.DeleteFunc(page.Data, func(event payments.Event) bool { return !filter.Matches(event) }), err
}
