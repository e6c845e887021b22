package diff

import (
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
)

// synonyms are other words for a member of the contract, by its name or with its kind, in the form of plain. After a bar
// they have other meanings too. NOUN stands for every word for the kind, CONTACT and ACCOUNT for those for these kinds.
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

// kinds are the kinds of resources whose members a profile names, with the operations that show one, the likeliest first.
var kinds = []struct {
	name      string
	shown     []*contract.Operation
	isWritten []*contract.Operation
}{
	{"account", []*contract.Operation{&contract.GetAccount, &contract.CreateAccount, &contract.ListAccounts}, []*contract.Operation{&contract.CreateAccount}},
	{"kyc", []*contract.Operation{&contract.GetKYCStatus}, nil},
	{"contact", []*contract.Operation{&contract.GetSavedContact, &contract.CreateSavedContact, &contract.ListSavedContacts}, []*contract.Operation{&contract.CreateSavedContact}},
	{"transfer", []*contract.Operation{&contract.GetTransfer, &contract.CreateAutoTransfer, &contract.ListTransfers}, []*contract.Operation{&contract.CreateAutoTransfer}},
	{"token", []*contract.Operation{&contract.CreateAccessToken}, nil},
	{"event", []*contract.Operation{&contract.ListEvents}, nil},
}

// members looks for the members of the contract in what the service shows and takes.
func (a *adopting) members() {
	for _, kind := range kinds {
		var known map[string]string // pointers by plain name
		for _, op := range slices.Concat(kind.isWritten, kind.shown) {
			p, isFound := a.places[op]
			if !isFound {
				continue
			}
			if known == nil {
				known = map[string]string{}
			}
			schemas := []any{a.schemaAt(op, p)}
			if slices.Contains(kind.isWritten, op) {
				schemas = append(schemas, a.theirs.requestSchema(p.operation))
			}
			for _, schema := range schemas {
				a.collect(known, schema, "")
			}
		}
		if known != nil {
			a.kind(kind.name, schemaOf(kind.shown[0]), known)
		}
	}
	for _, op := range []*contract.Operation{&contract.ListTransfers, &contract.ListAccounts, &contract.ListSavedContacts} {
		if p, isFound := a.places[op]; isFound {
			a.list(p)
			break
		}
	}
	for name, word := range map[string]*contract.Operation{"kyc.status": &contract.GetKYCStatus, "transfer.state": &contract.GetTransfer} {
		a.words(name, word)
	}
}

// collect notes where the members of a schema are. What stands in an envelope such as {"data": {…}} is looked for there.
func (a *adopting) collect(known map[string]string, schema any, at string) {
	members := a.theirs.shape(schema, 0).members
	if len(members) == 1 && at == "" {
		for name, inner := range members {
			if len(a.theirs.shape(inner, 0).members) > 0 {
				a.collect(known, inner, "/"+escape(name))
				return
			}
		}
	}
	for name := range members {
		if _, isKnown := known[plain(name)]; !isKnown {
			known[plain(name)] = at + "/" + escape(name)
		}
	}
}

// kind notes the members of a kind that the service has under other names.
func (a *adopting) kind(kind string, ours *contract.Schema, known map[string]string) {
	taken := map[string]bool{}
	for _, m := range ours.Members {
		taken[known[plain(m.Name)]] = true
	}
	for _, m := range ours.Members {
		pointer, why := known[plain(m.Name)], ""
		if pointer == "" {
			pointer, why = a.synonym(kind, m.Name, known, taken)
		}
		if pointer == "" || pointer == "/"+m.Name || dialect.Check("members", kind+"."+m.Name, pointer) != nil {
			continue
		}
		taken[pointer] = true
		a.found.Members = append(a.found.Members, Guess{kind + "." + m.Name, pointer, why})
	}
}

// synonym returns where the service has a member under another word, and why that is not sure.
func (a *adopting) synonym(kind, member string, known map[string]string, taken map[string]bool) (pointer, unsure string) {
	words := synonyms[kind+"."+member]
	if words == "" {
		words = synonyms[member]
	}
	sure, weak, _ := strings.Cut(words, "|")
	for i, list := range []string{sure, weak} {
		for word := range strings.FieldsSeq(list) {
			for _, w := range expanded(word, kind) {
				if at := known[w]; at != "" && !taken[at] {
					return at, []string{"", "its name has other meanings too"}[i]
				}
			}
		}
	}
	return "", ""
}

// expanded returns a word of synonyms with each word for a kind in place of NOUN, CONTACT or ACCOUNT.
func expanded(word, kind string) []string {
	for marker, of := range map[string]string{"NOUN": kind, "CONTACT": "contact", "ACCOUNT": "account"} {
		if !strings.Contains(word, marker) {
			continue
		}
		all := []string{strings.ReplaceAll(word, marker, of)}
		for noun := range strings.FieldsSeq(strings.ReplaceAll(nouns[of], "|", "")) {
			all = append(all, strings.ReplaceAll(word, marker, noun))
		}
		return all
	}
	return []string{word}
}

// list notes where a page has its rows and the cursor of the next one.
func (a *adopting) list(p place) {
	schema := a.theirs.responseSchema(p.operation, 200)
	rows, _ := a.rowsIn(schema, "", 0)
	if rows != "" && rows != "/data" {
		a.found.Members = append(a.found.Members, Guess{Name: "list.data", Value: rows})
	}
	known := map[string]string{}
	members := a.theirs.shape(schema, 0).members
	for _, name := range slices.Sorted(maps.Keys(members)) {
		known[plain(name)] = "/" + escape(name)
		for inner := range a.theirs.shape(members[name], 0).members {
			if at := known[plain(inner)]; at == "" {
				known[plain(inner)] = "/" + escape(name) + "/" + escape(inner)
			}
		}
	}
	parameters := map[string]string{}
	for _, name := range a.theirs.parameters(p, "query") {
		parameters[plain(name)] = "/" + escape(name)
	}
	for _, name := range []string{"cursor", "limit"} {
		if parameters[name] == "" {
			if at, why := a.synonym("list", name, parameters, map[string]bool{}); at != "" {
				a.found.Members = append(a.found.Members, Guess{"list." + name, at, why})
			}
		}
	}
	at, why := known["nextcursor"], ""
	if at == "" {
		at, why = a.synonym("list", "nextCursor", known, map[string]bool{rows: true})
	}
	if at != "" && at != "/nextCursor" {
		a.found.Members = append(a.found.Members, Guess{"list.nextCursor", at, why})
	}
}

// verdicts are words that services use for a status, in the form of plain.
var verdicts = map[string]string{
	"kyc.approved": "approved verified passed accepted active completed clear", "kyc.rejected": "rejected declined denied failed refused",
	"transfer.payment_processed": "paid completed complete settled succeeded success done processed executed",
	"transfer.failed":            "failed error rejected declined", "transfer.canceled": "cancelled canceled voided", "transfer.returned": "returned bounced reversed",
}

// words notes the service's words for a status that the contract does not have.
func (a *adopting) words(name string, op *contract.Operation) {
	p, isFound := a.places[op]
	if !isFound {
		return
	}
	kind, member, _ := strings.Cut(name, ".")
	pointer := "/" + member
	for _, guess := range a.found.Members {
		if guess.Name == name {
			pointer = guess.Value
		}
	}
	i := slices.IndexFunc(op.SuccessSchema().Members, func(m contract.Member) bool { return m.Name == member })
	known := op.SuccessSchema().Members[i].Schema.Enum
	schema := a.theirs.at(a.theirs.responseSchema(p.operation, 200), pointer)
	for _, word := range unique(a.theirs.shape(schema, 0).values) {
		if !slices.Contains(known, word) {
			status := kind + "."
			for of, words := range verdicts {
				if strings.HasPrefix(of, status) && slices.Contains(strings.Fields(words), plain(word)) {
					status = of
				}
			}
			a.found.Words[status] = append(a.found.Words[status], word)
		}
	}
}
