package client

import (
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// ListEvents implements payments.Events.
func (c *Client) ListEvents(ctx context.Context, filter payments.EventFilter) (payments.EventPage, error) {
	page, _, err := perform(ctx, c, call{
		op: &contract.ListEvents, query: eventQuery(filter), since: payments.Condition{Wait: filter.Wait},
	}, completeEvents)
	return page, err
}

func eventQuery(filter payments.EventFilter) url.Values {
	query := pageQuery(payments.PageQuery{Limit: filter.Limit}, "after", filter.After)
	if len(filter.Types) > 0 {
		names := make([]string, len(filter.Types))
		for i, kind := range filter.Types {
			names[i] = string(kind)
		}
		query.Set("types", strings.Join(names, ","))
	}
	return query
}

// completeEvents refuses a page with which a watcher would lose its place.
func completeEvents(page *payments.EventPage) string {
	switch {
	case page.Data == nil:
		return "has no data"
	case page.Cursor == "":
		return "has no cursor"
	}
	for i := range page.Data {
		if lacking := completeEvent(&page.Data[i]); lacking != "" {
			return lacking + " in data[" + strconv.Itoa(i) + "]"
		}
	}
	return ""
}

func completeEvent(event *payments.Event) string {
	if lacking := lacks("id", event.ID != ""); lacking != "" {
		return lacking
	}
	return lacks("type", event.Type != "")
}
