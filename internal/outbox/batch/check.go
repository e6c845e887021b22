package batch

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// maxKeys is how many names of metadata become columns of the report.
const maxKeys = 100

// A Service is the part of the payments service that a check needs.
type Service interface {
	payments.Routes
	payments.Transfers
	payments.ContactLister
	GetSavedContact(
		ctx context.Context, savedContactID string, since payments.ReadOptions,
	) (payments.ReadResult[payments.SavedContact], error)
	GetAccount(
		ctx context.Context, accountID string, since payments.ReadOptions,
	) (payments.ReadResult[payments.Account], error)
}

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
	source     *Source
	routes     map[string]*plannedRoute
	errors     rows.Errors
	references references
	contacts   contacts
	keys       map[string]struct{}
	rows       int
	amounts    amounts
}

// amounts are what a check notes of the amounts of all rows.
type amounts struct {
	rows    int           // with an amount
	without int           // rows without one
	first   rows.Position // of the first of these
	isTotal bool          // the last row has the sum of the rows before it
	sum     payments.Decimal
	last    Row // as far as a message needs it
}

// add adds a row. Value is its amount, or nil if it has none or one that cannot be read.
func (a *amounts) add(row *Row, value *payments.Decimal) {
	if row.Amount == "" {
		if a.without++; a.without == 1 {
			a.first = cmp.Or(row.positions[amount], rows.Position{Line: row.Line, Column: 1})
		}
	}
	a.isTotal = false
	if value == nil {
		return
	}
	a.rows++
	a.isTotal = a.rows > 2 && value.Equal(a.sum)
	a.last = Row{Line: row.Line, Reference: strings.Clone(row.Reference), Amount: strings.Clone(row.Amount)}
	a.sum = a.sum.Add(*value)
}

// checkEmpty returns an error if some rows have no amount and the file has amounts: a row without one would pay whatever
// arrives. HasColumn reports that a CSV file has the column.
func (a *amounts) checkEmpty(hasColumn bool) error {
	if a.without == 0 || a.rows == 0 && !hasColumn {
		return nil
	}
	more := ""
	if a.without > 1 {
		more = fmt.Sprintf(" (and in %d more rows)", a.without-1)
	}
	return rows.Errorf(a.first, "amount is empty%s: such a payment takes whatever arrives; if that is meant, add --set amount=", more)
}

// warnings returns what may be wrong with the rows.
func (a *amounts) warnings() []string {
	if !a.isTotal {
		return nil
	}
	return []string{fmt.Sprintf("line %d (%s) has the sum of all rows before it, %s: it may be a totals line, and no payment",
		a.last.Line, a.last.Reference, a.last.Amount)}
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
	if c.rows == 0 && len(c.errors.First) == 0 {
		return nil, rows.ErrNone(source.name)
	}
	if err := c.contacts.find(ctx, service); err != nil {
		return nil, err
	}
	source.contacts, source.named = c.contacts.foundContacts()
	if err := c.contacts.checkAccounts(ctx, service); err != nil {
		return nil, err
	}
	for _, wrong := range c.contacts.errors(c.routes) {
		_ = c.errors.Add(wrong) // an error of a row
	}
	if !source.Mapping.MayBeEmpty(names[amount]) {
		if wrong := c.amounts.checkEmpty(slices.ContainsFunc(file.rows.Columns, isAmount)); wrong != nil {
			_ = c.errors.Add(wrong)
		}
	}
	checked := &Checked{
		Plan: c.plan(), Errors: c.errors,
		Columns: slices.Clone(file.columns), Unused: file.rows.Unused(),
	}
	if source.named {
		checked.Columns = append(checked.Columns, contactIDColumn)
	}
	for _, key := range slices.Sorted(maps.Keys(c.keys)) {
		if name := metadataPrefix + key; !slices.Contains(checked.Columns, name) {
			checked.Columns = append(checked.Columns, name)
		}
	}
	return checked, nil
}

func isAmount(f rows.Field) bool { return f.Name == names[amount] }

// read reads and checks every row.
func (c *check) read(ctx context.Context, file *reader) error {
	return file.rows.Each(ctx, c.source.name, maxRows, &c.errors, func(read *rows.Row) error {
		row, err := file.row(read)
		if err != nil {
			return err
		}
		c.rows++
		planned, value, wrong := checkRow(&row, c.routes)
		if row.Reference != "" {
			if line, repeated := c.references.add(row.Reference, row.Line); repeated {
				wrong = append(wrong, row.error(reference, "%q is in line %d already", row.Reference, line))
			}
		}
		for _, err := range wrong {
			_ = c.errors.Add(err) // an error of the row
		}
		for key := range row.Metadata {
			if len(c.keys) < maxKeys {
				c.keys[strings.Clone(key)] = struct{}{}
			}
		}
		c.amounts.add(&row, value)
		if planned != nil {
			planned.count(row.Side(), value)
		}
		c.contacts.add(&row, planned != nil)
		return nil
	})
}
