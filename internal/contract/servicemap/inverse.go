package servicemap

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Find returns the operation that a request to the service is a use of, and the texts in its path by parameter; nil means
// none. Services may decode a path before they match it, ignore its letter case, and ignore parameters behind a semicolon
// (RFC 3986 section 3.3): each of these is a use of the operation. A path without parameters wins.
func (m *Map) Find(method, path string) (op *contract.Operation, id string, texts map[string]string) {
	strict, lenient := segments(path, false), segments(path, true)
	fewest := -1
	consider := func(candidate *contract.Operation, candidateID string, at Route) {
		if at.Method != method {
			return
		}
		template := segments(at.Path, true)
		found, ok := match(template, strict)
		if !ok {
			found, ok = match(template, lenient)
		}
		if ok && (fewest < 0 || len(found) < fewest) {
			op, id, texts, fewest = candidate, candidateID, found, len(found)
		}
	}
	for _, candidate := range contract.Operations {
		at, _ := m.Route(candidate)
		consider(candidate, candidate.ID, at)
	}
	consider(&contract.ListTransfers, findTransfer, m.routes[findTransfer])
	return op, id, texts
}

// segments splits an escaped path into decoded segments. Decoded first, an escaped slash separates as well, and empty
// segments and parameters do not count.
func segments(path string, decodedFirst bool) []string {
	path, _, _ = strings.Cut(path, "?")
	decode := func(text string) string {
		if plain, err := url.PathUnescape(text); err == nil {
			return plain
		}
		return text
	}
	if !decodedFirst {
		all := strings.Split(strings.TrimPrefix(path, "/"), "/")
		for i := range all {
			all[i] = decode(all[i])
		}
		return all
	}
	all := strings.FieldsFunc(decode(path), func(r rune) bool { return r == '/' })
	for i, segment := range all {
		all[i], _, _ = strings.Cut(segment, ";")
	}
	return all
}

// match compares the segments of a path with those of a template, and returns what stands for its parameters.
func match(template, path []string) (texts map[string]string, ok bool) {
	if len(template) != len(path) {
		return nil, false
	}
	texts = map[string]string{}
	for i, segment := range template {
		name, isParameter := strings.CutPrefix(segment, "{")
		switch {
		case isParameter:
			texts[strings.TrimSuffix(name, "}")] = path[i]
		case !strings.EqualFold(segment, path[i]):
			return nil, false
		}
	}
	return texts, true
}

// Accept returns the call that a request to the service means. It is ours if it is a use of an operation. The error names
// what has no meaning in the contract's terms.
func (m *Map) Accept(w Wire) (c Call, isOurs bool, err error) {
	op, id, texts := m.Find(w.Method, w.Path)
	if op == nil {
		return c, false, nil
	}
	c.Op = op
	if _, isMapped := m.routes[id]; !isMapped && m.isPlain(id, op.Resource().Name) {
		for _, argument := range parameters(op.Path) {
			c.Params = append(c.Params, texts[argument])
		}
		c.Query, c.Body = w.Query, w.Body
		return c, true, nil
	}
	arguments := parameters(op.Path)
	if len(arguments) == 1 && len(texts) == 1 {
		for _, text := range texts {
			texts = map[string]string{arguments[0]: text}
		}
	}
	kind := op.Resource().Name
	query := m.acceptedQuery(id, kind, w.Query)
	members := object{}
	if len(bytes.TrimSpace(w.Body)) > 0 {
		if members, err = m.acceptedBody(id, kind, w.Body); err != nil {
			return c, true, err
		}
	}
	for _, argument := range arguments {
		text := cmp.Or(texts[argument], query.Get(argument), textOf(members[argument]))
		c.Params = append(c.Params, text)
		delete(query, argument)
		delete(members, argument)
		delete(texts, argument)
	}
	for name, text := range texts {
		isConstant := slices.ContainsFunc(m.send[id], func(k constant) bool { return k.name == name })
		switch {
		case isConstant:
		case op.Body != nil && op.Body.Has(name):
			members[name] = quoted(text)
		default:
			query.Set(name, text)
		}
	}
	if len(query) > 0 {
		c.Query = query
	}
	if op.Body != nil && (len(members) > 0 || len(w.Body) > 0) {
		c.Body = members.write()
	}
	return c, true, err
}

// acceptedQuery reads filters and page parameters in the service's terms.
func (m *Map) acceptedQuery(id, kind string, query url.Values) url.Values {
	pages, read := m.pagesOf(id), url.Values{}
	status := contract.ResourceNamed(kind)
	for name, values := range query {
		isConstant := slices.ContainsFunc(m.send[id], func(k constant) bool { return k.name == name && textOf(k.value) == values[0] })
		switch name {
		case pages.cursor:
			read["cursor"] = values
			continue
		case pages.limit:
			read["limit"] = values
			continue
		}
		for member, p := range m.members[kind] {
			if p.filter == name {
				name = member
				break
			}
		}
		if name == status.Status {
			words := strings.Split(values[0], ",")
			for i, text := range words {
				for _, w := range m.words[status.StatusOf] {
					if textOf(w.value) == text {
						words[i] = w.status
					}
				}
			}
			values = []string{strings.Join(slices.Compact(words), ",")}
		}
		if !isConstant {
			read[name] = values
		}
	}
	return read
}

// acceptedBody reads the members of a request in the service's terms.
func (m *Map) acceptedBody(id, kind string, body []byte) (object, error) {
	sent, err := readObject(body)
	if err != nil {
		return nil, fmt.Errorf("the body is not a JSON object with each member once: %w", err)
	}
	for _, constant := range m.send[id] {
		value, err := sent.take(constant.at)
		if err != nil {
			return nil, err
		}
		if value != nil && !isEqual(value, constant.value) {
			sent.put(constant.at, value)
		}
	}
	members, err := m.move(kind, direction{isSent: true, isBack: true}, sent)
	if err != nil || kind != "transfer" {
		return members, err
	}
	key := sideOf(members)
	if currency := textOf(members[amountCurrency]); m.place(kind, amountCurrency).send != "" {
		if currency != "" && !strings.EqualFold(currency, key.currency()) {
			return nil, fmt.Errorf("the currency %s is not that of the amount on the route, %s", currency, key.currency())
		}
		delete(members, amountCurrency)
	}
	if amount := members["amount"]; amount != nil {
		members["amount"], err = m.amount(amount, key.rail(), key.currency(), true)
	}
	return members, err
}

func isEqual(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

// Answer returns a response of the contract in the service's terms: one resource, one page, or a problem. Members that the
// service does not show are left out.
func (m *Map) Answer(c Call, reply *payments.Response) (*payments.Response, error) {
	written := *reply
	id, _ := m.routeOf(c)
	resource := c.Op.Resource()
	_, isList := c.Op.Shown()
	var err error
	switch {
	case reply.Status >= 300 || len(reply.Body) == 0 || c.Op.IsSandbox() || resource.Name == "" || resource.Name == "token" || resource.Name == "event":
	case isList:
		var page struct {
			Data       []jsontext.Value `json:"data"`
			NextCursor *string          `json:"nextCursor"`
		}
		if err = json.Unmarshal(reply.Body, &page); err == nil {
			written.Body, err = m.answeredPage(id, resource, page.Data, page.NextCursor)
		}
	default:
		if written.Body, err = m.answered(resource, reply.Body); err == nil {
			written.Body, err = wrapped(m.answerAt(id, "one"), written.Body, nil)
		}
	}
	return &written, err
}

// answered returns a resource in the service's terms.
func (m *Map) answered(r *contract.Resource, document jsontext.Value) (jsontext.Value, error) {
	t, err := readObject(document)
	if err != nil {
		return nil, err
	}
	if word := m.wordFor(r.StatusOf, textOf(t[r.Status])); word.Kind() == 'n' && word != nil {
		delete(t, r.Status)
	} else if word != nil {
		t[r.Status] = word
	}
	if r.Name == "transfer" {
		if m.place("transfer", amountCurrency).read != "" {
			t[amountCurrency] = quoted(sideOf(t).currency())
		}
		if err := m.amounts(t, false); err != nil {
			return nil, err
		}
	}
	if t, err = m.move(r.Name, direction{}, t); err != nil {
		return nil, err
	}
	return t.write(), nil
}

// answeredPage returns a page in the service's terms.
func (m *Map) answeredPage(id string, r *contract.Resource, rows []jsontext.Value, next *string) (jsontext.Value, error) {
	for i, row := range rows {
		written, err := m.answered(r, row)
		if err != nil {
			return nil, err
		}
		rows[i] = written
	}
	if id == findTransfer {
		if len(rows) == 0 {
			return jsontext.Value("null"), nil
		}
		return wrapped(m.answerAt(id, "one"), rows[0], nil)
	}
	page, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	p, beside := m.pagesOf(id), map[jsontext.Pointer]jsontext.Value{}
	if next != nil && strings.HasPrefix(p.next, "/") {
		beside[jsontext.Pointer(p.next)] = quoted(*next)
	}
	if p.next == "" {
		beside["/nextCursor"] = jsontext.Value("null")
		if next != nil {
			beside["/nextCursor"] = quoted(*next)
		}
	}
	if p.more != "" {
		beside[p.more] = jsontext.Value(map[bool]string{true: "true", false: "false"}[next != nil])
	}
	at := m.answerAt(id, "list")
	if at == "" && len(beside) > 0 {
		at = "/data"
	}
	return wrapped(at, page, beside)
}

// wrapped puts a value at a pointer, and others beside it.
func wrapped(at jsontext.Pointer, value jsontext.Value, beside map[jsontext.Pointer]jsontext.Value) (jsontext.Value, error) {
	if at == "" {
		return value, nil
	}
	t := object{}
	t.put(at, value)
	for other, value := range beside {
		t.put(other, value)
	}
	return t.write(), nil
}
