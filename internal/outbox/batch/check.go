// Package batch sends a request for every row of a file: transfers, or in an import accounts or contacts.
//
// Check reads a file of transfers, checks every row before anything is sent and plans the transfers; ReadImport reads and
// checks the file of an import. Both give Rows, and Sender sends these and reports the outcome of each in the order of the
// file. Memory grows with a file of transfers only while it is checked, by what finds a reference that occurs twice.
package batch

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

const (
	// maxRows bounds the rows of a file by the memory that finding a reference that occurs twice takes: up to 100 MB.
	maxRows = 1_000_000
	// maxKeys is how many names of metadata become columns of the report.
	maxKeys = 100
)

// Checked is the result of reading a whole file.
type Checked struct {
	Plan   Plan
	Errors rows.Errors
	// Columns are those of the input, with one for each name of metadata.
	Columns []string
	// Unused are columns of the file that a mapping left out, at most a hundred.
	Unused []string
}

// A check reads a file and collects what its result needs.
type check struct {
	Checked

	routes     map[string]*RoutePlan
	references references
	contacts   contacts
	keys       map[string]struct{} // of metadata

	sum          payments.Decimal
	amounts      int           // rows with an amount
	without      int           // rows without one
	firstWithout rows.Position // of the first of these
	totalsLine   string        // the warning that the last row has the sum of the rows before it; empty if it has not
}

// Check reads a file to its end and asks the service for routes and contacts. It changes nothing. The error means
// that the file or the service cannot be read; errors in rows are part of the result.
func Check(ctx context.Context, source *Source, service payments.Reads) (*Checked, error) {
	info, err := service.SelectRoutes(ctx, payments.RouteSelection{})
	if err != nil {
		return nil, err
	}
	c := &check{
		routes: routePlans(info), references: references{}, keys: map[string]struct{}{},
		contacts: contacts{byName: map[string]*beneficiary{}},
	}
	c.Plan.BatchID, c.Plan.File = source.BatchID(), source.name
	f, err := source.open()
	if err != nil {
		return nil, err
	}
	err = f.Each(ctx, source.name, maxRows, &c.Errors, func(read *rows.Row) error {
		t, wrong := readTransfer(read)
		c.add(&t, wrong)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if c.Plan.Rows == 0 && len(c.Errors.First) == 0 {
		return nil, rows.ErrNone(source.name)
	}
	if err := c.contacts.find(ctx, service); err != nil {
		return nil, err
	}
	source.contacts, source.named = c.contacts.foundContacts()
	if c.totalsLine != "" {
		c.Plan.Warnings = append(c.Plan.Warnings, c.totalsLine)
	}
	notReady, err := c.contacts.notReady(ctx, service)
	if err != nil {
		return nil, err
	}
	c.Plan.Warnings = append(c.Plan.Warnings, notReady...)
	c.contacts.addErrors(c.routes, &c.Errors)
	hasColumn := slices.ContainsFunc(f.Columns, func(column rows.Field) bool { return column.Name == "amount" })
	if c.without > 0 && (c.amounts > 0 || hasColumn) && !source.mapping.MayBeEmpty("amount") {
		c.Errors.Add(rows.Errorf(c.firstWithout,
			"amount is empty%s: such a payment takes whatever arrives; if that is meant, add --set amount=", inMore(c.without)))
	}
	c.Unused = f.Unused()
	c.setColumns(f, source.named)
	c.complete()
	return &c.Checked, nil
}

// inMore says in how many more rows something is that is in so many.
func inMore(count int) string {
	if count < 2 {
		return ""
	}
	return fmt.Sprintf(" (and in %d more rows)", count-1)
}

// setColumns sets the columns of the report that are those of the file; of NDJSON those that may occur.
func (c *check) setColumns(f *rows.Reader, named bool) {
	c.Columns = slices.Clone(names)
	if f.IsTable {
		c.Columns = nil
		for _, column := range f.Columns {
			c.Columns = append(c.Columns, column.Name)
		}
	}
	if named {
		c.Columns = append(c.Columns, contactIDColumn)
	}
	for _, key := range slices.Sorted(maps.Keys(c.keys)) {
		if name := metadataPrefix + key; !slices.Contains(c.Columns, name) {
			c.Columns = append(c.Columns, name)
		}
	}
}

// add adds a row with the errors that it has by itself. Strings are copied where they are kept: the value of a row holds
// its whole line in memory.
func (c *check) add(t *transfer, wrong []*rows.Error) {
	c.Plan.Rows++
	if t.Reference != "" {
		if line, repeated := c.references.add(t.Reference, t.line); repeated {
			wrong = append(wrong, t.error("reference", "%q is in line %d already", t.Reference, line))
		}
	}
	for key := range t.Metadata {
		if len(c.keys) < maxKeys {
			c.keys[strings.Clone(key)] = struct{}{}
		}
	}
	route := c.routes[t.Route.RouteKey]
	switch {
	case route != nil:
		wrong = append(wrong, route.add(t)...)
	case t.Route.RouteKey != "":
		note := ""
		if t.field("route").Flag != "" && strings.HasSuffix(t.Route.RouteKey, "-") {
			note = "; the shell took the > as a redirection, so write the value in quotes"
		}
		wrong = append(wrong, t.error("route", "%q does not exist%s", t.Route.RouteKey, note))
	}
	c.addAmount(t)
	c.contacts.add(t, route != nil)
	for _, err := range wrong {
		c.Errors.Add(err)
	}
}

// addAmount notes what a check has to know of the amounts of all rows.
func (c *check) addAmount(t *transfer) {
	written := t.field("amount")
	if written.Text == "" {
		if c.without++; c.without == 1 {
			c.firstWithout = written.Position
		}
	}
	c.totalsLine = ""
	if t.Amount == nil {
		return
	}
	if c.amounts++; c.amounts > 2 && t.Amount.Equal(c.sum) {
		c.totalsLine = fmt.Sprintf("line %d (%s) has the sum of all rows before it, %s: it may be a totals line, and no payment",
			t.line, t.Reference, written.Text)
	}
	c.sum = c.sum.Add(*t.Amount)
}

// references are the references of a file, each with the line in which it stands first.
type references map[string]int

// add adds a reference. If it is there already, add returns its line.
func (r references) add(reference string, line int) (first int, repeated bool) {
	if first, repeated := r[reference]; repeated {
		return first, true
	}
	r[strings.Clone(reference)] = line
	return 0, false
}
