package servicemap

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Shown is what a successful response shows, in the contract's terms.
type Shown struct {
	Document jsontext.Value // a list is an object with its rows in data
	Rows     []jsontext.Value
	Next     string // the cursor of the next page; empty means none
	End      payments.ListEnd
}

var errNoRows = errors.New("the answer has no rows; " +
	"the profile says where the service has them: answers.list: /POINTER")

// Response returns the content of a response with a status 2xx and a JSON body. The error names what is shown instead.
func (m *Map) Response(c Call, reply *payments.Response) (s Shown, err error) {
	id, _ := m.routeOf(c)
	resource := c.Op.Resource()
	_, isList := c.Op.Shown()
	switch {
	case c.Op.IsSandbox():
		s.Document = reply.Body
		return s, nil
	case isList && resource.Get != nil:
		return m.page(c, id, resource, reply)
	case resource.Get == nil: // the token, routes and events
		if s, err = m.plain(c.Op, reply.Body); err == nil && c.Op == &contract.SelectRoutes {
			err = m.checkDecimals(s.Document)
		}
		return s, err
	}
	document, err := valueAt(reply.Body, m.answerAt(id, "one"))
	if err == nil {
		s.Document, err = m.document(resource, document)
	}
	if err != nil || !c.Op.IsRead() {
		return s, err
	}
	t, err := readObject(s.Document)
	names := slices.Sorted(maps.Keys(t))
	if err != nil || slices.ContainsFunc(names, resource.Schema().Has) {
		return s, err
	}
	const most = 8
	return s, fmt.Errorf("the answer has no member of a %s; it has %s. "+
		"If the %[1]s stands deeper, the profile says where: answers.one: /POINTER",
		resource.Noun, contract.Shorten(strings.Join(names[:min(most, len(names))], ", "), contract.MaxName))
}

// plain returns a document without mapped members, in the contract's spelling.
func (m *Map) plain(op *contract.Operation, body jsontext.Value) (s Shown, err error) {
	if s.Document, err = m.foldValue(body, op.SuccessSchema()); err != nil || op != &contract.ListEvents {
		return s, err
	}
	page, err := readObject(s.Document)
	if err != nil || page["data"].Kind() != '[' {
		return s, err
	}
	inContract := func(event jsontext.Value) (jsontext.Value, error) { return m.eventWords(event, m.eventStatus) }
	if page["data"], err = eachElement(page["data"], inContract); err == nil {
		s.Document = page.write()
	}
	return s, err
}

// checkDecimals returns an error if a side of a route shows other decimals than the minor units have.
func (m *Map) checkDecimals(document jsontext.Value) error {
	var info struct {
		AvailableSources, AvailableDestinations []struct {
			PaymentRail, Currency string
			Decimals              *int
		}
	}
	if m.unit != "minor" {
		return nil
	}
	_ = json.Unmarshal(document, &info, json.MatchCaseInsensitiveNames(true)) // unreadable endpoints have no decimals
	for _, e := range append(info.AvailableSources, info.AvailableDestinations...) {
		decimals, isKnown := m.Decimals(e.PaymentRail, e.Currency)
		if isKnown && e.Decimals != nil && *e.Decimals != decimals {
			return fmt.Errorf("the service shows %d decimals of %s, and its minor unit has %d in the profile (decimals.%[2]s)",
				*e.Decimals, e.Currency, decimals)
		}
	}
	return nil
}

// document returns a resource in the contract's terms. A mapped member is read only at its place.
func (m *Map) document(r *contract.Resource, document jsontext.Value) (jsontext.Value, error) {
	if len(m.members[r.Name])+len(m.words[r.StatusOf]) == 0 && m.unit == "" {
		d := jsontext.NewDecoder(bytes.NewBuffer(document))
		if isExact(d, r.Schema()) && d.PeekKind() == 0 && d.InputOffset() == int64(len(document)) {
			return document, nil
		}
	}
	t, err := readObject(document)
	if err != nil {
		return nil, err
	}
	isChanged := len(m.members[r.Name]) > 0
	if isChanged {
		if t, err = m.move(r.Name, direction{isBack: true}, t); err != nil {
			return nil, err
		}
	}
	isFolded, err := m.fold(t, r.Schema(), r.Name)
	if err != nil {
		return nil, err
	}
	isChanged = isChanged || isFolded
	if status, isKnown := m.status(r.StatusOf, t[r.Status]); isKnown {
		t[r.Status], isChanged = quoted(status), true
	}
	if r.Name == "transfer" {
		if route, err := readObject(t["route"]); err == nil && route["routeKey"] != nil { // as the published Route
			isChanged, t["route"] = true, route["routeKey"]
			for _, name := range []string{"flowType", "provider"} {
				if route[name] != nil && t[name] == nil {
					t[name] = route[name]
				}
			}
		}
		isChanged = isChanged || m.unit != ""
		if err := m.amounts(t, true); err != nil {
			return nil, err
		}
	}
	if !isChanged {
		return document, nil
	}
	return t.write(), nil
}

// page returns a page of a list in the contract's terms. Rows that are not objects are left out.
func (m *Map) page(c Call, id string, r *contract.Resource, reply *payments.Response) (s Shown, err error) {
	var isCertain bool
	if s.Rows, isCertain, err = m.rows(id, reply.Body); err != nil {
		return s, err
	}
	isPlain := isCertain && bytes.HasPrefix(bytes.TrimSpace(reply.Body), []byte(`{"data":[`)) && len(m.answers) == 0
	for i, row := range s.Rows {
		if row.Kind() != '{' { // is left out below
			continue
		}
		if s.Rows[i], err = m.document(r, row); err != nil {
			return s, fmt.Errorf("row %d of the list: %w", i+1, err)
		}
		isPlain = isPlain && isSame(s.Rows[i], row)
	}
	if s.End = payments.ListEnds; id != findTransfer {
		s.Next, s.End = m.pagesOf(id).end(c.Query.Get("cursor"), reply, s.Rows)
	}
	if !isCertain && s.End == payments.ListEnds {
		s.End = payments.ListMayGoOn
	}
	count := len(s.Rows)
	s.Rows = slices.DeleteFunc(s.Rows, func(row jsontext.Value) bool { return row.Kind() != '{' })
	if s.Document = reply.Body; !isPlain || len(s.Rows) != count {
		rows, err := json.Marshal(s.Rows)
		if err != nil {
			return s, err
		}
		s.Document = slices.Concat([]byte(`{"data":`), rows)
		if s.Next != "" {
			s.Document = slices.Concat(s.Document, []byte(`,"nextCursor":`), quoted(s.Next))
		} else if s.End == payments.ListEnds {
			s.Document = slices.Concat(s.Document, []byte(`,"nextCursor":null`))
		}
		s.Document = append(s.Document, '}')
	}
	return s, nil
}

// rows returns the rows of a list, and whether that is certain.
func (m *Map) rows(id string, body jsontext.Value) (rows []jsontext.Value, isCertain bool, err error) {
	at := m.answerAt(id, "list")
	if id == findTransfer {
		if body.Kind() == 'n' {
			return nil, true, nil
		}
		at = m.answerAt(id, "one")
	}
	body, err = valueAt(body, at)
	switch {
	case err != nil:
		return nil, false, err
	case id == findTransfer && body.Kind() == '{':
		return []jsontext.Value{body}, true, nil
	case id == findTransfer && body.Kind() == 'n':
		return nil, true, nil
	}
	isCertain = true
	if body.Kind() == '{' && at == "" {
		t, err := readObject(body)
		if err != nil {
			return nil, false, err
		}
		if body = t["data"]; body.Kind() != '[' {
			maps.DeleteFunc(t, func(_ string, value jsontext.Value) bool { return value.Kind() != '[' })
			if isCertain, body = false, nil; len(t) == 1 { // the only array
				for _, rows := range t {
					body = rows
				}
			}
		}
	}
	if body.Kind() != '[' {
		return nil, false, errNoRows
	}
	return rows, isCertain, json.Unmarshal(body, &rows)
}

// valueAt returns the value at a pointer into objects.
func valueAt(document jsontext.Value, at jsontext.Pointer) (jsontext.Value, error) {
	for token := range at.Tokens() {
		t, err := readObject(document)
		if err != nil && document.Kind() == '{' {
			return nil, err
		}
		if document = t[token]; document == nil {
			return nil, fmt.Errorf("the answer has nothing at %s, where the profile has it", at)
		}
	}
	return document, nil
}
