package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// An Adoption is a profile from an OpenAPI document. It leaves out what is where the contract has it.
type Adoption struct {
	Profile  map[string]any `json:"profile"`  // what is sure; servicemap.Parse accepts it
	Comments []string       `json:"comments"` // what a person has to decide, with the reasons

	theirs *Document
	found  candidates
	pages  map[string]any // of the first list; nil means that none was read
}

// endings are the ends of other names of a member. Only one member of the service may end so, or one must have no other
// word.
var endings = map[string][]string{
	"transfer.reference": {"reference"}, "transfer.state": {"status", "state"},
	"kyc.status": {"status", "state"}, "kyc.verificationUrl": {"url"},
}

// Adopt reads from the OpenAPI document of a service what a profile has to say of it.
func Adopt(theirs *Document) *Adoption {
	a := &Adoption{Profile: map[string]any{}, theirs: theirs, found: theirs.find()}
	for _, op := range operations() {
		switch c := a.found[op]; {
		case c == nil && op.Origin == contract.Published:
			a.note("%s %s is published, and the document does not have it", op.Method, op.Path)
		case c == nil:
			a.note("operations.%s: none   (not found; without it these do not work: payctl %s)", op.ID, op.Use().Commands)
		case c.method != op.Method || bare(c.path) != bare(op.Path):
			a.set(c.why, c.method+" "+c.path, "operations", op.ID)
		}
	}
	a.key()
	a.answers()
	for _, kind := range servicemap.MappedResources {
		if r := contract.ResourceNamed(kind); a.found[r.Get] != nil {
			a.members(r, a.found[r.Get])
		}
	}
	a.Comments = append(a.Comments, theirs.Unread()...)
	return a
}

func (a *Adoption) note(format string, args ...any) {
	a.Comments = append(a.Comments, fmt.Sprintf(format, args...))
}

// set adds a setting to the profile. With a reason to doubt it, or if a profile cannot have it, it becomes a comment.
func (a *Adoption) set(why string, value any, path ...string) {
	if why == "" {
		var node yaml.Node
		changed := with(a.Profile, value, path)
		_ = node.Encode(changed) // of texts alone
		_, mistakes := servicemap.Parse(&node)
		if len(mistakes) == 0 {
			a.Profile = changed
			return
		}
		why = mistakes[0].Text
	}
	text, _ := json.Marshal(value, json.Deterministic(true))
	a.note("%s: %s   (%s)", strings.Join(path, "."), strings.Trim(string(text), `"`), why)
}

// with returns a copy of an object with a value at a path.
func with(object map[string]any, value any, path []string) map[string]any {
	changed := map[string]any{}
	maps.Copy(changed, object)
	if len(path) > 1 {
		inner, _ := object[path[0]].(map[string]any)
		value = with(inner, value, path[1:])
	}
	changed[path[0]] = value
	return changed
}

// isKeyHeader reports whether a header field is by its name that of idempotency keys.
func isKeyHeader(name string) bool { return strings.Contains(payments.FoldMember(name), "idempoten") }

// key looks for the header of idempotency keys at all operations.
func (a *Adoption) key() {
	var names []string
	for _, p := range a.theirs.places {
		names = append(names, p.header...)
	}
	names = slices.DeleteFunc(unique(names), func(name string) bool { return !isKeyHeader(name) })
	switch {
	case len(names) == 0:
		a.note("No header of idempotency keys is described: a payment is never sent twice.")
		return
	case len(names) > 1:
		a.note("idempotency_header: %s   (one of several)", strings.Join(names, ", "))
	case !strings.EqualFold(names[0], "Idempotency-Key"):
		a.set("", names[0], "idempotency_header")
	}
	a.note("idempotency_keys: honoured   (if the service promises one effect for each key)")
}

// answers says where responses have their documents, and how the next page of a list is asked for.
func (a *Adoption) answers() {
	usual := map[string]jsontext.Pointer{} // by kind of response
	for _, op := range operations() {
		c := a.found[op]
		if c == nil || c.why != "" || len(c.shown.members) == 0 ||
			!slices.Contains(servicemap.MappedResources, op.Resource().Name) {
			continue
		}
		kind, id := "one", op.ID
		if _, isList := op.Shown(); isList {
			kind = "list"
		}
		at, isSaid := usual[kind]
		if !isSaid {
			usual[kind], id = c.at, kind
		}
		if isDefault := kind == "list" && c.at == "/data" && usual["one"] == ""; c.at != at && !isDefault {
			a.set("", string(c.at), "answers", id)
		}
		if kind == "list" {
			a.addPages(op.ID, c)
		}
	}
}

// addPages says where a list has the cursor of the next page, and the names of its parameters. The cursor is the one
// member that is named next and a parameter.
func (a *Adoption) addPages(id string, c *candidate) {
	pages, path, found := map[string]any{}, []string{"pages"}, 0
	for at := range a.theirs.within(c.response) {
		for _, parameter := range c.query {
			isNext := payments.FoldMember(at.LastToken()) == "next"+payments.FoldMember(parameter)
			if isNext && !c.at.Contains(at) {
				pages["next"], pages["cursor"] = string(at), parameter
				found++
			}
		}
	}
	for _, parameter := range c.query {
		if textutil.Regexp(`^(limit|page[_-]?(limit|size)|per[_-]?page)$`).MatchString(strings.ToLower(parameter)) {
			pages["limit"] = parameter
		}
	}
	isUsual := maps.Equal(pages, map[string]any{"next": "/nextCursor", "cursor": "cursor", "limit": "limit"})
	switch {
	case found != 1:
		a.note("pages.%s: {next: PLACE}   (not sure; the parameters are %s)", id, strings.Join(c.query, ", "))
		return
	case a.pages == nil:
		a.pages = pages
	case maps.Equal(pages, a.pages):
		return
	default:
		path, isUsual = append(path, id), false
	}
	if !isUsual {
		a.set("", pages, path...)
	}
}

// members looks for the members of a resource that have other names or places. A member that its creation takes must
// have the same name there, unless its place is published.
func (a *Adoption) members(r *contract.Resource, c *candidate) {
	create, sent := &contract.Operation{Body: &contract.Schema{}}, &schema{}
	if r.Creation() != nil {
		create = r.Creation()
	}
	if creation := a.found[create]; creation != nil && creation.request != nil {
		sent = creation.request
	}
	shown, _ := r.Get.Shown()
	for _, m := range shown.Members {
		names, why := a.names(r, m.Name, c), c.why
		isPublished := create.Origin == contract.Published && slices.Contains(known(r), m.Name)
		if create.Body.Has(m.Name) && !isPublished {
			names = slices.DeleteFunc(names, func(name string) bool { return sent.members[name] == nil })
		}
		if len(names) > 1 {
			why = "or it is " + strings.Join(names[1:], ", ")
		}
		if len(names) > 0 {
			a.member(r, m, names[0], why, c.shown, sent)
		} else if slices.Contains(r.Decisive, m.Name) || m.Name == "reference" {
			a.note("members.%s.%s: PLACE   (not found)", r.Name, m.Name)
		}
	}
}

// member says where a member is that a service shows, and maybe takes, under a name.
func (a *Adoption) member(r *contract.Resource, m contract.Member, name, why string, shown, sent *schema) {
	at := jsontext.Pointer("").AppendToken(name)
	value, body := a.theirs.schema(shown.members[name]), a.theirs.schema(sent.members[name])
	var place any = string(at)
	if inner := value.where(func(name string) bool { return name != "currency" }); m.Name == "amount" && len(inner) > 0 {
		place = map[string]any{"read": string(at.AppendToken(inner[0])), "send": place}
		if len(inner) > 1 || len(value.members) != 2 || len(body.members) > 0 {
			why = "the amount is an object of another form"
		}
	}
	if m.Name == "amount" && (body.kind == "integer" || body.kind == "number") {
		a.note("amounts: number or minor   (the amount is a JSON %s; only you know its unit)", body.kind)
	}
	if place != "/"+m.Name {
		a.set(why, place, "members", r.Name, m.Name)
	}
	if m.Name == r.Status && r.StatusOf == r.Name {
		a.words(r.Name, m.Schema.Enum, value.values, why)
	}
}

// names lists the members that may be one of the contract. Evidence is a name that differs in case and separators
// alone. For an id it is the parameter of a path, for the status of an account its name in an identity check, and for
// some members the end of a name.
func (a *Adoption) names(r *contract.Resource, member string, c *candidate) []string {
	if names := c.shown.named(member); len(names) > 0 {
		return names
	}
	reads := map[string]*contract.Operation{
		"id": r.Get, "accountId": &contract.GetAccount, "destinationSavedContactId": &contract.GetSavedContact,
	}
	if get := a.found[reads[member]]; get != nil {
		if parts := cutItem(get.path); parts != nil && payments.FoldMember(parts[2]) != "id" {
			return c.shown.named(parts[2])
		}
	}
	if kyc := a.found[&contract.GetKYCStatus]; member == "kycStatus" && kyc != nil {
		names := a.names(contract.ResourceNamed("kyc"), "status", kyc)
		if len(names) == 1 && !slices.Contains(endings["kyc.status"], names[0]) {
			return c.shown.named(names[0])
		}
	}
	var all []string
	for _, ending := range endings[r.Name+"."+member] {
		if names := c.shown.named(ending); len(names) > 0 {
			return names
		}
		all = append(all, c.shown.where(func(name string) bool { return strings.HasSuffix(name, ending) })...)
	}
	return slices.DeleteFunc(all, func(name string) bool { // a status is an enumeration
		return member == r.Status && len(a.theirs.schema(c.shown.members[name]).values) == 0
	})
}

// words sets the words for a status that are the contract's in another case, but for those that say that all is well.
func (a *Adoption) words(kind string, known, values []string, why string) {
	var other []string
	for _, word := range unique(values) {
		i := slices.IndexFunc(known, func(own string) bool { return payments.FoldMember(own) == payments.FoldMember(word) })
		switch {
		case slices.Contains(known, word):
		case i >= 0 && why == "" && known[i] != "approved" && known[i] != "payment_processed":
			a.set("", word, "values", kind, known[i])
		default:
			other = append(other, word)
		}
	}
	if len(other) > 0 {
		a.note("values.%s: {STATUS: WORD}   (only you can say what these mean: %s)", kind, strings.Join(other, ", "))
	}
}
