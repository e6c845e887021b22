package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/suggest"
)

const (
	maxContacts = 1000 // that are looked up one by one before anything is sent, a request each
	lookups     = 8    // contacts that are looked up at once
	// maxGuesses bounds the unknown names for which a similar one is looked for among those of all contacts.
	maxGuesses  = 10
	maxAccounts = 20 // of contacts, that are looked at before anything is sent, a request each
	maxLabels   = 3  // contacts that are named for each
)

// contacts are the contacts of a file, by what its rows call them: by their identifier, external id or label.
type contacts struct {
	byName     map[string]*beneficiary
	unverified int // rows whose contact is not looked up
}

// A beneficiary is a contact as rows name it.
type beneficiary struct {
	*payments.SavedContact // nil: it was not found
	used
	routes map[string]*used // by which it is paid
	fault  string           // why it cannot be paid
}

// used are the rows that have something in common.
type used struct {
	position rows.Position // of the first row
	rows     int
}

// error returns the error that all of the rows have.
func (u *used) error(reason string) *rows.Error {
	if u.position.Flag == "" {
		reason += inMore(u.rows)
	}
	return &rows.Error{Position: u.position, Reason: reason}
}

// add adds the contact of a row.
func (c *contacts) add(t *transfer, hasRoute bool) {
	name, route := t.DestinationSavedContactID, t.Route.RouteKey
	if name == "" {
		return
	}
	at := t.field("contact").Position
	b := c.byName[name]
	if b == nil {
		b = &beneficiary{used: used{position: at}, routes: map[string]*used{}}
		c.byName[strings.Clone(name)] = b
	}
	b.rows++
	if !hasRoute {
		return
	}
	if b.routes[route] == nil {
		b.routes[strings.Clone(route)] = &used{position: at}
	}
	b.routes[route].rows++
}

// find finds the contacts at the service: those that do not have the form of an identifier in the list of all, the
// others, and what a list did not show, one by one, up to maxContacts. It stops at the first error that says nothing about
// the contact itself.
func (c *contacts) find(ctx context.Context, service payments.Reads) error {
	for name := range c.byName {
		if !payments.IsContactID(name) {
			if err := c.findByName(ctx, service); err != nil {
				return err
			}
			break
		}
	}
	var names []string
	for name, b := range c.byName {
		switch {
		case b.SavedContact != nil || b.fault != "":
		case len(names) == maxContacts:
			c.unverified += b.rows
		default:
			names = append(names, name)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(lookups)
	for _, name := range names {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			read, err := service.GetSavedContact(ctx, name, payments.ReadOptions{})
			problem, isProblem := errors.AsType[*payments.ProblemError](err)
			b := c.byName[name]
			switch {
			case err == nil:
				b.SavedContact = &read.Value
				b.ID = name
			case isProblem && (problem.Status == 404 || problem.Status == 410):
				b.fault = fmt.Sprintf("contact %q does not exist", name)
			default:
				return err
			}
			return nil
		})
	}
	return group.Wait()
}

// findByName reads all contacts. A name must have one contact: a guess could pay another person.
func (c *contacts) findByName(ctx context.Context, service payments.Reads) error {
	known := payments.NamedContacts{Wanted: func(name string) bool { return c.byName[name] != nil }}
	if err := known.Read(ctx, service, payments.SavedContactFilter{}); err != nil {
		return err
	}
	guesses := 0
	for name, b := range c.byName {
		switch matches := known.Find(name); {
		case len(matches) == 1 && (matches[0].ID == name || !payments.IsContactID(name) && !known.Partial):
			b.SavedContact = &matches[0]
		case payments.IsContactID(name):
		case len(matches) == 1:
			b.fault = payments.UncertainContact(name, matches[0])
		case len(matches) > 1:
			b.fault = payments.AmbiguousContact(name, matches)
		case !known.Partial:
			b.fault = fmt.Sprintf("contact %q does not exist", name)
			if guesses++; guesses > maxGuesses {
				continue
			}
			if guess := suggest.Guess(name, known.Names()); guess != "" {
				b.fault += fmt.Sprintf("; did you mean %q?", guess)
			}
		}
	}
	return nil
}

// A foundContact is a contact that exists, with its identifier and in words.
type foundContact struct{ id, described string }

// foundContacts are the contacts that exist, by what rows call them. Named reports that this is not always the identifier.
func (c *contacts) foundContacts() (all map[string]foundContact, named bool) {
	all = map[string]foundContact{}
	for name, b := range c.byName {
		if b.SavedContact != nil {
			all[name] = foundContact{b.ID, fmt.Sprintf("%s (%s)", b.Label, b.HolderName)}
			named = named || b.ID != name
		}
	}
	return all, named
}

// notReady names the contacts whose account is not approved: the service may refuse their rows. An account that cannot
// be read is no error.
func (c *contacts) notReady(ctx context.Context, service payments.Reads) (warnings []string, err error) {
	accounts := map[string][]string{}
	for _, b := range c.byName {
		if b.SavedContact != nil && b.AccountID != "" && !slices.Contains(accounts[b.AccountID], b.Label) {
			accounts[b.AccountID] = append(accounts[b.AccountID], b.Label)
		}
	}
	ids := slices.Sorted(maps.Keys(accounts))
	for _, id := range ids[:min(len(ids), maxAccounts)] {
		read, err := service.GetAccount(ctx, id, payments.ReadOptions{})
		if err != nil || read.Value.KYCStatus == "" || read.Value.KYCStatus == payments.KYCStatusApproved {
			continue // an account need not show its status
		}
		labels := slices.Sorted(slices.Values(accounts[id]))
		if more := len(labels) - maxLabels; more > 0 {
			labels = append(labels[:maxLabels], fmt.Sprintf("%d more", more))
		}
		warnings = append(warnings, fmt.Sprintf("the account %s of %s is %s and not approved: payments may be refused",
			id, strings.Join(labels, ", "), read.Value.KYCStatus))
	}
	return warnings, context.Cause(ctx)
}

// addErrors adds an error for each contact that cannot be paid or that a route does not lead to.
func (c *contacts) addErrors(routes map[string]*RoutePlan, to *rows.Errors) {
	var all []*rows.Error
	for name, b := range c.byName {
		if b.fault != "" {
			all = append(all, b.error(b.fault))
		}
		if b.SavedContact == nil || b.PaymentRail == "" || b.Currency == "" { // a service need not show them
			continue
		}
		for route, u := range b.routes {
			if end := routes[route].key; b.PaymentRail != end.DestinationRail || b.Currency != end.DestinationCurrency {
				all = append(all, u.error(fmt.Sprintf("the route %s does not lead to the contact %s, which takes %s:%s",
					route, name, b.PaymentRail, b.Currency)))
			}
		}
	}
	slices.SortFunc(all, func(a, b *rows.Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Reason, b.Reason))
	})
	for _, wrong := range all {
		to.Add(wrong)
	}
}
