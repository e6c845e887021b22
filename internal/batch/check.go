package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/payctl/payctl/internal/payments"
)

const (
	maxContacts = 1000 // that are looked up before anything is sent
	maxUses     = 10 * maxContacts
	maxShown    = 100 // mistakes
	lookups     = 8   // contacts that are looked up at once
	maxKeys     = 100 // names of metadata that become columns of the report
)

// A Service is what the package needs of the payments service.
type Service interface {
	payments.Routes
	payments.Transfers
	GetSavedContact(ctx context.Context, savedContactID string) (payments.SavedContact, error)
}

// Checked is what reading the whole file has told.
type Checked struct {
	Plan Plan
	// Mistakes are the first of those that were found, in the order of the file; More is how many there are beside them.
	Mistakes []*Mistake
	More     int
	// Sample are references of the file: all of a small one, and some of a larger one.
	Sample []string
	// Columns are those of the input, with one for each piece of metadata.
	Columns []string
}

// check is a check under way.
type check struct {
	source   *Source
	ways     map[string]*way
	wrong    []*Mistake
	more     int
	repeated *duplicates
	contacts map[string]*beneficiary
	uses     map[use]*used
	beyond   int // rows whose contact is not looked up
	keys     map[string]struct{}
	rows     int
	sample   sample
}

// A use of a contact by a route is checked once.
type use struct{ contact, route string }

type used struct {
	place Place
	rows  int
}

type beneficiary struct {
	payments.SavedContact
	rows int
	err  error
}

// Check reads a file to its end and asks the service for routes and contacts. Nothing is changed by it. The error says
// that the file or the service cannot be read; what is wrong with rows is told in the result.
func Check(ctx context.Context, source *Source, service Service) (*Checked, error) {
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{})
	if err != nil {
		return nil, err
	}
	c := &check{
		source: source, ways: ways(info), repeated: newDuplicates(),
		contacts: map[string]*beneficiary{}, uses: map[use]*used{}, keys: map[string]struct{}{},
	}
	defer c.repeated.close()
	rows, err := source.Rows()
	if err != nil {
		return nil, err
	}
	if err := c.read(ctx, rows); err != nil {
		return nil, err
	}
	if c.rows == 0 && len(c.wrong) == 0 {
		return nil, fmt.Errorf("%s: %w: it has no rows", source.Name, ErrUnusable)
	}
	if err := c.repeated.find(source, c.add); err != nil {
		return nil, err
	}
	if err := c.look(ctx, service); err != nil {
		return nil, err
	}
	slices.SortStableFunc(c.wrong, func(a, b *Mistake) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	checked := &Checked{Plan: c.plan(), Mistakes: c.wrong, More: c.more, Sample: c.sample.references, Columns: slices.Clone(rows.Columns())}
	for _, key := range slices.Sorted(maps.Keys(c.keys)) {
		if name := metadataPrefix + key; !slices.Contains(checked.Columns, name) {
			checked.Columns = append(checked.Columns, name)
		}
	}
	return checked, nil
}

func (c *check) add(m *Mistake) {
	if len(c.wrong) == maxShown {
		c.more++
		return
	}
	c.wrong = append(c.wrong, m)
}

// read takes in every row.
func (c *check) read(ctx context.Context, rows Rows) error {
	for {
		var row Row
		err := rows.Next(&row)
		mistake, bad := errors.AsType[*Mistake](err)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case bad:
			c.add(mistake)
			if errors.Is(err, errTooLong) {
				return nil
			}
			continue
		case err != nil:
			return err
		}
		c.rows++
		if c.rows%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		w, value, mistakes := inspect(&row, c.ways)
		for _, m := range mistakes {
			c.add(m)
		}
		if row.Reference() != "" {
			c.repeated.add(row.Reference())
			c.sample.add(row.Reference())
		}
		for key := range row.Metadata {
			if len(c.keys) < maxKeys {
				c.keys[strings.Clone(key)] = struct{}{}
			}
		}
		if w != nil {
			w.count(row.side(), value)
			c.use(&row)
		}
	}
}

// use notes that a row uses a contact. Strings are copied where they are kept: a value of a row holds its whole line.
func (c *check) use(row *Row) {
	b := c.contacts[row.Contact()]
	if b == nil {
		if row.Contact() == "" {
			return
		}
		if len(c.contacts) == maxContacts {
			c.beyond++
			return
		}
		b = &beneficiary{}
		c.contacts[strings.Clone(row.Contact())] = b
	}
	b.rows++
	key := use{row.Contact(), row.Route()}
	u := c.uses[key]
	if u == nil {
		if len(c.uses) == maxUses {
			return
		}
		u = &used{place: row.places[contact]}
		c.uses[use{strings.Clone(row.Contact()), strings.Clone(row.Route())}] = u
	}
	u.rows++
}

// isAbsent says whether the service has no such contact.
func (b *beneficiary) isAbsent() bool {
	refusal, refused := errors.AsType[*payments.Refusal](b.err)
	return refused && (refusal.Status == statusNotFound || refusal.Status == statusGone)
}

// look asks for the contacts, and holds them to the routes that lead to them.
func (c *check) look(ctx context.Context, service Service) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	ids := make(chan string)
	var group sync.WaitGroup
	for range lookups {
		group.Go(func() {
			for id := range ids {
				b := c.contacts[id]
				if ctx.Err() != nil {
					continue
				}
				if b.SavedContact, b.err = service.GetSavedContact(ctx, id); b.err != nil && !b.isAbsent() {
					giveUp(b.err)
				}
			}
		})
	}
	for id := range c.contacts {
		ids <- id
	}
	close(ids)
	group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for key, u := range c.uses {
		b, w := c.contacts[key.contact], c.ways[key.route]
		var reason string
		switch {
		case b.err != nil:
			reason = fmt.Sprintf("contact %q is none that the service has", key.contact)
		case b.PaymentRail != w.key.DestinationRail || b.Currency != w.key.DestinationCurrency:
			reason = fmt.Sprintf("the route %s does not lead to the contact %s, which takes %s:%s", key.route, key.contact, b.PaymentRail, b.Currency)
		default:
			continue
		}
		if u.rows > 1 {
			reason += fmt.Sprintf(" (and in %d more rows)", u.rows-1)
		}
		c.add(&Mistake{u.place, reason})
	}
	return nil
}
