package servicemap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// A Mistake is a fault in a profile's description of a service.
type Mistake struct {
	Line, Column int
	Text         string
}

// none means that the service does not have something.
const none = "none"

// MappedResources are the resources whose members a profile can map.
var MappedResources = []string{"account", "kyc", "contact", "transfer"}

// A parser reads the parts of a profile that describe the service.
type parser struct {
	*Map
	at       map[string]*yaml.Node // the nodes of the profile, by path
	mistakes []Mistake
}

// sections reads each key of a profile that describes the service.
var sections = map[string]func(*parser, *yaml.Node){
	"idempotency_header": (*parser).readKeyHeader,

	"operations": (*parser).readOperations,
	"answers":    (*parser).readAnswers,
	"pages":      (*parser).readPages,
	"members":    (*parser).readMembers,
	"send":       (*parser).readSend,
	"values":     (*parser).readValues,
	"amounts":    (*parser).readAmounts,
	"decimals":   (*parser).readDecimals,
	"login":      (*parser).readLogin,
}

// IsKey reports whether a key of a profile describes the service.
func IsKey(name string) bool { return sections[name] != nil }

// Parse reads the description of a service from a profile. It ignores other keys. With mistakes, the map cannot be
// used.
func Parse(profile *yaml.Node) (*Map, []Mistake) {
	p := &parser{Map: &Map{}, at: map[string]*yaml.Node{}}
	p.each(profile, "", nil, func(key, value *yaml.Node) {
		if read := sections[key.Value]; read != nil {
			read(p, value)
		}
	})
	if len(p.mistakes) == 0 { // an unread part leads to further mistakes
		p.checkRoutes()
		p.checkPlaces()
		p.checkWords()
		p.checkUnits()
	}
	p.names = map[string][]string{}
	for kind, members := range p.members {
		p.names[kind] = slices.Sorted(maps.Keys(members))
	}
	slices.SortStableFunc(p.mistakes, func(a, b Mistake) int { return a.Line*1e6 + a.Column - b.Line*1e6 - b.Column })
	return p.Map, p.mistakes
}

func (p *parser) fault(n *yaml.Node, format string, args ...any) {
	if n == nil {
		n = &yaml.Node{Line: 1, Column: 1}
	}
	p.mistakes = append(p.mistakes, Mistake{n.Line, n.Column, fmt.Sprintf(format, args...)})
}

// each reads the members of a mapping. Known are its possible names. Nil means any.
func (p *parser) each(n *yaml.Node, path string, known []string, do func(key, value *yaml.Node)) {
	if n.ShortTag() == "!!null" && n.Kind == yaml.ScalarNode {
		return
	}
	if n.Kind != yaml.MappingNode {
		p.fault(n, "%s: a mapping of names to values is expected", path)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := strings.TrimPrefix(path+"."+key.Value, ".")
		switch {
		case key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" || value.Kind == yaml.AliasNode || value.Anchor != "":
			p.fault(key, "%s: anchors, aliases and merges are not read here", name)
		case seen[key.Value]:
			p.fault(key, "%s is given twice", name)
		case known != nil && !slices.Contains(known, key.Value):
			guess := "; payctl help operations lists what is"
			if nearest := textutil.Guess(key.Value, known); nearest != "" {
				guess = fmt.Sprintf("; did you mean %s?", nearest)
			} else if len(known) <= 12 {
				guess = "; known are " + strings.Join(known, ", ")
			}
			p.fault(key, "%s is not known%s", name, guess)
		default:
			p.at[name] = value
			do(key, value)
		}
		seen[key.Value] = true
	}
}

// text returns a plain text of the profile, without control characters.
func (p *parser) text(n *yaml.Node, path string) string {
	if n.Kind != yaml.ScalarNode || n.ShortTag() == "!!null" || n.Value == "" ||
		strings.ContainsFunc(n.Value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		p.fault(n, "%s: a text in one line is expected", path)
		return ""
	}
	return n.Value
}

// pointer returns a JSON Pointer (RFC 6901) into objects.
func (p *parser) pointer(n *yaml.Node, path string) (at jsontext.Pointer) {
	text := p.text(n, path)
	at = jsontext.Pointer(text)
	if text != "" && (!strings.HasPrefix(text, "/") || !at.IsValid()) {
		p.fault(n, "%s: the place is a JSON Pointer such as /data/status", path)
	}
	for token := range at.Tokens() {
		if token == "" || token == "-" || strings.Trim(token, "0123456789") == "" {
			p.fault(n, "%s: %s leads into an array, whose order nobody promises; name members alone", path, text)
			break
		}
	}
	return at
}

// readKeyHeader reads the name of a header field (RFC 9110 section 5.6.2) that a client may set.
func (p *parser) readKeyHeader(n *yaml.Node) {
	p.KeyHeader = p.text(n, "idempotency_header")
	reserved := []string{"authorization", "host", "content-type", "content-length", "cookie", "connection", "accept",
		"user-agent"}
	if !textutil.Regexp(`^[A-Za-z0-9_-]*$`).MatchString(p.KeyHeader) || slices.Contains(reserved, strings.ToLower(p.KeyHeader)) {
		p.fault(n, "idempotency_header: the name of a header field such as X-Request-Key is expected")
	}
}

func (p *parser) readOperations(n *yaml.Node) {
	known := []string{findTransfer}
	for _, op := range contract.Operations {
		if !op.IsSandbox() && op.Access != contract.Open {
			known = append(known, op.ID)
		}
	}
	p.routes = map[string]Route{}
	p.each(n, "operations", known, func(key, value *yaml.Node) {
		id, text := key.Value, p.text(value, "operations."+key.Value)
		op := operation(id)
		switch {
		case text == "":
		case text == none && op.Origin == contract.Published:
			p.fault(value, "operations.%s: the operation is published, so every service has it", id)
		case text == none:
			p.routes[id] = Route{}
		default:
			method, path, _ := strings.Cut(text, " ")
			if err := CheckRoute(op, text); err != nil {
				p.fault(value, "operations.%s: %v", id, err)
			}
			p.routes[id] = Route{method, path}
		}
	})
}

// CheckRoute returns why an operation cannot be at a "METHOD /path".
func CheckRoute(op *contract.Operation, text string) error {
	method, path, _ := strings.Cut(text, " ")
	switch {
	case !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method):
		return errors.New("METHOD /path is expected, or none")
	case method == "GET" && !op.IsRead():
		return errors.New("the operation changes something, which GET must not")
	case op.Origin == contract.Published && path != op.Path:
		return fmt.Errorf("the path %s is published; only the method can differ", op.Path)
	case !isPath(path):
		return errors.New("the path begins with one slash and has no empty, . or .. segment, query, fragment or blank")
	}
	return nil
}

// isPath reports whether a template is a path below the base URL.
func isPath(path string) bool {
	hasDots := strings.Contains(path+"/", "/./") || strings.Contains(path+"/", "/../")
	return !hasDots && textutil.Regexp(`^(?:/(?:[A-Za-z0-9._~:@!$&'()*+,;=-]+|\{[A-Za-z0-9_.-]+\}))+$`).MatchString(path)
}

// operation returns the operation with a name in profiles.
func operation(id string) *contract.Operation {
	if id == findTransfer {
		return &contract.ListTransfers
	}
	return contract.Find(id)
}

// mappable lists the operations whose documents a profile can map.
func mappable() (ids []string) {
	for _, op := range contract.Operations {
		if slices.Contains(MappedResources, op.Resource().Name) {
			ids = append(ids, op.ID)
		}
	}
	return append(ids, findTransfer)
}

func (p *parser) readAnswers(n *yaml.Node) {
	p.answers = map[string]jsontext.Pointer{}
	p.each(n, "answers", append(mappable(), "one", "list"), func(key, value *yaml.Node) {
		p.answers[key.Value] = p.pointer(value, "answers."+key.Value)
	})
}

func (p *parser) readPages(n *yaml.Node) {
	p.pages = map[string]pages{}
	names := []string{"next", "more", "total", "cursor", "limit"}
	lists := []string{contract.ListAccounts.ID, contract.ListSavedContacts.ID, contract.ListTransfers.ID}
	read := func(n *yaml.Node, path string, known []string, all pages) pages {
		p.each(n, path, known, func(key, value *yaml.Node) {
			name := path + "." + key.Value
			switch key.Value {
			case "next":
				all.next = p.readNext(value, name)
			case "more":
				all.more = p.pointer(value, name)
			case "total":
				all.total = p.pointer(value, name)
			case "cursor":
				all.cursor = p.parameter(value, name)
			case "limit":
				all.limit = p.parameter(value, name)
			}
		})
		word, _, _ := strings.Cut(all.next, " ")
		if word == none && all.more+all.total != "" || (word == "header" || word == "link") && all.more != "" {
			p.fault(n, "%s: next: %s excludes more, and none excludes total", path, all.next)
		}
		switch {
		case all.cursor == all.limit:
			p.fault(n, "%s: cursor and limit have the same name", path)
		case all.cursor == "" && (word == "page" || word == "offset" || word == "id"):
			p.fault(n, "%s: next: %s needs the name of a parameter: cursor", path, all.next)
		case all.next == "" && all.more+all.total != "":
			p.fault(n, "%s: more and total need next", path)
		}
		return all
	}
	p.pages[""] = read(n, "pages", append(slices.Clone(names), lists...), pages{cursor: "cursor", limit: "limit"})
	for _, id := range lists {
		if own := p.at["pages."+id]; own != nil {
			all := p.pages[""]
			if slices.ContainsFunc(own.Content, func(n *yaml.Node) bool { return n.Value == "next" }) {
				all.more, all.total = "", ""
			}
			p.pages[id] = read(own, "pages."+id, names, all)
		}
	}
}

// parameter returns the name of a query parameter, or "" for none.
func (p *parser) parameter(n *yaml.Node, path string) string {
	name := p.text(n, path)
	switch {
	case name == none:
		return ""
	case strings.ContainsAny(name, " &=?#/"):
		p.fault(n, "%s: the name of a query parameter is expected, or none", path)
	}
	return name
}

// readNext reads where the next page is.
func (p *parser) readNext(n *yaml.Node, path string) string {
	text := p.text(n, path)
	switch {
	case strings.HasPrefix(text, "/"):
		return string(p.pointer(n, path))
	case text == "page":
		p.fault(n, "%s: counted pages need their first number: page 0 or page 1", path)
	case text != "" && !textutil.Regexp(`^(?:link|offset|id|none|page [01]|header [A-Za-z0-9_-]+)$`).MatchString(text):
		p.fault(n, "%s: /POINTER, link, header NAME, page 0, page 1, offset, id or none is expected", path)
	}
	return text
}

func (p *parser) readMembers(n *yaml.Node) {
	p.members = map[string]map[string]place{}
	if n.Kind == yaml.MappingNode {
		for _, key := range n.Content {
			switch key.Value {
			case "list":
				p.fault(key, "members.list: rows and pages have keys of their own: answers.list and pages")
				return
			case "token":
				p.fault(key, "members.token: the token's members are published and have no other place")
				return
			}
		}
	}
	p.each(n, "members", MappedResources, func(kind, members *yaml.Node) {
		shown, sent := membersOf(kind.Value)
		known := slices.Concat(shown, sent)
		if kind.Value == "transfer" {
			known = append(known, "currency")
		}
		p.members[kind.Value] = map[string]place{}
		p.each(members, "members."+kind.Value, known, func(key, value *yaml.Node) {
			name := key.Value
			if kind.Value == "transfer" && name == "currency" {
				name = amountCurrency
				p.at["members.transfer."+name] = value
			}
			p.members[kind.Value][name] = p.readPlace(kind.Value, name, "members."+kind.Value+"."+key.Value, value)
		})
	})
}

// membersOf lists the members of documents of a kind, and those of requests.
func membersOf(kind string) (shown, sent []string) {
	r := contract.ResourceNamed(kind)
	for _, m := range r.Schema().Members {
		shown = append(shown, m.Name)
	}
	for _, use := range r.Uses {
		if use.Op.Body != nil {
			for _, m := range use.Op.Body.Members {
				sent = append(sent, m.Name)
			}
		}
	}
	if kind == "transfer" {
		shown, sent = append(shown, amountCurrency), append(sent, amountCurrency)
	}
	return shown, sent
}

func (p *parser) readPlace(kind, name, path string, n *yaml.Node) (at place) {
	at = (&Map{}).place(kind, name)
	spot := func(n *yaml.Node, path string) jsontext.Pointer {
		if n.Value == none {
			return ""
		}
		return p.pointer(n, path)
	}
	if n.Kind == yaml.ScalarNode {
		if at.read = spot(n, path); !isPublished(kind, name) {
			at.send = at.read
		}
		if at.filter = ""; at.read != "" {
			at.filter = name
		}
	} else {
		p.each(n, path, []string{"read", "send", "filter"}, func(key, value *yaml.Node) {
			switch key.Value {
			case "read":
				at.read = spot(value, path+".read")
			case "send":
				if at.send = spot(value, path+".send"); isPublished(kind, name) && at.send != (&Map{}).place(kind, name).send {
					p.fault(value, "%s.send: its place in a request is published", path)
				}
			case "filter":
				at.filter = p.parameter(value, path+".filter")
			}
		})
	}
	if _, sent := membersOf(kind); !slices.Contains(sent, name) {
		if send := p.at[path+".send"]; send != nil && send.Value != none {
			p.fault(send, "%s.send: no request has this member", path)
		}
		at.send = ""
	}
	list := contract.ResourceNamed(kind).List
	isFilter := func(m contract.Member) bool { return m.Name == name || name == "createdAt" }
	if list == nil || !slices.ContainsFunc(list.Query, isFilter) {
		if filter := p.at[path+".filter"]; filter != nil && filter.Value != none {
			p.fault(filter, "%s.filter: no list is filtered by it", path)
		}
		at.filter = ""
		return at
	}
	if filter := p.at[path+".filter"]; name == "createdAt" && filter != nil && filter.Value != none {
		p.fault(filter, "%s.filter: createdAfter and createdBefore have no other name; none leaves them out", path)
	}
	// a pointer with one name is also the name of a parameter
	if p.at[path+".filter"] == nil && strings.Count(string(at.read), "/") == 1 {
		at.filter = at.read.LastToken()
	}
	return at
}

// isPublished reports whether the place of a member in requests is published.
func isPublished(kind, name string) bool {
	return kind == "transfer" && (name == "destinationSavedContactId" || name == "route")
}

func (p *parser) readSend(n *yaml.Node) {
	p.send = map[string][]constant{}
	p.each(n, "send", mappable(), func(id, constants *yaml.Node) {
		path := "send." + id.Value
		p.each(constants, path, nil, func(key, value *yaml.Node) {
			k := constant{name: key.Value, at: jsontext.Pointer("").AppendToken(key.Value)}
			var err error
			if k.value, err = jsonOf(value); err != nil {
				p.fault(value, "%s.%s: %v", path, key.Value, err)
			}
			if strings.HasPrefix(key.Value, "/") {
				k.at = p.pointer(key, path)
				k.name = ""
				if strings.Count(key.Value, "/") == 1 {
					k.name = k.at.LastToken()
				}
			}
			switch isNested := k.name == ""; {
			case payments.IsSecretName(k.at.LastToken()):
				p.fault(key, "%s.%s looks like a credential, which no profile holds", path, key.Value)
			case isNested && k.value.Kind() == 'n':
				p.fault(key, "%s.%s: a command can give a member at the top alone", path, key.Value)
			case operation(id.Value).IsRead() && (isNested || k.value.Kind() == '{' || k.value.Kind() == '['):
				p.fault(key, "%s.%s: a query parameter is a name with one value", path, key.Value)
			}
			payments.RewriteJSON(k.value, func(name string) string {
				if payments.IsSecretName(name) {
					p.fault(value, "%s.%s: %s looks like a credential, which no profile holds", path, key.Value, name)
				}
				return name
			}, func(_ payments.Path, text string) string { return text })
			for _, other := range p.send[id.Value] {
				if overlap(other.at, k.at) {
					p.fault(key, "%s: %s and %s are in one place", path, other.at, k.at)
				}
			}
			p.send[id.Value] = append(p.send[id.Value], k)
		})
	})
}

// jsonOf returns a value of a profile as JSON.
func jsonOf(n *yaml.Node) (value jsontext.Value, err error) {
	var decoded any
	if err := n.Decode(&decoded); err != nil {
		return nil, err
	}
	if n.ShortTag() == "!!timestamp" {
		decoded = n.Value
	}
	return json.Marshal(decoded, json.Deterministic(true))
}

func (p *parser) readValues(n *yaml.Node) {
	p.words = map[string][]word{}
	p.each(n, "values", []string{"kyc", "transfer"}, func(kind, statuses *yaml.Node) {
		r := contract.Resources[slices.IndexFunc(contract.Resources,
			func(r *contract.Resource) bool { return r.Name == kind.Value })]
		var known []string
		for _, m := range r.Schema().Members {
			if m.Name == r.Status {
				known = m.Schema.Enum
			}
		}
		p.each(statuses, "values."+kind.Value, known, func(status, words *yaml.Node) {
			path := "values." + kind.Value + "." + status.Value
			all := []*yaml.Node{words}
			if words.Kind == yaml.SequenceNode {
				all = words.Content
			}
			for i, n := range all {
				value, err := jsonOf(n)
				isFinal := payments.KYCStatus(status.Value).Decided() || payments.TransferState(status.Value).Final() ||
					payments.TransferState(status.Value).Settled()
				switch {
				case err != nil || n.Kind != yaml.ScalarNode || n.Value == "":
					p.fault(n, "%s: a word is a text, a number, true, false or null", path)
				case n.ShortTag() == "!!str" && strings.Contains(n.Value, ","):
					p.fault(n, "%s: several words are a list: [WORD, WORD]", path)
				case value.Kind() == 'n' && isFinal:
					p.fault(n, "%s: an absent member is no verdict", path)
				case value.Kind() == 'n' && i < len(all)-1:
					p.fault(n, "%s: null stands last", path)
				}
				p.words[kind.Value] = append(p.words[kind.Value], word{status.Value, value})
			}
		})
	})
}

func (p *parser) readAmounts(n *yaml.Node) {
	switch text := p.text(n, "amounts"); text {
	case "", "text":
	case "number", "minor":
		p.unit = text
	default:
		p.fault(n, "amounts: text, number or minor is expected")
	}
}

func (p *parser) readDecimals(n *yaml.Node) {
	p.decimals = map[string]int{}
	p.each(n, "decimals", nil, func(key, value *yaml.Node) {
		const most = 18
		number, err := strconv.Atoi(value.Value)
		_, currency, hasRail := strings.Cut(key.Value, ":")
		if !hasRail {
			currency = key.Value
		}
		iso, isISO := money.CurrencyDecimals(currency)
		switch {
		case err != nil || number < 0 || number > most:
			p.fault(value, "decimals.%s: a number from 0 to %d is expected", key.Value, most)
		case isISO && iso != number:
			p.fault(value, "decimals.%s: ISO 4217 gives %s %d decimals", key.Value, currency, iso)
		}
		p.decimals[key.Value] = number
	})
}

func (p *parser) readLogin(n *yaml.Node) {
	p.each(n, "login", []string{"form", "json"}, func(form, members *yaml.Node) {
		if p.login.Media != "" {
			p.fault(form, "login has one of form and json")
			return
		}
		body, values := object{}, url.Values{}
		p.each(members, "login."+form.Value, nil, func(key, value *yaml.Node) {
			if payments.IsSecretName(key.Value) {
				p.fault(key, "login.%s.%s looks like a credential, which no profile holds: "+
					"payctl auth login sends it as Basic credentials",
					form.Value, key.Value)
			}
			body[key.Value] = quoted(p.text(value, "login."+form.Value+"."+key.Value))
			values.Set(key.Value, value.Value)
		})
		p.login = Wire{Body: []byte(values.Encode()), Media: "application/x-www-form-urlencoded"}
		if form.Value == "json" {
			p.login.Media = "application/json"
			p.login.Body = body.write()
		}
	})
}

// checkRoutes checks that each {parameter} has a value.
func (p *parser) checkRoutes() {
	for id, at := range p.routes {
		if at.Method == "" {
			continue
		}
		op, arguments, names := operation(id), contract.Parameters(operation(id).Path), contract.Parameters(at.Path)
		for i, name := range names {
			isFilter := slices.ContainsFunc(op.Query, func(m contract.Member) bool { return m.Name == name })
			isConstant := slices.ContainsFunc(p.send[id], func(k constant) bool { return k.name == name })
			isArgument := len(arguments) == 1 && len(names) == 1 || slices.Contains(arguments, name)
			switch {
			case slices.Contains(names[:i], name):
				p.fault(p.at["operations."+id], "operations.%s: {%s} stands twice", id, name)
			case !isArgument && !isFilter && !isConstant && !(op.Body != nil && op.Body.Has(name)):
				p.fault(p.at["operations."+id],
					"operations.%s: nothing fills {%s}; it is an argument (%s), a member, a filter or a constant of send.%s",
					id, name, strings.Join(arguments, ", "), id)
			}
		}
		if id == findTransfer && (len(names) == 0 || at.Method != "GET" || p.place("transfer", names[0]).read == "") {
			p.fault(p.at["operations."+id], "operations.findTransfer is GET /path/{reference}, by a member that transfers show")
		}
	}
}

// checkPlaces checks that no two members of a kind have the same place, and none is within another.
func (p *parser) checkPlaces() {
	for _, kind := range MappedResources {
		r := contract.ResourceNamed(kind)
		shown, sent := map[string]jsontext.Pointer{}, map[string]jsontext.Pointer{}
		names, sentNames := membersOf(kind)
		for _, name := range names {
			shown[name] = p.place(kind, name).read
		}
		for _, name := range sentNames {
			sent[name] = p.place(kind, name).send
		}
		hasNone := func(_ string, at jsontext.Pointer) bool { return at == "" }
		maps.DeleteFunc(shown, hasNone)
		maps.DeleteFunc(sent, hasNone)
		if r.ID == "id" && p.place(kind, "id").read == "" {
			p.fault(p.at["members."+kind+".id"], "members.%s.id: without an id nothing can be read again", kind)
		}
		isPut := slices.Contains(contract.Parameters(p.routes[contract.CreateAccount.ID].Path), "externalId")
		if kind == "account" && isPut && p.place(kind, "id").read == p.place(kind, "externalId").read {
			if p.members[kind] != nil { // otherwise both have their own places
				p.members[kind]["id"] = p.place(kind, "id")
			}
			delete(shown, "externalId")
		}
		p.checkFilters(r)
		p.distinct(kind, "shown", shown)
		p.distinct(kind, "sent", sent)
		for _, use := range r.Uses {
			for _, k := range p.send[use.Op.ID] {
				for name, at := range sent {
					if overlap(at, k.at) && !use.Op.IsRead() {
						p.fault(p.at["send."+use.Op.ID], "send.%s: %s stands where %s.%s is sent", use.Op.ID, k.at, kind, name)
					}
				}
			}
		}
	}
}

// checkFilters checks that no two parameters of a list have the same name.
func (p *parser) checkFilters(r *contract.Resource) {
	if r.List == nil {
		return
	}
	pages := p.pagesOf(r.List.ID)
	taken := map[string]string{pages.cursor: "pages.cursor", pages.limit: "pages.limit"}
	for _, m := range r.List.Query {
		filter := p.place(r.Name, m.Name).filter
		if !r.Schema().Has(m.Name) || filter == "" {
			continue
		}
		own := "members." + r.Name + "." + m.Name
		if other := taken[filter]; other != "" {
			p.fault(cmp.Or(p.at[own], p.at[other]),
				"%s and %s are both the parameter %s of lists; give one a {filter: NAME}, or none", other, own, filter)
		}
		taken[filter] = own
	}
	for _, id := range []string{r.List.ID, findTransfer} {
		for _, k := range p.send[id] {
			if other := taken[k.name]; other != "" && operation(id) == r.List {
				p.fault(p.at["send."+id], "send.%s: %s is the parameter of %s", id, k.name, other)
			}
		}
	}
}

func overlap(a, b jsontext.Pointer) bool { return a == b || a.Contains(b) || b.Contains(a) }

// distinct checks the places of a kind in one direction.
func (p *parser) distinct(kind, verb string, places map[string]jsontext.Pointer) {
	names := slices.Sorted(maps.Keys(places))
	for i, name := range names {
		for _, other := range names[:i] {
			a, b := name, other
			if _, isMapped := p.members[kind][a]; !isMapped {
				a, b = b, a
			}
			_, isMapped := p.members[kind][b]
			at := p.at["members."+kind+"."+a]
			switch {
			case !overlap(places[a], places[b]):
			case isMapped:
				p.fault(at, "members.%s.%s and members.%s.%s are both %s at %s", kind, b, kind, a, verb, places[a])
			case places[a] == places[b]:
				p.fault(at, "members.%s.%s is at %s, where %s.%s stands: say where that is, or members.%s.%s: none", kind, a,
					places[a], kind, b, kind, b)
			default:
				p.fault(at, "members.%s.%s (%s) is inside %s.%s: give %s a place, or members.%s.%s: none", kind, a,
					places[a], kind, b, b, kind, b)
			}
		}
	}
}

// checkWords checks that a word means one status.
func (p *parser) checkWords() {
	for kind, words := range p.words {
		for i, w := range words {
			path := "values." + kind + "." + w.status
			for _, other := range words[:i] {
				if other.value.Kind() == w.value.Kind() && textOf(other.value) == textOf(w.value) {
					p.fault(p.at[path], "%s has the word %s, which values.%s.%s has as well", path, w.value, kind, other.status)
				}
			}
			own := textOf(w.value)
			isStatus := payments.KYCStatus(own).Valid() && kind == "kyc" ||
				payments.TransferState(own).Valid() && kind == "transfer"
			if isStatus && own != w.status && p.wordFor(kind, own) == nil {
				p.fault(p.at[path], "%s has the word %s, which %s.%s has as well since it is not mapped", path, own, kind, own)
			}
			for _, r := range contract.Resources {
				if r.StatusOf == kind && w.value.Kind() == 'n' && p.place(r.Name, r.Status).read == "" {
					p.fault(p.at[path], "%s: %s.%s has no place that could be absent", path, r.Name, r.Status)
				}
			}
		}
	}
}

func (p *parser) checkUnits() {
	if len(p.decimals) > 0 && p.unit != "minor" {
		p.fault(p.at["decimals"], "decimals are those of minor units: set amounts: minor, or leave them out")
	}
}
