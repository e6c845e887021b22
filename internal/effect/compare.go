package effect

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
	"golang.org/x/text/unicode/norm"

	"github.com/payctl/payctl/internal/payments"
)

// Expected is the effect that a write asks for. Documents of the service are compared with it.
type Expected struct {
	// ID is the identifier of the changed resource. It is empty for a new resource, which must show one. IDMember is
	// its member. Empty means id.
	ID, IDMember string
	// State is the state that shows the effect, such as canceled. Empty means any.
	State string
	// Body is the request, a JSON object. Nil means that the service does not show it. A null removes the member.
	Body jsontext.Value
	// IsChange reports that an existing resource is changed. Then a member must be shown as it was sent. Otherwise the
	// document may show the state before.
	IsChange bool
	// IsNew reports that a resource is created.
	IsNew bool
	// Any accepts every document, for a call outside the contract.
	Any bool
	// Shown are members in another form that a person has accepted, by name. An empty text accepts every form.
	Shown map[string]string
}

// A Likeness is how a document shows one member of a request.
type Likeness uint8

// The likenesses.
const (
	Equal Likeness = iota
	Different
	NotShown
	Masked     // the shown part is as it was sent
	Unreadable // its form cannot be compared
	Near       // it is shown differently, but may mean the same
	Unrelated  // of the whole document: it shows members, but none that was sent
)

// A Compared member of a request.
type Compared struct {
	Name string
	Likeness
	There, Here string // the texts in the document and in the request
}

// A Comparison compares a request with a document. It begins with the identifier, if one is expected.
type Comparison []Compared

// decisive are the members that must be readable: they identify the payment, its amount and its destination.
var decisive = []string{
	"id", "reference", "amount", "amountType", "currency", "paymentRail", "destinationSavedContactId", "accountId",
	"route",
	"state",
}

// Compare compares a document with what is expected.
func (e Expected) Compare(shown Members) (compared Comparison) {
	if e.Any {
		return nil
	}
	idMember := cmp.Or(e.IDMember, "id")
	switch {
	case e.ID != "":
		compared = append(compared, compareMember(idMember, quoted(e.ID), shown[idMember]))
	case textOf(shown[idMember]) == "":
		compared = append(compared, Compared{Name: idMember, Likeness: Unreadable})
	}
	if e.State != "" {
		compared = append(compared, compareMember("state", quoted(e.State), shown["state"]))
	}
	if len(e.Body) == 0 {
		return compared
	}
	sent, err := Object(e.Body)
	if err != nil { // it has no members
		return append(compared, Compared{Name: "body", Likeness: NotShown})
	}
	delete(sent, "batchId") // not part of a payment
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		compared = append(compared, compareTop(name, sent[name], shown)...)
	}
	if e.IsNew && sent["route"] != nil {
		compared = append(compared, compareSides(sent, shown)...)
	}
	if e.IsNew && isUnrelated(compared, shown) {
		compared = append(compared, Compared{Name: "kind", Likeness: Unrelated})
	}
	for i, c := range compared {
		if text, isAccepted := e.Shown[c.Name]; isAccepted && (text == "" || text == c.There) {
			compared[i].Likeness = Equal
		}
	}
	return compared
}

// compareSides compares the sides of a transfer with the sent route and amount. A side within a tenth of the amount may
// include fees.
func compareSides(sent, shown map[string]jsontext.Value) (compared []Compared) {
	key, _ := payments.ParseRouteKey(cmp.Or(textOf(sent["route"]), Text(sent["route"], "routeKey")))
	currencies := map[string]string{"source": key.SourceCurrency, "destination": key.DestinationCurrency}
	side, amountType := "source", textOf(sent["amountType"])
	if strings.EqualFold(amountType, string(payments.AmountTypeTarget)) {
		side = "destination"
	}
	if amountType == "" && isShown(sent["amount"]) && isShown(shown["amountType"]) {
		compared = append(compared, compareMember("amountType", quoted(string(payments.AmountTypeSource)),
			shown["amountType"]))
	}
	for _, name := range []string{"source", "destination"} {
		there, _ := Object(shown[name]) // no object shows nothing
		if currency := currencies[name]; currency != "" && textOf(there["currency"]) != "" {
			c := compareMember("currency", quoted(currency), there["currency"])
			c.Name = name + ".currency"
			compared = append(compared, c)
		}
		isTold := likenessOfNumber(textOf(sent["amount"]), textOf(shown["amount"])) == Different // compareTop reports it
		if name == side && isShown(sent["amount"]) && isShown(there["amount"]) && !isTold {
			c := compareMember("amount", sent["amount"], there["amount"])
			c.Name = name + ".amount"
			if c.Likeness == Different && isWithinTenth(c.Here, c.There) {
				c.Likeness = Near
			}
			compared = append(compared, c)
		}
	}
	if shown["amountCurrency"] != nil && currencies[side] != "" { // the profile says that it is the amount's currency
		compared = append(compared, compareMember("currency", quoted(currencies[side]), shown["amountCurrency"]))
	}
	if currency := textOf(shown["currency"]); currency != "" && currencies[side] != "" {
		c := compareMember("currency", quoted(currencies[side]), shown["currency"])
		if c.Likeness == Different && (strings.EqualFold(currency, key.SourceCurrency) ||
			strings.EqualFold(currency, key.DestinationCurrency)) {
			c.Likeness = Near
		}
		compared = append(compared, c)
	}
	return compared
}

// isWithinTenth reports whether a number differs from another by at most a tenth of that.
func isWithinTenth(of, number string) bool {
	a, isNumber := numberOf(of)
	b, isReadable := numberOf(number)
	return isNumber && isReadable && a.Sub(b).Abs().Mul(decimal.NewFromInt(10)).Cmp(a.Abs()) <= 0
}

// IsScaled reports whether a different amount may be the sent one: times a power of ten, as in minor units, or within a
// tenth, as after fees.
func (c Comparison) IsScaled() bool {
	return slices.ContainsFunc(c, func(m Compared) bool {
		here, isNumber := numberOf(m.Here)
		there, isReadable := numberOf(m.There)
		if m.Name != "amount" || m.Likeness != Different || !isNumber || !isReadable || here.IsZero() {
			return false
		}
		return isWithinTenth(m.Here, m.There) || here.Coefficient().String() != "0" &&
			strings.TrimRight(here.Coefficient().String(), "0") ==
				strings.TrimRight(there.Coefficient().String(), "0")
	})
}

// isUnrelated reports whether a document shows members, but none that was sent.
func isUnrelated(compared Comparison, shown map[string]jsontext.Value) bool {
	isAny := func(m Compared) bool { return m.Name != "id" && m.Likeness != NotShown }
	if slices.ContainsFunc(compared, isAny) {
		return false
	}
	for name := range shown {
		if !slices.Contains(neutralMembers, name) {
			return true
		}
	}
	return false
}

// HasError reports whether there is a member error or errors that is not null, false, empty or zero.
func (m Members) HasError() bool {
	for _, name := range []string{"error", "errors"} {
		value := m[name].Clone()
		if value.Compact() != nil || !isShown(value) {
			continue
		}
		if n, isNumber := numberOf(string(value)); isNumber && n.IsZero() {
			continue
		}
		if !slices.Contains([]string{"false", `""`, "[]", "{}"}, string(value)) {
			return true
		}
	}
	return false
}

// neutralMembers do not say what a document is about.
var neutralMembers = []string{"id", "state", "status", "kycStatus", "createdAt", "updatedAt", "errors"}

// Fault returns why the compared document cannot be the expected effect, or "". A member that is not shown is not a
// difference.
func (e Expected) Fault(compared Comparison) string {
	for _, c := range compared {
		switch {
		case c.Name == "id" && e.ID == "" && c.Likeness == Unreadable:
			return "has no id"
		case c.Likeness == Unreadable && slices.Contains(decisive, c.Name):
			return "has a member " + c.Name + " that cannot be read"
		case c.Likeness == Unrelated:
			return "shows nothing of what was sent"
		case c.Likeness == NotShown && (c.Name == "state" && e.State != "" || c.Name == "id" && e.ID != ""):
			return "has no " + c.Name
		}
	}
	if differing := compared.Differences(); len(differing) > 0 {
		return "shows something else than was asked for: " + strings.Join(differing, "; ")
	}
	isOfBody := func(c Compared) bool { return c.Name != "id" && c.Likeness == Equal }
	if e.IsChange && len(e.Body) > 0 && !slices.ContainsFunc(compared, isOfBody) {
		return "shows nothing of the change"
	}
	return ""
}

// Differences describes the members that differ, in lines such as "amount: there 10.00, here 12.50". A member that may
// hold personal data has only its name.
func (c Comparison) Differences() []string { return c.lines(Different, "differs") }

// Near describes the members that may mean the same, in the same lines.
func (c Comparison) Near() []string { return c.lines(Near, "is shown differently") }

// Accepted returns the members that differ, with the shown texts. A member that may hold personal data has no text.
func (c Comparison) Accepted() map[string]string {
	accepted := map[string]string{}
	for _, m := range c {
		if m.Likeness != Different && m.Likeness != Unreadable || m.Name == "id" {
			continue
		}
		if accepted[m.Name] = m.There; isPersonal(m.Name) {
			accepted[m.Name] = ""
		}
	}
	return accepted
}

// Hidden describes the members that are not shown, in the same lines. A masked member is shown.
func (c Comparison) Hidden() []string { return c.lines(NotShown, "is not shown") }

func (c Comparison) lines(of Likeness, word string) (lines []string) {
	for _, m := range c {
		name := cmp.Or(words[m.Name], m.Name)
		switch {
		case m.Likeness != of:
		case isPersonal(m.Name):
			lines = append(lines, name+" "+word)
		default:
			lines = append(lines, name+": there "+cmp.Or(m.There, "-")+", here "+cmp.Or(m.Here, "-"))
		}
	}
	return lines
}

// words are the names of members on the command line.
var words = map[string]string{
	"destinationSavedContactId": "contact", "amountType": "amount type", "externalId": "external id",
	"flowType": "flow type",
}

// isPersonal reports whether a member may hold personal data.
func isPersonal(name string) bool {
	if side, member, isSide := strings.Cut(name, "."); isSide && (side == "source" || side == "destination") {
		name = member
	}
	return !slices.Contains(decisive, name) && !strings.HasPrefix(name, "metadata") && name != "externalId" &&
		name != "flowType" && name != "provider" && name != "label"
}

// NotCompared returns the members that are not shown or cannot be read.
func (c Comparison) NotCompared() (names []string) {
	for _, m := range c {
		if m.Likeness == NotShown || m.Likeness == Unreadable {
			names = append(names, m.Name)
		}
	}
	return names
}

// IsComplete reports whether every member is shown as it was sent.
func (c Comparison) IsComplete() bool {
	return !slices.ContainsFunc(c, func(m Compared) bool { return m.Likeness != Equal })
}

// Has reports whether a member is shown as it was sent.
func (c Comparison) Has(name string) bool {
	return slices.ContainsFunc(c, func(m Compared) bool { return m.Name == name && m.Likeness == Equal })
}

// Members are the members of a JSON object, as parts of the document.
type Members map[string]jsontext.Value

// Identify returns the identifier of a resource and its state, which members of several names hold.
func (m Members) Identify() (id, state string) {
	return m.Text("id"), cmp.Or(m.Text("state"), m.Text("kycStatus"))
}

// Text returns the text of a string or number at a member; empty if it has none.
func (m Members) Text(name string) string { return textOf(m[name]) }

// Identify is Members.Identify for a document.
func Identify(document jsontext.Value) (id, state string) {
	members, _ := Object(document)
	return members.Identify()
}

// Text is Members.Text for a document.
func Text(document jsontext.Value, member string) string {
	members, _ := Object(document)
	return members.Text(member)
}

// Object returns the members of a JSON object. Null has none. It neither copies nor reflects: a batch reads many
// documents.
func Object(document jsontext.Value, options ...jsontext.Options) (members Members, err error) {
	decoder := jsontext.NewDecoder(bytes.NewBuffer(document), options...)
	members = make(Members, min(24, len(document)/16)) // a transfer has as many as 24
	if decoder.PeekKind() == '{' {
		_, err = decoder.ReadToken()
		for err == nil && decoder.PeekKind() == '"' {
			var name jsontext.Token
			if name, err = decoder.ReadToken(); err == nil {
				member := name.String()
				value, failure := decoder.ReadValue()
				end := int(decoder.InputOffset())
				members[member], err = document[end-len(value):end:end], failure
			}
		}
		if err == nil {
			_, err = decoder.ReadToken()
		}
		if err == nil && len(bytes.TrimSpace(document[decoder.InputOffset():])) == 0 {
			return members, nil
		}
	}
	return nil, json.Unmarshal(document, new(Members), options...) // for its error
}

func quoted(text string) jsontext.Value {
	value, _ := jsontext.AppendQuote(nil, text) // invalid UTF-8 is replaced
	return value
}

func textOf(value jsontext.Value) string {
	text, _ := scalar(value)
	return text
}

func isShown(value jsontext.Value) bool { return len(value) > 0 && value.Kind() != 'n' }

// scalar returns the text of a string, a number or a truth value. A number keeps all its digits.
func scalar(value jsontext.Value) (text string, ok bool) {
	switch value.Kind() {
	case '"':
		unquoted, err := jsontext.AppendUnquote(nil, value)
		return string(unquoted), err == nil
	case '0', 't', 'f':
		return string(value), true
	}
	return "", false
}

// compareTop compares a member of a request with a document. A document has the members of a transfer's route at its
// top.
func compareTop(name string, sent jsontext.Value, shown map[string]jsontext.Value) []Compared {
	if name != "route" || sent.Kind() != '{' || shown["route"].Kind() == '{' {
		return compareTree(name, sent, shown[name])
	}
	route, _ := Object(sent)
	var compared []Compared
	for _, part := range slices.Sorted(maps.Keys(route)) {
		at := part
		if part == "routeKey" {
			at = "route"
		}
		compared = append(compared, compareMember(at, route[part], shown[at]))
	}
	return compared
}

// compareTree compares a member of a request with that of a document. Members missing from a shown object count as
// unset.
func compareTree(name string, sent, shown jsontext.Value) []Compared {
	if sent.Kind() != '{' || !isShown(shown) {
		return []Compared{compareMember(name, sent, shown)}
	}
	wanted, _ := Object(sent)
	there, err := Object(shown)
	if err != nil {
		return []Compared{{Name: name, Likeness: Unreadable, There: string(shown), Here: string(sent)}}
	}
	var compared []Compared
	for _, part := range slices.Sorted(maps.Keys(wanted)) {
		for _, c := range compareTree(part, wanted[part], there[part]) {
			if c.Likeness == NotShown {
				c.Likeness = Different
			}
			c.Name = name + "." + c.Name
			compared = append(compared, c)
		}
	}
	return compared
}

// compareMember compares one member.
func compareMember(name string, sent, shown jsontext.Value) Compared {
	here, isText := scalar(sent)
	there, isReadable := scalar(shown)
	c := Compared{Name: name, There: there, Here: here}
	switch {
	case !isShown(sent) && !isShown(shown):
		c.Likeness = Equal // it is removed
	case !isShown(sent):
		c.Likeness = Different
	case !isShown(shown):
		if c.Likeness = NotShown; !isText {
			c.Here = string(sent)
		}
	case !isText: // an array, or an object that is shown as something else
		c.Likeness, c.There, c.Here = likenessOfJSON(sent, shown), string(shown), string(sent)
	case !isReadable:
		c.Likeness, c.There = Unreadable, string(shown)
	default:
		c.Likeness = likenessOfText(name, here, there, sent.Kind() == '0')
	}
	return c
}

func likenessOfJSON(sent, shown jsontext.Value) Likeness {
	a, b := sent.Clone(), shown.Clone()
	switch {
	case sent.Kind() != shown.Kind(), a.Canonicalize() != nil, b.Canonicalize() != nil:
		return Unreadable
	case string(a) == string(b):
		return Equal
	}
	return Different
}

// How texts are compared, by member. Any other member is equal if it has the same visible characters.
var (
	exactMembers = []string{
		"id", "reference", "externalId", "destinationSavedContactId", "accountId", "route", "routeKey", "state", "memo",
	}
	codeMembers = []string{"currency", "country", "holderType", "paymentRail"} // the case does not matter
	// formattedMembers are also written with separators, and services mask them.
	formattedMembers = []string{
		"iban", "bic", "routingNumber", "accountNumber", "sortCode", "clabe", "phoneNumber", "taxId", "registrationNumber",
	}
	addressMembers = []string{"email", "pixKey", "address"} // services mask them, and write some in lower case
)

// likenessOfText compares the texts of two scalars.
func likenessOfText(name, here, there string, isNumber bool) Likeness {
	var same bool
	switch {
	case name == "amount":
		return likenessOfNumber(here, there)
	case name == "amountType":
		if same = strings.EqualFold(here, there); !same && !payments.AmountType(strings.ToLower(there)).Valid() {
			return Near
		}
	case isNumber:
		same = here == there || likenessOfNumber(here, there) == Equal
	case slices.Contains(exactMembers, name):
		same = here == there
	case slices.Contains(codeMembers, name):
		same = strings.EqualFold(here, there)
	case slices.Contains(formattedMembers, name):
		return likenessOfMasked(withoutSeparators(here), withoutSeparators(there))
	case slices.Contains(addressMembers, name):
		return likenessOfMasked(strings.ToLower(strings.TrimSpace(here)), strings.ToLower(strings.TrimSpace(there)))
	default:
		same = norm.NFC.String(strings.TrimSpace(here)) == norm.NFC.String(strings.TrimSpace(there))
	}
	if same {
		return Equal
	}
	return Different
}

func withoutSeparators(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -./()", r) {
			return -1
		}
		return r
	}, text))
}

// likenessOfMasked compares a text with one that may be masked by asterisks.
func likenessOfMasked(here, there string) Likeness {
	begin, end := strings.IndexByte(there, '*'), strings.LastIndexByte(there, '*')
	switch {
	case here == there:
		return Equal
	case begin < 0 || !strings.HasPrefix(here, there[:begin]) || !strings.HasSuffix(here, there[end+1:]):
		return Different
	case len(here) < len(there)-(end+1-begin):
		return Different // the shown part is longer
	}
	return Masked
}

// likenessOfNumber compares two numbers by value: 12.50 is 12.5, but not 1250.
func likenessOfNumber(here, there string) Likeness {
	a, isNumber := numberOf(here)
	b, isReadable := numberOf(there)
	switch {
	case here == there || isNumber && isReadable && a.Equal(b):
		return Equal
	case !isNumber || !isReadable:
		return Unreadable
	}
	return Different
}

// numberOf reads a number in the form of JSON (RFC 8259 section 6). The bounds allow any amount, but keep a short text
// from becoming a huge number.
func numberOf(text string) (n decimal.Decimal, ok bool) {
	const longest, farthest = 60, 40
	text = strings.TrimSpace(text)
	if value := jsontext.Value(text); len(text) > longest || !value.IsValid() || value.Kind() != '0' {
		return n, false
	}
	n, err := decimal.NewFromString(text)
	return n, err == nil && n.Exponent() >= -farthest && n.Exponent() <= farthest
}
