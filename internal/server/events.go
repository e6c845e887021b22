package server

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// eventScopes says which scope a token needs to read events of a type.
var eventScopes = map[payments.EventType]string{
	payments.EventTypeAccountCreated:       "accounts:read",
	payments.EventTypeKYCStatusChanged:     "kyc:read",
	payments.EventTypeContactCreated:       "contacts:read",
	payments.EventTypeContactDeleted:       "contacts:read",
	payments.EventTypeTransferCreated:      "transfers:read",
	payments.EventTypeTransferStateChanged: "transfers:read",
}

func (c *call) listEvents() error {
	c.w.Header().Set("Vary", "Accept")
	filter, err := c.eventFilter()
	if err != nil {
		return err
	}
	if c.form == mediaEventStream {
		return c.streamEvents(filter)
	}
	if c.r.Method != http.MethodHead {
		filter.Wait = preferWait(c.r.Header.Values("Prefer"))
	}
	page, err := c.session.Service.ListEvents(c.r.Context(), filter)
	if err != nil {
		return err
	}
	if err := c.held(filter.Wait); err != nil {
		return err
	}
	return c.reply(page)
}

// eventFilter reads the query, which was validated. What the token may not read is left out, or refused where the
// request names it.
func (c *call) eventFilter() (payments.EventFilter, error) {
	query := c.r.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	filter := payments.EventFilter{After: query.Get("after"), Limit: limit}
	if given := query.Get("types"); given != "" {
		for name := range strings.SplitSeq(given, ",") {
			kind := payments.EventType(name)
			if scope := eventScopes[kind]; !slices.Contains(c.session.Scopes, scope) {
				return filter, outOfScope(scope, "Events of the type "+name+" need the scope "+scope+".")
			}
			filter.Types = append(filter.Types, kind)
		}
		return filter, nil
	}
	for kind, scope := range eventScopes {
		if slices.Contains(c.session.Scopes, scope) {
			filter.Types = append(filter.Types, kind)
		}
	}
	switch len(filter.Types) {
	case 0:
		return filter, outOfScope("kyc:read transfers:read", "The feed needs a scope that lets read something: accounts:read, kyc:read, contacts:read or transfers:read.")
	case len(eventScopes):
		filter.Types = nil // all, without comparing
	}
	return filter, nil
}

// outOfScope refuses a token whose scopes do not suffice (RFC 6750 section 3.1).
func outOfScope(scope, detail string) *payments.Refusal {
	refusal := payments.Refuse(payments.KindInsufficientScope, "%s", detail)
	refusal.Challenge = challengeBearer + `, error="insufficient_scope", scope="` + scope + `"`
	return refusal
}
