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

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

const (
	maxErrors = 100 // that are shown: more than a person corrects one by one
	maxKeys   = 100 // names of metadata that become columns of the report
)

// A Service is the part of the payments service that a check needs.
type Service interface {
	payments.Routes
	payments.Transfers
	payments.ContactLister
	GetSavedContact(
		ctx context.Context, savedContactID string, since payments.ReadOptions,
	) (payments.ReadResult[payments.SavedContact], error)
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
	contacts   contacts
	keys       map[string]struct{}
	rows       int
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
		contacts: contacts{byName: map[string]*beneficiary{}, uses: map[use]*used{}}, keys: map[string]struct{}{},
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
	if err := c.contacts.find(ctx, service); err != nil {
		return nil, err
	}
	source.contactIDs = c.contacts.ids()
	for _, wrong := range c.contacts.errors(c.routes) {
		_ = c.add(wrong) // an error of a row
	}
	slices.SortStableFunc(c.errors, func(a, b *rows.Error) int {
		return cmp.Or(a.Line-b.Line, a.Column-b.Column)
	})
	checked := &Checked{
		Plan: c.plan(), Errors: c.errors, MoreErrors: c.moreErrors,
		Columns: slices.Clone(file.columns), Unused: file.rows.Unused(),
	}
	if len(source.contactIDs) > 0 {
		checked.Columns = append(checked.Columns, contactIDColumn)
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
		}
		c.contacts.add(&row, planned != nil)
	}
}
