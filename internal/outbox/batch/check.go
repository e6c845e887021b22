package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

const (
	maxContacts = 1000 // that are looked up before anything is sent, a request each
	maxUses     = 10 * maxContacts
	maxErrors   = 100 // that are shown: more than a person corrects one by one
	lookups     = 8   // contacts that are looked up at once
	maxKeys     = 100 // names of metadata that become columns of the report
)

// A Service is the part of the payments service that a check needs.
type Service interface {
	payments.Routes
	payments.Transfers
	GetSavedContact(ctx context.Context, savedContactID string) (payments.SavedContact, error)
}

// Checked is the result of reading a whole file.
type Checked struct {
	Plan Plan
	// Errors are the first of the file's errors, in its order; MoreErrors counts the others.
	Errors     []*rows.Error
	MoreErrors int
	// Columns are those of the input, with one for each name of metadata.
	Columns []string
	// Unused are columns of the file that a mapping left out, at most a hundred.
	Unused []string
}

// A check reads a file and collects what its result needs.
type check struct {
	source     *Source
	routes     map[string]*plannedRoute
	errors     []*rows.Error
	moreErrors int
	references references
	contacts   map[string]*beneficiary
	uses       map[use]*used
	unverified int // rows whose contact is not looked up
	keys       map[string]struct{}
	rows       int
}

// A use of a contact by a route is checked once, however many rows have it.
type use struct{ contact, route string }

type used struct {
	position rows.Position // of the first row
	rows     int
}

type beneficiary struct {
	payments.SavedContact
	rows int
	err  error
}

// Check reads a file to its end and asks the service for routes and contacts. It changes nothing. The error means
// that the file or the service cannot be read; errors in rows are part of the result.
func Check(ctx context.Context, source *Source, service Service) (*Checked, error) {
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{})
	if err != nil {
		return nil, err
	}
	c := &check{
		source: source, routes: plannedRoutes(info), references: newReferences(),
		contacts: map[string]*beneficiary{}, uses: map[use]*used{}, keys: map[string]struct{}{},
	}
	file, err := source.open()
	if err != nil {
		return nil, err
	}
	if err := c.read(ctx, file); err != nil {
		return nil, err
	}
	if c.rows == 0 && len(c.errors) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no rows", source.name, ErrUnusable)
	}
	if err := c.lookUpContacts(ctx, service); err != nil {
		return nil, err
	}
	c.checkContacts()
	slices.SortStableFunc(c.errors, func(a, b *rows.Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	checked := &Checked{
		Plan: c.plan(), Errors: c.errors, MoreErrors: c.moreErrors,
		Columns: slices.Clone(file.columns), Unused: file.rows.Unused(),
	}
	for _, key := range slices.Sorted(maps.Keys(c.keys)) {
		if name := metadataPrefix + key; !slices.Contains(checked.Columns, name) {
			checked.Columns = append(checked.Columns, name)
		}
	}
	return checked, nil
}

// add adds an error of the file or of a constant; any other error it returns.
func (c *check) add(err error) error {
	wrong, ok := errors.AsType[*rows.Error](err)
	switch {
	case !ok:
		return err
	case wrong.Flag != "" && slices.ContainsFunc(c.errors, func(e *rows.Error) bool { return *e == *wrong }):
		// A constant is wrong in every row.
	case len(c.errors) == maxErrors:
		c.moreErrors++
	default:
		c.errors = append(c.errors, wrong)
	}
	return nil
}

// read reads and checks every row.
func (c *check) read(ctx context.Context, file *reader) error {
	for {
		row, err := file.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if wrong, ok := errors.AsType[*rows.Error](err); ok && wrong.Final {
				return c.add(err)
			}
			if err := c.add(err); err != nil {
				return err
			}
			continue
		}
		if c.rows++; c.rows > maxRows {
			return fmt.Errorf("%s: %w: it has more than %d rows; split it", c.source.name, ErrUnusable, maxRows)
		}
		if c.rows%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		planned, value, wrong := checkRow(&row, c.routes)
		if row.Reference != "" {
			if line, repeated := c.references.add(row.Reference, row.Line); repeated {
				wrong = append(wrong, row.error(reference, "%q is in line %d already", row.Reference, line))
			}
		}
		for _, err := range wrong {
			_ = c.add(err) // an error of the row
		}
		for key := range row.Metadata {
			if len(c.keys) < maxKeys {
				c.keys[strings.Clone(key)] = struct{}{}
			}
		}
		if planned != nil {
			planned.count(row.Side(), value)
			c.addUse(&row)
		}
	}
}

// addUse counts a use of a contact. Strings are copied where they are kept: the value of a row holds its whole line
// in memory.
func (c *check) addUse(row *Row) {
	b := c.contacts[row.Contact]
	if b == nil {
		if row.Contact == "" {
			return
		}
		if len(c.contacts) == maxContacts {
			c.unverified++
			return
		}
		b = &beneficiary{}
		c.contacts[strings.Clone(row.Contact)] = b
	}
	b.rows++
	key := use{row.Contact, row.Route}
	u := c.uses[key]
	if u == nil {
		if len(c.uses) == maxUses {
			return
		}
		u = &used{position: row.positions[contact]}
		c.uses[use{strings.Clone(row.Contact), strings.Clone(row.Route)}] = u
	}
	u.rows++
}

// Statuses of a contact that does not exist (RFC 9110 section 15.5).
const (
	statusNotFound = 404
	statusGone     = 410
)

// isAbsent reports whether the service has no such contact.
func (b *beneficiary) isAbsent() bool {
	problem, ok := errors.AsType[*payments.ProblemError](b.err)
	return ok && (problem.Status == statusNotFound || problem.Status == statusGone)
}

// lookUpContacts asks the service for the contacts. It stops at the first error that says nothing about the contact
// itself.
func (c *check) lookUpContacts(ctx context.Context, service Service) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var group sync.WaitGroup
	places := make(chan struct{}, lookups)
	for id, b := range c.contacts {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		group.Go(func() {
			defer func() { <-places }()
			if b.SavedContact, b.err = service.GetSavedContact(ctx, id); b.err != nil && !b.isAbsent() {
				stop(b.err)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

// checkContacts adds an error for each contact that does not exist or that a route does not lead to.
func (c *check) checkContacts() {
	for key, u := range c.uses {
		b, planned := c.contacts[key.contact], c.routes[key.route]
		var reason string
		switch {
		case b.err != nil:
			reason = fmt.Sprintf("contact %q does not exist", key.contact)
		case b.PaymentRail != planned.key.DestinationRail || b.Currency != planned.key.DestinationCurrency:
			reason = fmt.Sprintf("the route %s does not lead to the contact %s, which takes %s:%s",
				key.route, key.contact, b.PaymentRail, b.Currency)
		default:
			continue
		}
		if u.rows > 1 {
			reason += fmt.Sprintf(" (and in %d more rows)", u.rows-1)
		}
		_ = c.add(&rows.Error{Position: u.position, Reason: reason})
	}
}
