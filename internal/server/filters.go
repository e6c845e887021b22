package server

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// checkQuery validates the query.
func (x *exchange) checkQuery() error {
	if x.r.URL.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return malformed("The query cannot be read: %s.", formReason(err))
	}
	fields := payments.FieldErrors(contract.ValidateValues(x.op.Query, query).Errors)
	if len(fields) == 0 {
		return nil
	}
	for name := range fields {
		text := query.Get(name)
		meant := strings.ReplaceAll(text, " ", "+")
		if _, ok := payments.ParseTime(meant); ok && meant != text {
			fields[name] = []string{"The " + name + " field has a space where a + was meant; send %2B."}
		}
	}
	problem := payments.NewValidationProblem(fields)
	problem.Detail = "The request's query failed validation."
	return problem
}

// formReason describes what is wrong with a query or form that [url.ParseQuery] refuses.
func formReason(err error) string {
	if escape, ok := errors.AsType[url.EscapeError](err); ok {
		return fmt.Sprintf("%q is not an escaped byte such as %%2B", string(escape))
	}
	if strings.Contains(err.Error(), "semicolon") {
		return "it has a semicolon, which has to be escaped as %3B"
	}
	return "it has too many parameters"
}

// The functions below read filters from queries that have been validated.

func accountFilter(x *exchange) payments.AccountFilter {
	query := x.r.URL.Query()
	return payments.AccountFilter{
		PageQuery:   parsePageQuery(query),
		KYCStatuses: listParameter[payments.KYCStatus](query, "kycStatus"),
		Email:       query.Get("email"),
		ExternalID:  query.Get("externalId"),
	}
}

func savedContactFilter(x *exchange) payments.SavedContactFilter {
	query := x.r.URL.Query()
	return payments.SavedContactFilter{
		PageQuery:  parsePageQuery(query),
		AccountID:  query.Get("accountId"),
		ExternalID: query.Get("externalId"),
		Label:      query.Get("label"),
	}
}

func transferFilter(x *exchange) payments.TransferFilter {
	query := x.r.URL.Query()
	return payments.TransferFilter{
		PageQuery:  parsePageQuery(query),
		AccountID:  query.Get("accountId"),
		ContactID:  query.Get("destinationSavedContactId"),
		Route:      query.Get("route"),
		States:     listParameter[payments.TransferState](query, "state"),
		Reference:  query.Get("reference"),
		ExternalID: query.Get("externalId"),
		BatchID:    query.Get("batchId"),
	}
}

func pageQuery(x *exchange) payments.PageQuery { return parsePageQuery(x.r.URL.Query()) }

// parsePageQuery reads the parameters of every list.
func parsePageQuery(query url.Values) payments.PageQuery {
	limit, _ := strconv.Atoi(query.Get("limit"))
	after, _ := payments.ParseTime(query.Get("createdAfter"))
	before, _ := payments.ParseTime(query.Get("createdBefore"))
	return payments.PageQuery{Limit: limit, Cursor: query.Get("cursor"), CreatedAfter: after, CreatedBefore: before}
}

// listParameter reads a parameter that is a list of texts; none if it is absent.
func listParameter[T ~string](query url.Values, name string) (list []T) {
	for _, text := range contract.SplitList(query[name]) {
		list = append(list, T(text))
	}
	return list
}
