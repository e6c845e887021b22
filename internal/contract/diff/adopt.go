package diff

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
)

// An Adoption is what an OpenAPI document suggests for a profile. What the service has where the contract has it is left out.
type Adoption struct {
	Profile Profile `json:"profile"`
	// Unsure are other settings, each with the reason why a person has to look at it.
	Unsure []string `json:"unsure"`
	// Words are the service's words for a status, by kind, that the contract does not have.
	Words   map[string][]string `json:"words"`
	Missing []string            `json:"missing"` // operations that the document does not seem to have
	NoKeys  bool                `json:"noKeys"`  // no creation takes a header of idempotency keys

	places map[*contract.Operation]place // where the service has the operations that were found
}

// A Profile has what is sure. BaseURL is that of the document's first server, which may be relative.
type Profile struct {
	BaseURL    string              `json:"base_url,omitempty"           yaml:"base_url,omitempty"`
	Operations map[string]string   `json:"operations,omitempty"         yaml:"operations,omitempty"`
	Members    map[string]InBraces `json:"members,omitempty"            yaml:"members,omitempty"`
	KeyHeader  string              `json:"idempotency_header,omitempty" yaml:"idempotency_header,omitempty"`
}

// InBraces are members that YAML has on one line.
type InBraces map[string]string

// MarshalYAML implements yaml.Marshaler.
func (m InBraces) MarshalYAML() (any, error) {
	node := yaml.Node{}
	err := node.Encode(map[string]string(m))
	node.Style = yaml.FlowStyle
	return node, err
}

// The tables of words are in the form of plain. After a bar they have other meanings too, so that what they suggest is not
// sure.

// nouns are words of paths and operation ids by the kind of resource that they mean.
var nouns = map[string]string{
	"account":  "account customer applicant enduser | user client person party member holder",
	"kyc":      "kyc verification kycstatus onboarding | identity check compliance status",
	"contact":  "contact beneficiary recipient payee counterparty | destination receiver",
	"transfer": "transfer payment payout remittance | transaction order",
	"event":    "event | notification activity",
}

// actions are what the operations do to their kind of resource, apart from those that the contract calls create, list, get,
// update and delete.
var actions = map[string]string{
	contract.SubmitKYC.ID:      "submission submit answer document",
	contract.CancelTransfer.ID: "cancel cancellation void abort",
}

// synonyms are other words for a member of the contract, by its name or with its kind. NOUN stands for every word for the
// kind, CONTACT and ACCOUNT for those for these kinds.
var synonyms = map[string]string{
	"account.id": "NOUNid | uuid identifier NOUNnumber", "contact.id": "NOUNid | uuid identifier", "transfer.id": "NOUNid | uuid identifier",
	"event.id": "NOUNid | uuid", "transfer.state": "status NOUNstatus NOUNstate", "kyc.status": "state kycstatus NOUNstatus NOUNstate | result outcome",
	"account.kycStatus":  "verificationstatus kycstate kyc identitystatus | status state",
	"transfer.reference": "clientreference customerreference merchantreference yourreference externalreference referenceid | endtoendid ref paymentreference externalid",
	"transfer.accountId": "ACCOUNTid", "contact.accountId": "ACCOUNTid", "kyc.accountId": "ACCOUNTid",
	"transfer.destinationSavedContactId": "CONTACTid destinationCONTACTid savedCONTACTid | destinationid",
	"externalId":                         "externalreference customerreference clientid | reference", "contact.holderName": "accountholder accountholdername beneficiaryname recipientname | name",
	"contact.label": "nickname alias | name title", "createdAt": "created createdon createtime creationdate createddate", "updatedAt": "updated updatedon updatetime modifiedat lastmodified",
	"firstName": "givenname forename", "lastName": "familyname surname", "phoneNumber": "phone mobile", "country": "countrycode", "currency": "currencycode",
	"paymentRail": "rail scheme network | method type", "legalName": "companyname businessname", "birthDate": "dateofbirth dob", "amount": "| value sourceamount",
	"failureReason": "errormessage statusreason | reason error", "token.access_token": "accesstoken token bearertoken", "token.expires_in": "expiresin expires ttl",
	"list.nextCursor": "next nextpage nextpagetoken pagetoken nexttoken cursor", "event.occurredAt": "timestamp createdat created", "event.type": "eventtype | name",
	"event.subjectId": "resourceid objectid", "list.cursor": "pagetoken nextcursor nexttoken after startingafter | next page offset",
	"list.limit": "pagesize perpage pagelimit maxresults | size count",
}

// meaning reports whether a list of words has a word, and whether that has other meanings too.
func meaning(list, word string) (has, isWeak bool) {
	sure, weak, _ := strings.Cut(list, "|")
	isWeak = slices.Contains(strings.Fields(weak), word)
	return isWeak || slices.Contains(strings.Fields(sure), word), isWeak
}

// Adopt guesses from the OpenAPI document of a service what a profile has to say of it.
func Adopt(theirs *Document) *Adoption {
	a := &Adoption{
		Profile: Profile{Operations: map[string]string{}, Members: map[string]InBraces{}}, Words: map[string][]string{}, NoKeys: true,
		places: map[*contract.Operation]place{},
	}
	for _, op := range contract.Operations {
		if op.Access != contract.Open && !op.IsSandbox() {
			a.operation(op, theirs.places)
		}
	}
	for _, kind := range []string{"account", "kyc", "contact", "transfer", "token", "event"} {
		a.members(kind)
	}
	for _, op := range []*contract.Operation{&contract.ListTransfers, &contract.ListAccounts, &contract.ListSavedContacts} {
		if p, isFound := a.places[op]; isFound {
			a.list(p)
			break
		}
	}
	if servers, _ := theirs.root["servers"].([]any); len(servers) > 0 {
		server, _ := theirs.object(servers[0])
		a.Profile.BaseURL, _ = server["url"].(string)
	}
	return a
}

// operation looks for an operation: where the contract has it, by its id, by the words of paths, or by the shape of what is
// sent and received.
func (a *Adoption) operation(op *contract.Operation, places []place) {
	best, score, why := place{}, 0.0, ""
	for _, p := range places {
		at := p.method + " " + p.path
		if isAt(at, op.Method+" "+op.Path) {
			a.put(op, p)
			return
		}
		if dialect.Check("operations", op.ID, at) != nil {
			continue
		}
		switch s, reason := likelihood(op, p); {
		case s > score:
			best, score, why = p, s, reason
		case s == score:
			why = "another operation is as likely"
		}
	}
	if score == 0 {
		a.Missing = append(a.Missing, op.ID)
		return
	}
	a.put(op, best)
	if at := best.method + " " + best.path; a.isSure("operations."+op.ID, at, why) {
		a.Profile.Operations[op.ID] = at
	}
}

// isSure reports whether there is no reason to doubt a setting, and notes one that there is.
func (a *Adoption) isSure(setting, value, why string) bool {
	if why != "" {
		a.Unsure = append(a.Unsure, setting+": "+value+"   ("+why+")")
	}
	return why == ""
}

// put notes where the service has an operation, and its header of idempotency keys.
func (a *Adoption) put(op *contract.Operation, p place) {
	a.places[op] = p
	for _, name := range p.header {
		switch word := plain(name); {
		case !op.TakesIdempotencyKey:
		case strings.EqualFold(name, "Idempotency-Key"):
			a.NoKeys = false
		case strings.Contains(word, "idempoten"):
			a.Profile.KeyHeader, a.NoKeys = name, false
		}
	}
}

// likelihood returns how likely an operation of a service is one of the contract, from zero, and why that is not sure.
func likelihood(op *contract.Operation, p place) (score float64, unsure string) {
	if plain(p.id) == plain(op.ID) {
		return 100, ""
	}
	if op.Origin == contract.Published { // it is at its path, perhaps with another method
		if p.path == op.Path && p.method != "DELETE" {
			return 50, ""
		}
		return 0, ""
	}
	kind, last, lastIsWeak := dialect.ResourceOf(op), "", false
	for _, word := range p.words {
		for k, list := range nouns {
			if has, isWeak := meaning(list, word); has && (!isWeak || last == "" || k == kind) {
				last, lastIsWeak = k, isWeak
			}
		}
	}
	if kind == "" || last != "" && last != kind || !does(op, p) {
		return 0, ""
	}
	likeness := likeness(op, p)
	switch {
	case last == kind && !lastIsWeak:
		return 10 + likeness, ""
	case last == kind:
		return 5 + likeness, "the word of its path has other meanings too"
	case likeness >= 0.5:
		return 1 + likeness, "by the shape of its documents alone"
	}
	return 0, ""
}

// does reports whether an operation of a service may do what one of the contract does, by its method and its path.
func does(op *contract.Operation, p place) bool {
	special := ""
	for id, words := range actions {
		if slices.ContainsFunc(p.words, func(word string) bool { has, _ := meaning(words, word); return has }) {
			special = id
		}
	}
	isItem := item().MatchString(p.path)
	switch {
	case special != "" || actions[op.ID] != "":
		return special == op.ID && p.method != "GET"
	case op == &contract.GetKYCStatus:
		return p.method == "GET" && !isItem
	case op.Method == "POST":
		return p.method == "POST" || p.method == "PUT"
	case op.Method == "PATCH":
		return (p.method == "PATCH" || p.method == "PUT" || p.method == "POST") && isItem
	}
	return p.method == op.Method && (!op.SuccessSchema().Has("data") || shown(op, p) != nil)
}

// likeness is the part of the contract's members, of a request or else of a response, that a service has too.
func likeness(op *contract.Operation, p place) float64 {
	ours, theirs := op.Body, p.request
	if ours == nil || theirs == nil {
		ours, theirs = resource(op), shown(op, p)
	}
	if len(ours.Members) == 0 || theirs == nil {
		return 0
	}
	common := 0
	for name := range theirs.members {
		if slices.ContainsFunc(ours.Members, func(m contract.Member) bool { return plain(m.Name) == plain(name) }) {
			common++
		}
	}
	return float64(common) / float64(len(ours.Members))
}

// resource is the contract's schema of what an operation shows, of a list that of its rows.
func resource(op *contract.Operation) *contract.Schema {
	all := op.SuccessSchema()
	if i := slices.IndexFunc(all.Members, func(m contract.Member) bool { return m.Name == "data" }); i >= 0 {
		return all.Members[i].Schema.Items
	}
	return all
}

// shown is the service's schema of the same, or nil.
func shown(op *contract.Operation, p place) *schema {
	if !op.SuccessSchema().Has("data") || p.response == nil {
		return p.response
	}
	_, rows := p.response.rows("", 2) // as in {"result": {"items": []}}
	return rows
}

// rows looks for an array of objects, and returns its place, which is below the one of the schema, and their schema.
func (s *schema) rows(at jsontext.Pointer, deepest int) (pointer jsontext.Pointer, rows *schema) {
	if s.items != nil {
		if len(s.items.members) > 0 {
			return at, s.items
		}
		return "", nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		if deepest > 0 && rows == nil {
			pointer, rows = s.members[name].rows(at.AppendToken(name), deepest-1)
		}
	}
	return pointer, rows
}

// A spot is where a service has a member.
type spot struct {
	at     jsontext.Pointer
	schema *schema
}

// spots are the members of documents by their plain names.
type spots map[string]spot

// add adds the members of a schema that are not there yet.
func (known spots) add(s *schema, at jsontext.Pointer) {
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		if known[plain(name)].at == "" {
			known[plain(name)] = spot{at.AppendToken(name), s.members[name]}
		}
	}
}

// members looks for the members of a kind of resource in what the service shows, and takes where it creates one.
func (a *Adoption) members(kind string) {
	known := spots{}
	var names []string
	for _, op := range contract.Operations {
		p, isFound := a.places[op]
		isCreation := op.Success == 201
		if !isFound || dialect.ResourceOf(op) != kind || op.Method != "GET" && !isCreation && kind != "token" {
			continue
		}
		if names == nil {
			for _, m := range resource(op).Members {
				names = append(names, m.Name)
			}
		}
		if s := shown(op, p); s != nil {
			at := jsontext.Pointer("")
			for name, inner := range s.members {
				if len(s.members) == 1 && len(inner.members) > 0 { // an envelope such as {"data": {…}}
					s, at = inner, at.AppendToken(name)
				}
			}
			known.add(s, at)
		}
		if isCreation && p.request != nil {
			known.add(p.request, "")
		}
	}
	guessed := a.guess(kind, names, known)
	if member := map[string]string{"kyc": "status", "transfer": "state"}[kind]; guessed[member].schema != nil {
		isKnown := func(word string) bool { return dialect.Check("values", kind+"."+word, word) == nil }
		if words := slices.DeleteFunc(unique(guessed[member].schema.values), isKnown); len(words) > 0 {
			a.Words[kind] = words
		}
	}
}

// list looks for the rows of a page, for the cursor of the next one, and for the parameters that ask for a page.
func (a *Adoption) list(p place) {
	if p.response != nil {
		known := spots{}
		known.add(p.response, "")
		for _, name := range slices.Sorted(maps.Keys(p.response.members)) {
			known.add(p.response.members[name], jsontext.Pointer("").AppendToken(name))
		}
		rows, _ := p.response.rows("", 2)
		known["data"] = spot{at: rows}
		a.guess("list", []string{"data", "nextCursor"}, known)
	}
	parameters := spots{}
	for _, name := range p.query {
		parameters[plain(name)] = spot{at: jsontext.Pointer("").AppendToken(name)}
	}
	a.guess("list", []string{"cursor", "limit"}, parameters)
}

// guess notes the members of a kind that the service has under other names, and returns where it has all of them.
func (a *Adoption) guess(kind string, names []string, known spots) map[string]spot {
	found, taken := map[string]spot{}, map[jsontext.Pointer]bool{}
	for _, name := range names {
		found[name] = known[plain(name)]
		taken[found[name].at] = true
	}
	for _, name := range names {
		why := ""
		if found[name].at == "" {
			found[name], why = synonym(kind, name, known, taken)
		}
		at := string(found[name].at)
		taken[found[name].at] = true
		if at == "" || at == "/"+name || dialect.Check("members", kind+"."+name, at) != nil {
			continue
		}
		if a.isSure("members."+kind+"."+name, at, why) {
			if a.Profile.Members[kind] == nil {
				a.Profile.Members[kind] = InBraces{}
			}
			a.Profile.Members[kind][name] = at
		}
	}
	return found
}

// synonym returns where the service has a member under another word, and why that is not sure.
func synonym(kind, member string, known spots, taken map[jsontext.Pointer]bool) (found spot, unsure string) {
	for word := range strings.FieldsSeq(cmp.Or(synonyms[kind+"."+member], synonyms[member])) {
		if word == "|" {
			unsure = "its name has other meanings too"
			continue
		}
		marker := strings.Trim(word, "abcdefghijklmnopqrstuvwxyz")
		words := []string{word}
		if of := cmp.Or(nouns[strings.ToLower(marker)], nouns[kind]); marker != "" {
			words = strings.Fields(strings.ReplaceAll(of, "|", ""))
		}
		for _, noun := range words {
			if found = known[strings.Replace(word, cmp.Or(marker, word), noun, 1)]; found.at != "" && !taken[found.at] {
				return found, unsure
			}
		}
	}
	return spot{}, ""
}

// plain is a name without its separators, in lower case.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// wordsOf are the words of a path in the singular, without parameters.
func wordsOf(path string) (words []string) {
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, "{") {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(segment), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if stem, ok := strings.CutSuffix(word, "ies"); ok {
				word = stem + "y"
			}
			words = append(words, cmp.Or(strings.TrimSuffix(word, "s"), word))
		}
		words = append(words, plain(segment))
	}
	return words
}

var (
	parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}/]*\}`) })
	item      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\}(/v[0-9.]+)?/?$`) }) // the path of one
)

// isAt reports whether a "METHOD /path" is another one, whatever the names of parameters.
func isAt(one, other string) bool {
	return parameter().ReplaceAllString(one, "{}") == parameter().ReplaceAllString(other, "{}")
}
