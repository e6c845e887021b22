package server

import (
	"net/url"
	"strconv"

	"github.com/payctl/payctl/internal/moment"
	"github.com/payctl/payctl/internal/payments"
)

// pageQuery reads what every list takes from a query that was validated.
func pageQuery(query url.Values) payments.PageQuery {
	limit, _ := strconv.Atoi(query.Get("limit"))
	after, _ := moment.Parse(query.Get("createdAfter"))
	return payments.PageQuery{Limit: limit, Cursor: query.Get("cursor"), CreatedAfter: after}
}
