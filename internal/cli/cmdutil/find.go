package cmdutil

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// A Search returns the rows that have a name in one of their members.
type Search[T any] func(name string) (*Query[T], error)

// mostFound bounds how many things of one name are listed.
const mostFound = 10

// ByName calls get with what a person has of a thing: its id, or else another name, by which one thing is found. What
// several things have is a usage error that lists them. About describes a row, such as by its state.
func ByName[T any](
	d *Deps, name string, get func(id string) error, id func(T) string, about func(T) string, searches ...Search[T],
) error {
	missing := get(name)
	problem, isAnswer := errors.AsType[*payments.ProblemError](missing)
	if !isAnswer || isReferenceID(name) || !slices.Contains([]int{400, 404, 410, 422}, problem.Status) {
		return missing
	}
	found := map[string]string{}
	for _, search := range searches {
		query, err := search(name)
		if err != nil {
			return err
		}
		if _, err = query.Each(d, mostFound, func(rows []T, _ bool) error {
			for _, row := range rows {
				found[id(row)] = about(row)
			}
			return nil
		}); err != nil {
			return missing // a service without such a list has told all that can be known
		}
	}
	ids := slices.Sorted(maps.Keys(found))
	switch len(ids) {
	case 0:
		return missing
	case 1:
		return get(ids[0])
	}
	err := Usage("several have the name %q: give the id of one", name)
	for _, id := range ids {
		err.Next = append(err.Next, fmt.Sprintf("%s   (%s)", id, strings.TrimSpace(found[id])))
	}
	return err
}

// ByAccountName is [ByName] for an account: its id, your own id of it, or its e-mail address.
func ByAccountName(ctx context.Context, d *Deps, name string, get func(id string) error) error {
	by := func(member func(*payments.AccountFilter) *string) Search[payments.Account] {
		return func(name string) (*Query[payments.Account], error) {
			var filters AccountFilters
			*member(&filters.filter) = name
			return filters.Query(ctx, d, "kyc-status")
		}
	}
	searches := []Search[payments.Account]{by(func(f *payments.AccountFilter) *string { return &f.ExternalID })}
	if strings.Contains(name, "@") {
		searches = append(searches, by(func(f *payments.AccountFilter) *string { return &f.Email }))
	}
	return ByName(d, name, get, func(a payments.Account) string { return a.ID },
		func(a payments.Account) string { return a.Masked().Name() + ", " + string(a.KYCStatus) }, searches...)
}
