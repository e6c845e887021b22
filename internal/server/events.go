package server

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/payctl/payctl/internal/payments"
)

// eventScopes maps types of events to the scope that a token needs to read them.
var eventScopes = map[payments.EventType]string{
	payments.EventTypeAccountCreated:       "accounts:read",
	payments.EventTypeKYCStatusChanged:     "kyc:read",
	payments.EventTypeContactCreated:       "contacts:read",
	payments.EventTypeContactDeleted:       "contacts:read",
	payments.EventTypeTransferCreated:      "transfers:read",
	payments.EventTypeTransferStateChanged: "transfers:read",
}

func (x *exchange) listEvents() error {
	x.w.Header().Set("Vary", "Accept")
	filter, err := x.eventFilter()
	if err != nil {
		return err
	}
	if x.media == mediaEventStream {
		return x.streamEvents(filter)
	}
	if x.r.Method != http.MethodHead {
		filter.Wait = x.beginWait()
	}
	page, err := x.session.World.ListEvents(x.ctx, filter)
	if err == nil {
		err = x.finishWait(filter.Wait)
	}
	return x.reply(page, err)
}

// eventFilter reads the validated query. Event types that the token may not read are left out, or refused if the
// request names them.
func (x *exchange) eventFilter() (payments.EventFilter, error) {
	query := x.r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	filter := payments.EventFilter{After: query.Get("after"), SubjectID: query.Get("subjectId"), Limit: limit}
	if given := listParameter[payments.EventType](query, "types"); given != nil {
		for _, kind := range given {
			if scope := eventScopes[kind]; !slices.Contains(x.session.Scopes, scope) {
				return filter, insufficientScope(scope, "Events of the type "+string(kind)+" need the scope "+scope+".")
			}
			filter.Types = append(filter.Types, kind)
		}
		return filter, nil
	}
	for kind, scope := range eventScopes {
		if slices.Contains(x.session.Scopes, scope) {
			filter.Types = append(filter.Types, kind)
		}
	}
	switch len(filter.Types) {
	case 0:
		return filter, insufficientScope("kyc:read transfers:read",
			"The feed needs a scope for some events: accounts:read, kyc:read, contacts:read or transfers:read.")
	case len(eventScopes):
		filter.Types = nil // all of them
	}
	return filter, nil
}
