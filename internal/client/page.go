package client

import (
	"net/url"
	"strconv"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// pageQuery is the query of a list: what every list takes and, in pairs of name and value, what this one filters by.
// Empty values are left out.
func pageQuery(page payments.PageQuery, filters ...string) url.Values {
	query := url.Values{}
	set := func(name, value string) {
		if value != "" {
			query.Set(name, value)
		}
	}
	if page.Limit != 0 {
		set("limit", strconv.Itoa(page.Limit))
	}
	set("cursor", page.Cursor)
	if !page.CreatedAfter.IsZero() {
		set("createdAfter", page.CreatedAfter.UTC().Format(time.RFC3339Nano))
	}
	for i := 0; i+1 < len(filters); i += 2 {
		set(filters[i], filters[i+1])
	}
	return query
}

// lacks says that a member is missing; empty when it is there.
func lacks(member string, present bool) string {
	if present {
		return ""
	}
	return "has no " + member
}
