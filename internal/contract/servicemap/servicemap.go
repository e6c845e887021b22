// Package servicemap translates between the contract and a service that differs from it. A profile describes the
// service: where it has its operations, members and pages, and its words for statuses. Inside the program everything
// has the contract's terms. The client translates a request with Map.Request and its response with Map.Response.
// Map.Accept and Map.Answer are the inverse.
package servicemap

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A Map describes how a service differs from the contract. The zero Map is the contract itself. Parse makes any other.
type Map struct {
	// KeyHeader is the header field of idempotency keys. Empty means Idempotency-Key.
	KeyHeader string

	routes   map[string]Route            // by operationId
	answers  map[string]jsontext.Pointer // by one, list or operationId
	pages    map[string]pages            // by operationId; that of "" is for all lists
	members  map[string]map[string]place // by kind and member
	names    map[string][]string         // of the members of a kind, sorted
	words    map[string][]word           // by kind
	send     map[string][]constant       // by operationId
	unit     string                      // of amounts: number or minor; empty means a text
	decimals map[string]int              // by currency, or rail:currency
	login    Wire                        // the body of a token request without one, and its media type
}

// A Route is the method and path template of an operation at the service. It is zero if there is none.
type Route struct{ Method, Path string }

// A Call is the use of an operation in the contract's terms.
type Call struct {
	Op     *contract.Operation
	Params []string // of the path
	Query  url.Values
	Body   jsontext.Value // nil means none

	use string // the operation of the profile that Accept found; empty means that Op and Query decide
}

// A Wire is a call in the service's terms. Path is escaped.
type Wire struct {
	Method, Path string
	Query        url.Values
	Body         []byte
	Media        string // of the body; empty means the contract's
}

// A place is where a service has a member. An empty pointer or filter means that it has none.
type place struct {
	read, send jsontext.Pointer
	filter     string // the query parameter of lists
}

// A word is a service's text, number or truth value for a status. Null means that the member is absent.
type word struct {
	status string
	value  jsontext.Value
}

// A constant is sent with each use of an operation. Null means that the command gives it.
type constant struct {
	name  string // of a further member or a parameter; empty for a deeper place
	at    jsontext.Pointer
	value jsontext.Value
}

// amountCurrency is the currency of a transfer's amount. It is not in the contract, but a profile may say where it is.
const amountCurrency = "amountCurrency"

// findTransfer is the operation of a profile that finds a transfer by a member. It is listTransfers with this filter.
const findTransfer = "findTransfer"

// A MissingError is the error of a use of an operation that the service does not have.
type MissingError struct{ Operation string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("the service has no %s, as the profile says (operations.%s: none)", e.Operation, e.Operation)
}

// Route returns where the service has an operation, and whether a profile says so.
func (m *Map) Route(op *contract.Operation) (at Route, isMapped bool) {
	if at, isMapped = m.routes[op.ID]; !isMapped {
		at = Route{op.Method, op.Path}
	}
	return at, isMapped
}

// HasList reports whether the service has a list of transfers, or finds one by a member.
func (m *Map) HasList() bool {
	at, _ := m.Route(&contract.ListTransfers)
	return at.Method != "" || m.routes[findTransfer].Method != ""
}

// routeOf returns where a call goes, and the operation of the profile that it uses.
func (m *Map) routeOf(c Call) (id string, at Route) {
	if c.use != "" && c.use != findTransfer {
		at, _ = m.Route(c.Op)
		return c.use, at
	}
	if find := m.routes[findTransfer]; c.Op == &contract.ListTransfers && find.Method != "" {
		if names := contract.Parameters(find.Path); slices.ContainsFunc(names, c.Query.Has) {
			return findTransfer, find
		}
	}
	at, _ = m.Route(c.Op)
	return c.Op.ID, at
}

// isPlain reports whether requests of an operation differ from the contract only in their place.
func (m *Map) isPlain(op *contract.Operation, id string) bool {
	differences := len(m.members[op.Resource().Name]) + len(m.words) + len(m.send[id]) + len(m.pages)
	return op.IsSandbox() || differences == 0 && m.unit == ""
}

// Request returns a call in the service's terms. Equal calls become equal bytes. The error names a member without a
// place at the service.
func (m *Map) Request(c Call) (w Wire, err error) {
	id, at := m.routeOf(c)
	if at.Method == "" {
		return w, &MissingError{id}
	}
	kind := c.Op.Resource().Name
	if c.Op == &contract.CreateAccessToken && c.Body == nil && m.login.Body != nil {
		return Wire{Method: at.Method, Path: at.Path, Body: m.login.Body, Media: m.login.Media}, nil
	}
	_, isMapped := m.routes[id]
	if w.Method, w.Query, w.Body = at.Method, c.Query, c.Body; !isMapped && m.isPlain(c.Op, id) {
		w.Path = contract.Expand(at.Path, c.Params...)
		return w, nil
	}
	body, query, further := object{}, url.Values{}, object{} // further are constants with a name
	if len(c.Body) > 0 {
		if body, err = readObject(c.Body); err != nil {
			return w, fmt.Errorf("the body is not a JSON object: %w", err)
		}
	}
	maps.Copy(query, c.Query)
	for _, constant := range m.send[id] {
		_, isGiven := body[constant.name]
		switch {
		case isGiven && constant.name != "":
		case constant.value.Kind() == 'n' && len(c.Body) > 0:
			return w, fmt.Errorf("the service needs the member %s: give it with --set %s=TEXT", constant.name, constant.name)
		case constant.name != "":
			further[constant.name] = constant.value
		}
	}
	if w.Path, err = m.expand(at.Path, c, body, further, query); err != nil {
		return w, err
	}
	if w.Query, err = m.query(id, kind, w.Path, query); err != nil {
		return w, err
	}
	if at.Method == "GET" || c.Op.IsRead() && c.Op.Body == nil {
		for name, value := range further {
			w.Query.Set(name, textOf(value))
		}
		return w, nil
	}
	if w.Body = nil; len(c.Body) == 0 && len(body)+len(m.send[id]) == 0 {
		return w, nil
	}
	if amount := body["amount"]; amount != nil && kind == "transfer" {
		key := sideOf(body)
		if body["amount"], err = m.amount(amount, key.rail(), key.currency(), false); err != nil {
			return w, err
		}
		if m.place(kind, amountCurrency).send != "" {
			body[amountCurrency] = quoted(key.currency())
		}
	}
	if body, err = m.move(kind, direction{isSent: true}, body); err != nil {
		return w, err
	}
	for _, constant := range m.send[id] {
		switch value := further[constant.name]; {
		case constant.name == "":
			body.put(constant.at, constant.value)
		case value != nil:
			body[constant.name] = value
		}
	}
	w.Body = body.write()
	return w, nil
}

// expand fills a path template with arguments, or else with members, filters and constants, which are then left out
// elsewhere. An argument without a parameter goes into the body or the query.
func (m *Map) expand(
	template string, c Call, members, further object, query url.Values,
) (path string, err error) {
	names, arguments := contract.Parameters(template), contract.Parameters(c.Op.Path)
	texts := make([]string, len(names))
	used := make([]bool, len(arguments))
	for i, name := range names {
		argument := slices.Index(arguments, name)
		if len(names) == 1 && len(arguments) == 1 {
			argument = 0
		}
		switch {
		case argument >= 0 && argument < len(c.Params):
			texts[i], used[argument] = c.Params[argument], true
		case members[name] != nil:
			texts[i] = textOf(members[name])
			delete(members, name)
		case query.Get(name) != "":
			texts[i] = query.Get(name)
			query.Del(name)
		default:
			texts[i] = textOf(further[name])
			delete(further, name)
		}
		switch texts[i] {
		case "":
			return "", fmt.Errorf("the service has %s at %s, and no %s is given", c.Op.ID, template, name)
		case ".", "..": // not a normal segment (RFC 3986 section 3.3)
			return "", fmt.Errorf("the service has %s at %s, and %q cannot stand there", c.Op.ID, template, texts[i])
		}
	}
	for i, argument := range arguments {
		switch {
		case used[i] || i >= len(c.Params):
		case c.Op.IsRead():
			query.Set(argument, c.Params[i])
		default:
			members[argument] = quoted(c.Params[i])
		}
	}
	return contract.Expand(template, texts...), nil
}

// query writes filters and page parameters in the service's terms.
func (m *Map) query(id, kind, path string, query url.Values) (url.Values, error) {
	pages, written := m.pagesOf(id), url.Values{}
	for name, values := range query {
		switch {
		case name == "cursor" && id != contract.ListEvents.ID:
			_, own := pages.seen(values[0])
			if isURL(own) {
				return follow(own, path)
			}
			written[pages.cursor] = []string{own}
		case name == "limit":
			written[pages.limit] = values
		case (name == "createdAfter" || name == "createdBefore") && m.place(kind, "createdAt").filter == "":
		case name == contract.ResourceNamed(kind).Status:
			if words := m.filterWords(contract.ResourceNamed(kind).StatusOf, strings.Split(values[0], ",")); words != "" {
				written.Set(m.place(kind, name).filter, words)
			}
		default:
			written[m.place(kind, name).filter] = values
		}
	}
	delete(written, "") // filters that the service does not have; the rows are filtered again
	return written, nil
}

// place returns where a service has a member of a kind.
func (m *Map) place(kind, name string) place {
	if p, isMapped := m.members[kind][name]; isMapped {
		return p
	}
	own := jsontext.Pointer("/" + name)
	if kind == "transfer" && name == amountCurrency { // not in the contract
		return place{}
	}
	return place{own, own, name}
}

// NameOf returns the service's name of a member that it shows, or a JSON Pointer if it is deeper.
func (m *Map) NameOf(kind, member string) string {
	at := m.place(kind, member).read
	if strings.Count(string(at), "/") == 1 {
		return at.LastToken()
	}
	return string(at)
}

// PlaceOf returns where the service shows a member, or "".
func (m *Map) PlaceOf(kind, member string) jsontext.Pointer { return m.place(kind, member).read }

// AnswerAt returns where the answer to an operation has its resource, or the rows of its list. It is empty if the
// profile does not say.
func (m *Map) AnswerAt(op *contract.Operation) jsontext.Pointer {
	kind := "one"
	if _, isList := op.Shown(); isList {
		kind = "list"
	}
	return m.answerAt(op.ID, kind)
}

// answerAt is AnswerAt for an operation of the profile. The kind is one or list.
func (m *Map) answerAt(id, kind string) jsontext.Pointer {
	return cmp.Or(m.answers[id], m.answers[kind])
}

// Further lists the further members of an operation that the profile names.
func (m *Map) Further(op *contract.Operation) (names []string) {
	for _, c := range m.send[op.ID] {
		if c.name != "" {
			names = append(names, c.name)
		}
	}
	return names
}

// Needs lists the further members of an operation that a command must give.
func (m *Map) Needs(op *contract.Operation) (names []string) {
	for _, c := range m.send[op.ID] {
		if c.value.Kind() == 'n' {
			names = append(names, c.name)
		}
	}
	return names
}

// Personal lists the service's names of members that may hold personal data.
func (m *Map) Personal() (names []string) {
	for _, members := range m.members {
		for name, p := range members {
			for _, at := range []jsontext.Pointer{p.read, p.send} {
				if at != "" && !payments.IsHarmless(name, "") && !strings.HasSuffix(name, "At") {
					names = append(names, at.LastToken())
				}
			}
		}
	}
	return names
}

// Problem returns the names in the member errors of a problem document in the contract's terms.
func (m *Map) Problem(op *contract.Operation, name string) string {
	kind := op.Resource().Name
	at := jsontext.Pointer("/" + strings.ReplaceAll(strings.TrimPrefix(name, "/"), ".", "/"))
	for _, member := range slices.Sorted(maps.Keys(m.members[kind])) {
		if m.members[kind][member].send == at {
			return member
		}
	}
	return name
}

// ProofLacks returns the missing proofs of a lost payment, each with the line of the profile that would help.
func (m *Map) ProofLacks() (lacks []string) {
	shows := func(member string) bool { return m.place("transfer", member).read != "" }
	if !shows("reference") {
		lacks = append(lacks, "Transfers do not show their reference. "+
			"If the service has it: members.transfer.reference: /POINTER")
	}
	if !shows("amount") && !shows("destinationSavedContactId") {
		lacks = append(lacks, "Transfers show neither amount nor contact. "+
			"If the service has one: members.transfer.amount: /POINTER")
	}
	if at, _ := m.Route(&contract.GetTransfer); at.Method == "" {
		lacks = append(lacks, "A transfer cannot be read. "+
			"If the service has it: operations.getTransfer: GET /PATH/{transferId}")
	}
	if !m.HasList() {
		lacks = append(lacks, "Transfers cannot be looked for. "+
			"If the service has it: operations.findTransfer: GET /PATH/{reference}")
	}
	return lacks
}

func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text) // invalid UTF-8 is replaced; Request refuses it before
	return value
}

// textOf returns the text of a JSON string, number or truth value, or "".
func textOf(value jsontext.Value) string {
	switch value.Kind() {
	case '"':
		text, _ := jsontext.AppendUnquote(nil, value)
		return string(text)
	case '0', 't', 'f':
		return string(value)
	}
	return ""
}

// FindsOne reports whether a list reads one row at its own path. A 404 there means that there is none.
func (m *Map) FindsOne(op *contract.Operation, query url.Values) bool {
	id, _ := m.routeOf(Call{Op: op, Query: query})
	return id == findTransfer
}
