package resource

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// mostFound bounds how many things of one name are listed.
const mostFound = 10

// ByName calls get with the id of a thing that a person names: by its id, or by another name that one thing has. A name
// that several have is a usage error that lists them. About describes a row, such as by its state. Each of searches
// finds the rows that have the name in one of their members.
func ByName[T any](
	name string, get func(id string) error, about func(T) string, searches ...*ListQuery[T],
) error {
	missing := get(name)
	problem, isAnswer := errors.AsType[*payments.ProblemError](missing)
	if !isAnswer || !slices.Contains([]int{400, 404, 410, 422}, problem.Status) {
		return missing
	}
	found := map[string]string{}
	for _, query := range searches {
		if _, err := query.Each(mostFound, func(rows []T, _ bool) error {
			for _, row := range rows {
				found[Text(row, "id")] = about(row)
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
	err := cmdutil.Usage("several have the name %q: give the id of one", name)
	for _, id := range ids {
		err.Next = append(err.Next, shell.Hint{Command: []string{id}, Note: strings.TrimSpace(found[id])})
	}
	return err
}

// ByAccountName is [ByName] for an account: its id, your own id of it, or its e-mail address.
func ByAccountName(ctx context.Context, service payments.Reads, name string, get func(id string) error) error {
	by := func(filter payments.AccountFilter) *ListQuery[payments.Account] {
		return (&AccountFilters{filter: filter}).query(ctx, service)
	}
	searches := []*ListQuery[payments.Account]{by(payments.AccountFilter{ExternalID: name})}
	if strings.Contains(name, "@") {
		searches = append(searches, by(payments.AccountFilter{Email: name}))
	}
	about := func(a payments.Account) string { return a.Masked().Name() + ", " + string(a.KYCStatus) }
	return ByName(name, get, about, searches...)
}

// Transfers returns the transfers that a filter selects.
func Transfers(
	ctx context.Context, service payments.Reads, filter *payments.TransferFilter,
) *ListQuery[payments.Transfer] {
	return &ListQuery[payments.Transfer]{
		Created: func(t payments.Transfer) time.Time { return t.CreatedAt },
		Matches: func(t payments.Transfer) bool { return filter.Matches(t) },
		Fetch: func(q payments.PageQuery) (Page[payments.Transfer], error) {
			filter.PageQuery = q
			page, err := service.ListTransfers(ctx, *filter)
			return Page[payments.Transfer]{page.Data, page.NextCursor, page.End}, err
		},
	}
}

// ByTransferName is [ByName] for a transfer: its id, its reference, or your own id of it.
func ByTransferName(ctx context.Context, service payments.Reads, name string, get func(id string) error) error {
	by := func(filter payments.TransferFilter) *ListQuery[payments.Transfer] {
		return Transfers(ctx, service, &filter)
	}
	about := func(t payments.Transfer) string { return string(t.State) + ", created " + cmdutil.Time(t.CreatedAt) }
	return ByName(name, get, about, by(payments.TransferFilter{Reference: name}),
		by(payments.TransferFilter{ExternalID: name}))
}

// TransferID returns the identifier of a transfer, as [ByTransferName] finds it. What has the form of the reference
// service's identifiers is taken as it is, without a request.
func TransferID(ctx context.Context, service payments.Reads, name string) (id string, err error) {
	if strings.HasPrefix(name, "trf_") {
		return name, nil
	}
	err = ByTransferName(ctx, service, name, func(candidate string) error {
		read, err := service.GetTransfer(ctx, candidate)
		id = cmp.Or(read.Value.ID, candidate)
		return err
	})
	return id, err
}

// AccountID returns the identifier of the account with a name, as [ByAccountName] finds it. What has the form of
// the reference service's identifiers is taken as it is, without a request.
func AccountID(ctx context.Context, d *cmdutil.Deps, service payments.Reads, name string) (id string, err error) {
	if name == "" || strings.HasPrefix(name, "acc_") || d.Options.Curl { // which prints the first call
		return name, nil
	}
	err = ByAccountName(ctx, service, name, func(candidate string) error {
		account, err := service.GetAccount(ctx, candidate)
		id = cmp.Or(account.Value.ID, candidate)
		return err
	})
	switch {
	case payments.IsProblem(err, payments.ProblemNotFound):
		return "", cmdutil.Hint(err, shell.Payctl("accounts list"))
	case payments.IsLacking(err): // the service cannot say which accounts it has
		return name, nil
	}
	return id, err
}
