package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// checkQuery validates the query. A list refuses unknown parameters: with a misspelt filter it would return everything.
func (x *exchange) checkQuery() error {
	if x.r.URL.RawQuery == "" {
		return nil
	}
	query, err := url.ParseQuery(x.r.URL.RawQuery)
	if err != nil {
		return malformed("The query cannot be read: %s.", formReason(err))
	}
	report := contract.ValidateValues(x.op.Query, query)
	fields := payments.FieldErrors{}
	for name, messages := range report.Errors {
		meant := slices.Clone(query[name])
		for i, text := range meant {
			meant[i] = strings.ReplaceAll(text, " ", "+")
		}
		escaped := contract.ValidateValues(x.op.Query, url.Values{name: meant})
		if !slices.Equal(meant, query[name]) && len(escaped.Errors) == 0 {
			messages = []string{"The " + name + " field has a space where a + was meant; send %2B."}
		}
		fields[name] = messages
	}
	if len(x.op.Query) > 0 {
		for _, name := range report.Unknown {
			fields.Add(name, unknownParameter(name, x.op.Query))
		}
	}
	if len(fields) == 0 {
		return nil
	}
	problem := payments.NewValidationProblem(fields)
	problem.Detail = "The request's query failed validation."
	return problem
}

// unknownParameter is the message for an unknown query parameter of a list. It suggests a similar parameter. Some
// clients write kycStatus[]=a, and status is part of kycStatus.
func unknownParameter(name string, known []contract.Member) string {
	word, _, _ := strings.Cut(name, "[")
	var names []string
	whole := "" // has the word in it
	for _, member := range known {
		names = append(names, member.Name)
		if len(word) > 3 && strings.Contains(strings.ToLower(member.Name), strings.ToLower(word)) {
			whole = member.Name
		}
	}
	if guess := cmp.Or(textutil.Guess(word, names), whole); guess != "" {
		return "The " + name + " field is not a parameter of this list; did you mean " + guess + "?"
	}
	return "The " + name + " field is not a parameter of this list, which has " + strings.Join(names, ", ") + "."
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

// listParameter reads a parameter that is a list of texts.
func listParameter[T ~string](query url.Values, name string) (list []T) {
	for _, text := range contract.SplitList(query[name]) {
		list = append(list, T(text))
	}
	return list
}
