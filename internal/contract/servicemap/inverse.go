package servicemap

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Find returns the operation of a request to the service, and the texts in its path by parameter. Nil means that there
// is none. Services may decode a path before they match it, ignore its letter case, or ignore parameters behind a
// semicolon (RFC 3986 section 3.3). Each of these is a use of the operation. A path without parameters wins.
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

// segments splits an escaped path into decoded segments. With decodedFirst an escaped slash also separates, and empty
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

// match compares the segments of a path with those of a template, and returns the parameters.
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

// Accept returns the call of a request to the service. It is ours if it uses an operation. The error names what the
// contract has no terms for.
func (m *Map) Accept(w Wire) (c Call, isOurs bool, err error) {
	op, id, texts := m.Find(w.Method, w.Path)
	if op == nil {
		return c, false, nil
	}
	c.Op, c.use = op, id
	if op == &contract.CreateAccessToken {
		if !bytes.Equal(w.Body, m.login.Body) {
			c.Body = w.Body
		}
		return c, true, nil
	}
	if _, isMapped := m.routes[id]; !isMapped && m.isPlain(op, id) {
		for _, argument := range contract.Parameters(op.Path) {
			c.Params = append(c.Params, texts[argument])
		}
		c.Query, c.Body = w.Query, w.Body
		return c, true, nil
	}
	arguments := contract.Parameters(op.Path)
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
		isConstant := slices.ContainsFunc(m.send[id], func(k constant) bool {
			return k.name == name &&
				textOf(k.value) == values[0]
		})
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

// StandIn returns the differences that serve --as cannot imitate.
func (m *Map) StandIn() (lacks []string) {
	if m.PlaceOf("account", "id") == m.PlaceOf("account", "externalId") {
		lacks = append(lacks, "Accounts are not read by their external id, as the profile says (members.account.id).")
	}
	if at, _ := m.Route(&contract.CreateAccount); at.Method == http.MethodPut {
		lacks = append(lacks, "A PUT that creates an account does not look for one that exists.")
	}
	if m.answers[contract.ListEvents.ID] != "" || m.pages[contract.ListEvents.ID] != (pages{}) {
		lacks = append(lacks, "Events have the contract's form.")
	}
	return lacks
}

// Missing returns the constants and further members that the body of a call lacks.
func (m *Map) Missing(c Call, body []byte) payments.FieldErrors {
	missing := payments.FieldErrors{}
	if c.Op.Body == nil || c.Op.Method == "GET" {
		return missing
	}
	for _, constant := range m.send[c.use] {
		if value, err := valueAt(body, constant.at); value == nil || err != nil {
			name := dotted(constant.at)
			missing.Add(name, payments.RequiredMessage(name))
		}
	}
	return missing
}

// dotted writes a place like a field of a problem's errors.
func dotted(at jsontext.Pointer) string {
	return strings.ReplaceAll(strings.Trim(string(at), "/"), "/", ".")
}

// A contractPage is a page of a list in the contract's terms. Total is set if all rows were counted.
type contractPage struct {
	Data       []jsontext.Value `json:"data"`
	NextCursor *string          `json:"nextCursor"`
	Total      *int             `json:"total,omitempty"`
}

// Page returns the answer of get to a call. If the service counts the pages or rows of a list, Page reads the whole
// list and cuts the page from it.
func (m *Map) Page(c Call, get func(url.Values) *payments.Response) *payments.Response {
	id, _ := m.routeOf(c)
	p := m.pagesOf(id)
	word, first, _ := strings.Cut(p.next, " ")
	isCounted := p.total != "" || slices.Contains([]string{"page", "offset", "id", none}, word)
	if _, isList := c.Op.Shown(); !isList || id == findTransfer || !isCounted {
		return get(c.Query)
	}
	at, all, query := c.Query.Get("cursor"), contractPage{}, url.Values{}
	maps.Copy(query, c.Query)
	size, err := strconv.Atoi(query.Get("limit"))
	if err != nil {
		size = payments.DefaultPage
	}
	var reply *payments.Response
	for delete(query, "cursor"); ; query.Set("cursor", *all.NextCursor) {
		page := contractPage{}
		if reply = get(query); reply == nil || reply.Status != http.StatusOK || json.Unmarshal(reply.Body, &page) != nil {
			return reply
		}
		all.Data, all.NextCursor = append(all.Data, page.Data...), page.NextCursor
		if page.NextCursor == nil {
			break
		}
	}
	total := len(all.Data)
	from, _ := strconv.Atoi(cmp.Or(at, first))
	switch word {
	case "page":
		start, _ := strconv.Atoi(first)
		from = (from - start) * size
	case "id":
		from = 1 + slices.IndexFunc(all.Data, func(row jsontext.Value) bool {
			id, _ := valueAt(row, "/id")
			return at != "" && textOf(id) == at
		})
	case none:
		from, size = 0, total
	}
	from = min(max(from, 0), total)
	until := min(from+size, total)
	if all.Data, all.Total = all.Data[from:until], &total; until < total {
		all.NextCursor = new(strconv.Itoa(until))
	}
	reply.Body, _ = json.Marshal(all) // values that were read
	return reply
}

// Answer returns a response of the contract in the service's terms: one resource, one page, or a problem. Members that
// the service does not show are left out. At is the requested address.
func (m *Map) Answer(c Call, at *url.URL, reply *payments.Response) (*payments.Response, error) {
	written := *reply
	written.Header = http.Header(reply.Header).Clone()
	id, _ := m.routeOf(c)
	resource := c.Op.Resource()
	_, isList := c.Op.Shown()
	var err error
	switch {
	case c.Op.IsSandbox() || len(reply.Body) == 0:
	case reply.Status >= http.StatusBadRequest:
		written.Body, err = m.answeredProblem(c.Op, reply.Body)
	case resource == contract.ListEvents.Resource():
		written.Body, err = m.answeredEvents(reply.Body)
	case resource.Name == "" || resource.Name == "token":
	case isList:
		var page contractPage
		if err = json.Unmarshal(reply.Body, &page); err == nil {
			err = m.answeredPage(id, at, resource, page, &written)
		}
	default:
		var shown jsontext.Value
		if shown, err = m.answered(resource, reply.Body); err == nil {
			written.Body = wrapped(m.answerAt(id, "one"), shown, nil)
		}
		if written.Header["Location"] != nil && resource.Get != nil {
			created, _ := valueAt(reply.Body, "/id")
			w, missing := m.Request(Call{Op: resource.Get, Params: []string{textOf(created)}})
			if delete(written.Header, "Location"); missing == nil {
				written.Header["Location"] = []string{w.Path}
			}
		}
	}
	return &written, err
}

// answeredProblem returns a problem with the service's names of members.
func (m *Map) answeredProblem(op *contract.Operation, body jsontext.Value) (jsontext.Value, error) {
	t, err := readObject(body)
	if err != nil || t["errors"] == nil {
		return body, err
	}
	var named, renamed map[string][]string
	if err := json.Unmarshal(t["errors"], &named); err != nil {
		return nil, err
	}
	renamed = map[string][]string{}
	for name, messages := range named {
		first := name
		if end := strings.IndexAny(name, ".["); end >= 0 {
			first = name[:end]
		}
		p := m.place(op.Resource().Name, first)
		own := cmp.Or(dotted(p.send), first)
		if op.Method == http.MethodGet {
			own = cmp.Or(p.filter, first)
		}
		for i, message := range messages {
			messages[i] = strings.Replace(message, "The "+first, "The "+own, 1)
		}
		renamed[own+strings.TrimPrefix(name, first)] = messages
	}
	t["errors"], err = json.Marshal(renamed, json.Deterministic(true))
	return t.write(), err
}

// answeredEvents returns a page of events with the service's words for statuses.
func (m *Map) answeredEvents(body jsontext.Value) (jsontext.Value, error) {
	page, err := readObject(body)
	if err == nil {
		page["data"], err = eachElement(page["data"], m.AnswerEvent)
	}
	return page.write(), err
}

// AnswerEvent returns an event with the service's words for statuses.
func (m *Map) AnswerEvent(event jsontext.Value) (jsontext.Value, error) {
	return m.eventWords(event, func(kind string, status jsontext.Value) (jsontext.Value, bool) {
		word := m.wordFor(kind, textOf(status))
		return word, word != nil
	})
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

// answeredPage writes a page in the service's terms.
func (m *Map) answeredPage(
	id string, at *url.URL, r *contract.Resource, page contractPage, reply *payments.Response,
) error {
	for i, row := range page.Data {
		written, err := m.answered(r, row)
		if err != nil {
			return err
		}
		page.Data[i] = written
	}
	if id == findTransfer {
		if reply.Body = jsontext.Value("null"); len(page.Data) > 0 {
			reply.Body = wrapped(m.answerAt(id, "one"), page.Data[0], nil)
		}
		return nil
	}
	rows, err := json.Marshal(page.Data)
	if err != nil {
		return err
	}
	p, beside, next := m.pagesOf(id), map[jsontext.Pointer]jsontext.Value{}, jsontext.Value("null")
	if page.NextCursor != nil {
		next = quoted(*page.NextCursor)
	}
	word, field, _ := strings.Cut(p.next, " ")
	switch {
	case p.next == "":
		beside["/nextCursor"] = next
	case p.next[0] == '/':
		beside[jsontext.Pointer(p.next)] = next
	case next.Kind() != '"':
	case word == "header":
		http.Header(reply.Header).Set(field, *page.NextCursor)
	case word == "link":
		query := at.Query()
		query.Set(p.cursor, *page.NextCursor)
		reply.Header["Link"] = []string{"<" + at.EscapedPath() + "?" + query.Encode() + `>; rel="next"`}
	}
	if p.more != "" {
		beside[p.more] = jsontext.Value(strconv.FormatBool(page.NextCursor != nil))
	}
	if p.total != "" && page.Total != nil {
		beside[p.total] = jsontext.Value(strconv.Itoa(*page.Total))
	}
	place := m.answerAt(id, "list")
	if place == "" && len(beside) > 0 {
		place = "/data"
	}
	reply.Body = wrapped(place, rows, beside)
	return nil
}

// wrapped puts a value at a pointer, and others beside it.
func wrapped(at jsontext.Pointer, value jsontext.Value, beside map[jsontext.Pointer]jsontext.Value) jsontext.Value {
	if at == "" {
		return value
	}
	t := object{}
	t.put(at, value)
	for other, value := range beside {
		t.put(other, value)
	}
	return t.write()
}
