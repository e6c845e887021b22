package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
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
}

// A Profile has what is sure. BaseURL is that of the document's first server, which may be relative.
type Profile struct {
	BaseURL    string              `json:"base_url,omitempty"           yaml:"base_url,omitempty"`
	Operations map[string]string   `json:"operations,omitempty"         yaml:"operations,omitempty"`
	Answers    InBraces            `json:"answers,omitempty"            yaml:"answers,omitempty"`
	Pages      InBraces            `json:"pages,omitempty"              yaml:"pages,omitempty"`
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

// synonyms are other words for a member of the contract, by its name or with its kind, in the form of plain.
var synonyms = map[string]string{
	"account.id": "accountid uuid", "contact.id": "contactid uuid", "transfer.id": "transferid uuid", "event.id": "eventid uuid",
	"transfer.state": "status transferstatus transferstate", "kyc.status": "state kycstatus kycstate", "account.kycStatus": "kycstate kyc identitystatus",
	"transfer.reference":                 "clientreference accountreference merchantreference yourreference externalreference referenceid",
	"transfer.destinationSavedContactId": "contactid destinationcontactid",
	"externalId":                         "externalreference accountreference clientid",
	"contact.holderName":                 "accountholder accountholdername contactname", "contact.label": "nickname alias",
	"createdAt": "created createdon createtime creationdate", "updatedAt": "updated updatedon updatetime modifiedat lastmodified",
	"firstName": "givenname forename", "lastName": "familyname surname", "phoneNumber": "phone mobile", "country": "countrycode",
	"currency": "currencycode", "paymentRail": "rail scheme network", "legalName": "companyname businessname",
	"birthDate": "dateofbirth dob", "failureReason": "errormessage statusreason",
	"token.access_token": "token bearertoken", "token.expires_in": "expires ttl",
	"list.nextCursor":  "next nextpage nextpagetoken pagetoken nexttoken cursor",
	"event.occurredAt": "timestamp createdat created", "event.subjectId": "resourceid objectid",
	"list.cursor": "pagetoken nextcursor nexttoken after startingafter", "list.limit": "pagesize perpage pagelimit maxresults",
}

// Adopt guesses from the OpenAPI document of a service what a profile has to say of it.
func Adopt(theirs *Document) *Adoption {
	a := &Adoption{
		Profile: Profile{Operations: map[string]string{}, Members: map[string]InBraces{}}, Words: map[string][]string{}, NoKeys: true,
	}
	places := map[*contract.Operation]place{}
	for _, op := range operations() {
		p, why := theirs.find(op)
		if p.path == "" {
			a.Missing = append(a.Missing, op.ID)
			continue
		}
		places[op] = p
		a.key(op, p)
		if at := p.method + " " + p.path; !isAt(at, op.Method+" "+op.Path) && a.isSure("operations."+op.ID, at, why) {
			a.Profile.Operations[op.ID] = at
		}
	}
	for _, r := range contract.Resources {
		if r.Type != "" {
			a.members(theirs, r, places)
		}
	}
	for _, op := range []*contract.Operation{&contract.ListTransfers, &contract.ListAccounts, &contract.ListSavedContacts} {
		if p, isFound := places[op]; isFound {
			a.list(theirs, p)
			break
		}
	}
	if servers := list(theirs.root["servers"]); len(servers) > 0 {
		a.Profile.BaseURL, _ = theirs.object(servers[0])["url"].(string)
	}
	return a
}

// isSure reports whether there is no reason to doubt a setting, and notes one that there is.
func (a *Adoption) isSure(setting, value, why string) bool {
	if why != "" {
		a.Unsure = append(a.Unsure, setting+": "+value+"   ("+why+")")
	}
	return why == ""
}

// key notes the header of idempotency keys.
func (a *Adoption) key(op *contract.Operation, p place) {
	i := slices.IndexFunc(p.header, func(name string) bool { return strings.Contains(plain(name), "idempoten") })
	if !op.TakesIdempotencyKey || i < 0 {
		return
	}
	a.NoKeys = false
	if !strings.EqualFold(p.header[i], "Idempotency-Key") {
		a.Profile.KeyHeader = p.header[i]
	}
}

// spots are the places of members in documents by their plain names.
type spots map[string]jsontext.Pointer

// add adds the members of a schema that are not there yet.
func (known spots) add(s *schema, at jsontext.Pointer) {
	for _, name := range slices.Sorted(maps.Keys(s.members)) {
		if known[plain(name)] == "" {
			known[plain(name)] = at.AppendToken(name)
		}
	}
}

// members looks for the members of a resource in what the service shows, and takes where it creates one.
func (a *Adoption) members(theirs *Document, r *contract.Resource, places map[*contract.Operation]place) {
	known, words := spots{}, map[jsontext.Pointer][]string{}
	var names []string
	for _, op := range contract.Operations {
		p, isFound := places[op]
		isCreation := op.Success == 201
		if !isFound || op.Resource() != r || op.Method != "GET" && !isCreation && r.Name != "token" {
			continue
		}
		ours, _ := op.Shown()
		if names == nil {
			for _, m := range ours.Members {
				names = append(names, m.Name)
			}
		}
		if s := p.shown(op); s != nil {
			at := jsontext.Pointer("")
			for name, member := range s.members {
				if inner := theirs.schema(member); len(s.members) == 1 && len(inner.members) > 0 { // an envelope such as {"data": {…}}
					s, at = inner, at.AppendToken(name)
				}
			}
			known.add(s, at)
			for name, member := range s.members {
				words[at.AppendToken(name)] = append(words[at.AppendToken(name)], theirs.schema(member).values...)
			}
		}
		if isCreation && p.request != nil {
			known.add(p.request, "")
		}
	}
	found := a.guess(r.Name, names, known)
	isKnown := func(word string) bool {
		return slices.ContainsFunc(r.Schema().Members, func(m contract.Member) bool { return m.Name == r.Status && slices.Contains(m.Schema.Enum, word) })
	}
	if unknown := slices.DeleteFunc(unique(words[found[r.Status]]), isKnown); len(unknown) > 0 && r.StatusOf == r.Name {
		a.Words[r.Name] = unknown
	}
}

// list looks for the rows of a page, for the cursor of the next one, and for the parameters that ask for a page.
func (a *Adoption) list(theirs *Document, p place) {
	note := func(to *InBraces, name, value, usual string) {
		if value == "" || value == usual {
			return
		}
		if *to == nil {
			*to = InBraces{}
		}
		(*to)[name] = value
	}
	if p.response != nil {
		known := spots{}
		known.add(p.response, "")
		for _, name := range slices.Sorted(maps.Keys(p.response.members)) {
			known.add(theirs.schema(p.response.members[name]), jsontext.Pointer("").AppendToken(name))
		}
		found := a.guess("list", []string{"nextCursor"}, known)
		note(&a.Profile.Answers, "list", string(p.rowsAt), "/data")
		note(&a.Profile.Pages, "next", string(found["nextCursor"]), "/nextCursor")
	}
	parameters := spots{}
	for _, name := range p.query {
		parameters[plain(name)] = jsontext.Pointer("").AppendToken(name)
	}
	found := a.guess("list", []string{"cursor", "limit"}, parameters)
	note(&a.Profile.Pages, "cursor", found["cursor"].LastToken(), "cursor")
	note(&a.Profile.Pages, "limit", found["limit"].LastToken(), "limit")
}

// guess notes the members of a kind that the service has under other names, and returns where it has all of them.
func (a *Adoption) guess(kind string, names []string, known spots) spots {
	found, taken := spots{}, map[jsontext.Pointer]bool{}
	take := func(name, word string) {
		if at := known[word]; found[name] == "" && at != "" && !taken[at] {
			found[name], taken[at] = at, true
		}
	}
	for _, name := range names {
		take(name, plain(name))
	}
	for _, name := range names {
		for word := range strings.FieldsSeq(synonyms[kind+"."+name] + " " + synonyms[name]) {
			take(name, word)
		}
		at := string(found[name])
		if at == "" || at == "/"+name || !slices.Contains(servicemap.Kinds, kind) {
			continue
		}
		if a.Profile.Members[kind] == nil {
			a.Profile.Members[kind] = InBraces{}
		}
		a.Profile.Members[kind][name] = at
	}
	return found
}
