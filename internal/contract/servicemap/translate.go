package servicemap

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// An object is a JSON object by its members.
type object map[string]jsontext.Value

func readObject(document jsontext.Value) (object, error) {
	members, err := effect.Object(document)
	return object(members), err
}

// write returns the object as JSON. Equal objects become equal bytes.
func (o object) write() jsontext.Value {
	text := jsontext.Value("{")
	for i, name := range slices.Sorted(maps.Keys(o)) {
		if i > 0 {
			text = append(text, ',')
		}
		text, _ = jsontext.AppendQuote(text, name) // a name that was read is UTF-8
		text = append(append(text, ':'), o[name]...)
	}
	return append(text, '}')
}

// put sets the value at a pointer. It reports whether the place was free.
func (o object) put(at jsontext.Pointer, value jsontext.Value) bool {
	name, rest := split(at)
	if rest == "" {
		isFree := o[name] == nil
		if isFree {
			o[name] = value
		}
		return isFree
	}
	below, err := object{}, error(nil)
	if o[name] != nil {
		below, err = readObject(o[name])
	}
	isFree := err == nil && below.put(rest, value)
	if isFree {
		o[name] = below.write()
	}
	return isFree
}

// take removes and returns the value at a pointer, and then empty objects around it. Nil means that there is none. A
// parent that is neither an object nor null is an error.
func (o object) take(at jsontext.Pointer) (value jsontext.Value, err error) {
	name, rest := split(at)
	value = o[name]
	switch {
	case rest == "":
		delete(o, name)
		return value, nil
	case value == nil || value.Kind() == 'n':
		return nil, nil
	}
	below, err := readObject(value)
	if err != nil {
		return nil, fmt.Errorf("the profile has a member below /%s, and that is not an object", name)
	}
	value, err = below.take(rest)
	if o[name] = below.write(); len(below) == 0 {
		delete(o, name)
	}
	return value, err
}

// split returns the first name of a pointer, and the rest of the pointer.
func split(at jsontext.Pointer) (name string, below jsontext.Pointer) {
	token, rest, _ := strings.Cut(string(at[min(1, len(at)):]), "/")
	if rest != "" {
		below = jsontext.Pointer("/" + rest)
	}
	return jsontext.Pointer("/" + token).LastToken(), below
}

// A direction says which documents are translated, and in which direction.
type direction struct {
	isSent bool // requests, not responses
	isBack bool // from the service to the contract
}

// move moves the mapped members of a kind between the contract's places and the service's. A further member keeps its
// name. The error names a member without a place, or with another's place.
func (m *Map) move(kind string, d direction, from object) (to object, err error) {
	to = object{}
	taken := map[jsontext.Pointer]jsontext.Value{} // id and externalId may share a place
	isPlace := map[string]bool{}                   // the first names of the service's places
	for _, name := range m.names[kind] {
		p := m.members[kind][name]
		source, target := jsontext.Pointer("/"+name), p.read
		if d.isSent {
			target = p.send
		}
		first, _ := split(target)
		isPlace[first] = true
		if d.isBack {
			source, target = target, source
		}
		if source == "" {
			continue
		}
		if taken[source] == nil {
			if taken[source], err = from.take(source); err != nil {
				return nil, err
			}
		}
		value := taken[source]
		switch {
		case value == nil, target == "" && !d.isSent:
		case target == "" && (name == "batchId" || name == "amountType" &&
			textOf(value) == string(payments.AmountTypeSource)):
			// payctl adds it
		case target == "":
			return nil, fmt.Errorf("the service takes no %s, as the profile says (members.%s.%s)", name, kind, name)
		case !to.put(target, value) && name != "id": // it is the external id
			return nil, fmt.Errorf("the member %s stands within another one", name)
		}
	}
	for name, value := range from {
		_, isMapped := m.members[kind][name]
		switch {
		case d.isBack && isMapped && !d.isSent:
		case isMapped && d.isBack:
			return nil, fmt.Errorf("the request has %s, and the service has it elsewhere (members.%s.%s)", name, kind, name)
		case isPlace[name] && !d.isBack:
			return nil, fmt.Errorf("the member %s stands where the profile has another one", name)
		default:
			to[name] = value
		}
	}
	return to, nil
}

// isExact reports whether a document has only the contract's names, and objects where the contract has them.
func isExact(d *jsontext.Decoder, schema *contract.Schema) bool {
	kind := d.PeekKind()
	isExpected := kind == '{' && len(schema.Members) > 0 || kind == '[' && schema.Items != nil
	if !isExpected {
		isDeep := kind == '{' && schema.Type != contract.Object && schema.Type != contract.Any
		return d.SkipValue() == nil && !isDeep
	}
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for of := schema.Items; d.PeekKind() != ']' && d.PeekKind() != '}'; {
		if kind == '{' {
			name, err := d.ReadValue()
			if err != nil || len(name) < len(`""`) {
				return false
			}
			if of = schema.Member(name[1 : len(name)-1]); of == nil { // an escaped name is not in the contract
				return false
			}
		}
		if !isExact(d, of) {
			return false
		}
	}
	_, err := d.ReadToken()
	return err == nil
}

// fold renames members that differ from the contract's only in letter case, hyphens or underscores, if one does. It
// does not rename mapped members.
func (m *Map) fold(t object, schema *contract.Schema, kind string) (isChanged bool, err error) {
	found := map[string][]string{} // other names, by the member that they may be
	for name := range t {
		if schema.Has(name) {
			continue
		}
		folded := payments.FoldMember(name)
		for _, member := range schema.Members {
			_, isMapped := m.members[kind][member.Name]
			if strings.EqualFold(member.Name, folded) && t[member.Name] == nil && !isMapped {
				found[member.Name] = append(found[member.Name], name)
			}
		}
	}
	for member, names := range found {
		if len(names) == 1 {
			t[member], isChanged = t[names[0]], true
			delete(t, names[0])
		}
	}
	for _, member := range schema.Members {
		value := t[member.Name]
		if len(value) == 0 || value.Kind() != '{' && value.Kind() != '[' {
			continue
		}
		folded, err := m.foldValue(value, member.Schema)
		if err != nil {
			return false, err
		}
		isChanged = isChanged || !isSame(folded, value)
		t[member.Name] = folded
	}
	return isChanged, nil
}

// foldValue is fold for a value of any type.
func (m *Map) foldValue(value jsontext.Value, schema *contract.Schema) (jsontext.Value, error) {
	if isExact(jsontext.NewDecoder(bytes.NewBuffer(value)), schema) {
		return value, nil
	}
	if value.Kind() == '{' && len(schema.Members) > 0 {
		t, err := readObject(value)
		if err != nil {
			return nil, err
		}
		if isChanged, err := m.fold(t, schema, ""); err != nil || !isChanged {
			return value, err
		}
		return t.write(), nil
	}
	if value.Kind() == '[' && schema.Items != nil {
		return eachElement(value, func(element jsontext.Value) (jsontext.Value,
			error) {
			return m.foldValue(element, schema.Items)
		})
	}
	return value, nil
}

// eachElement applies change to each element of an array. It returns the array itself if none changes.
func eachElement(array jsontext.Value, change func(jsontext.Value) (jsontext.Value, error)) (jsontext.Value, error) {
	var elements []jsontext.Value
	if err := json.Unmarshal(array, &elements); err != nil {
		return nil, err
	}
	isChanged := false
	for i, element := range elements {
		changed, err := change(element)
		if err != nil {
			return nil, err
		}
		isChanged = isChanged || !isSame(changed, element)
		elements[i] = changed
	}
	if !isChanged {
		return array, nil
	}
	return json.Marshal(elements)
}

func isSame(a, b jsontext.Value) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || bytes.Equal(a, b))
}

// unmapped begins a word of the contract from a service, if the profile gives its status another word.
const unmapped = "unmapped:"

// status returns the contract's word for a service's. It is known if the profile has it, or has another word for its
// status.
func (m *Map) status(kind string, raw jsontext.Value) (status string, isKnown bool) {
	isAbsent := raw == nil || raw.Kind() == 'n'
	for _, w := range m.words[kind] {
		if w.value.Kind() == 'n' && isAbsent || !isAbsent && w.value.Kind() == raw.Kind() && textOf(w.value) == textOf(raw) {
			return w.status, true
		}
	}
	if text := textOf(raw); m.wordFor(kind, text) != nil {
		return unmapped + text, true
	}
	return "", false
}

// wordFor returns the profile's first word for a status, or nil.
func (m *Map) wordFor(kind, status string) jsontext.Value {
	for _, w := range m.words[kind] {
		if w.status == status {
			return w.value
		}
	}
	return nil
}

// Status returns the contract's word for a service's text, or the text itself.
func (m *Map) Status(kind, text string) string {
	if status, isKnown := m.status(kind, quoted(text)); isKnown {
		return status
	}
	return text
}

// filterWords returns the service's words for the statuses of a filter. It is empty if one of them is an absent member.
func (m *Map) filterWords(kind string, statuses []string) string {
	var words []string
	for _, status := range statuses {
		before := len(words)
		for _, w := range m.words[kind] {
			if w.status == status && w.value.Kind() == 'n' {
				return ""
			}
			if w.status == status {
				words = append(words, textOf(w.value))
			}
		}
		if len(words) == before {
			words = append(words, status)
		}
	}
	return strings.Join(words, ",")
}

// Event returns an event with the contract's spelling, and its words for statuses.
func (m *Map) Event(event jsontext.Value) (jsontext.Value, error) {
	schema, _ := contract.ListEvents.Shown()
	event, err := m.foldValue(event, schema)
	if err != nil {
		return nil, err
	}
	return m.eventWords(event, m.eventStatus)
}

// eventStatus returns the contract's word for a status in an event.
func (m *Map) eventStatus(kind string, raw jsontext.Value) (status jsontext.Value, isKnown bool) {
	text, isKnown := m.status(kind, raw)
	return quoted(text), isKnown
}

// eventWords returns an event with other words for its statuses.
func (m *Map) eventWords(
	event jsontext.Value, wordOf func(kind string, status jsontext.Value) (jsontext.Value, bool),
) (jsontext.Value, error) {
	t, err := readObject(event)
	if err != nil {
		return event, err
	}
	isChanged := false
	kind, _, _ := strings.Cut(textOf(t["type"]), ".")
	for _, name := range []string{"from", "to"} {
		if t[name] == nil {
			continue
		}
		if word, isKnown := wordOf(kind, t[name]); isKnown {
			t[name], isChanged = word, true
		}
	}
	if !isChanged {
		return event, nil
	}
	return t.write(), nil
}

// A side is the side of a route that an amount is on.
type side struct {
	key payments.RouteKey
	on  payments.AmountType
}

// sideOf reads the route and the side of the amount from a transfer or the request of one.
func sideOf(t object) side {
	var choice payments.RouteChoice
	_ = json.Unmarshal(t["route"], &choice) // a route in another form has no currency
	key, _ := payments.ParseRouteKey(choice.RouteKey)
	return side{key, payments.AmountType(strings.ToLower(textOf(t["amountType"])))}
}

func (s side) currency() string { return s.key.Currency(s.on) }

func (s side) rail() string {
	if s.on == payments.AmountTypeTarget {
		return s.key.DestinationRail
	}
	return s.key.SourceRail
}

// largestInteger is the largest number that every JSON reader keeps (RFC 8259 section 6).
const largestInteger = "9007199254740991"

// Decimals returns how many decimals an amount in minor units has, and false if that is not known.
func (m *Map) Decimals(rail, currency string) (decimals int, isKnown bool) {
	currency = strings.ToUpper(currency)
	for _, name := range []string{rail + ":" + currency, currency} {
		if decimals, isKnown := m.decimals[name]; isKnown {
			return decimals, true
		}
	}
	return money.CurrencyDecimals(currency)
}

// MinorDecimals is Decimals, if amounts are in minor units.
func (m *Map) MinorDecimals(rail, currency string) (decimals int, isMinor bool) {
	if m.unit != "minor" {
		return 0, false
	}
	return m.Decimals(rail, currency)
}

// AmountSent returns how the amount of a transfer is sent, such as "5.00 USDC is sent as amount: 500", or "" if
// unchanged.
func (m *Map) AmountSent(request jsontext.Value) string {
	t, _ := readObject(request)
	amount, key := t["amount"], sideOf(t)
	if m.unit == "" || amount == nil {
		return ""
	}
	sent, err := m.amount(amount, key.rail(), key.currency(), false)
	if err != nil {
		return payments.Sentence(err.Error())
	}
	name := strings.TrimPrefix(string(m.place("transfer", "amount").send), "/")
	return fmt.Sprintf("%s %s is sent as %s: %s.", textOf(amount), key.currency(), name, sent)
}

// amount converts an amount between the contract's form and the service's. It never rounds.
func (m *Map) amount(value jsontext.Value, rail, currency string, isBack bool) (jsontext.Value, error) {
	if m.unit == "" || value == nil || value.Kind() == 'n' {
		return value, nil
	}
	text, sign := textOf(value), ""
	if positive, ok := strings.CutPrefix(text, "-"); ok && isBack { // of a refund in a list, for example
		text, sign = positive, "-"
	}
	amount, err := money.ParseDecimal(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the amount %.40s is not one: %w", value, err)
	case m.unit == "number" && isBack:
		return quoted(sign + text), nil
	case m.unit == "number":
		return jsontext.Value(text), nil
	}
	decimals, isKnown := m.Decimals(rail, currency)
	minor := amount
	if !isBack {
		minor = amount.Mul(money.Unit(-decimals))
	}
	switch {
	case !isKnown:
		return nil, fmt.Errorf("the minor unit of %.20q is not known: set decimals.%.20s in the profile", currency, currency)
	case isBack && amount.Places() > 0, minor.Cmp(money.MustDecimal(largestInteger)) > 0:
		return nil, fmt.Errorf("the amount %.40s is not one in minor units", value)
	case minor.Places() > 0:
		return nil, fmt.Errorf("the amount %s has more than the %d decimals of %s", amount, decimals, currency)
	case isBack:
		return quoted(sign + minor.Mul(money.Unit(decimals)).Written(decimals).String()), nil
	}
	return jsontext.Value(minor.Cut(0).String()), nil
}

// amounts converts the amounts of a transfer. The currency of an amount is beside it, or is the route's.
func (m *Map) amounts(t object, isBack bool) (err error) {
	if m.unit == "" {
		return nil
	}
	own, schema := sideOf(t), contract.GetTransfer.SuccessSchema()
	source := side{own.key, payments.AmountTypeSource}
	sides := map[string]side{"source": source, "destination": {own.key, payments.AmountTypeTarget}}
	nested := func(value jsontext.Value, of side) (jsontext.Value, error) {
		if value.Kind() != '{' || !bytes.Contains(value, []byte(`"amount"`)) {
			return value, nil
		}
		o, err := readObject(value)
		rail, currency := cmp.Or(textOf(o["paymentRail"]), of.rail()), cmp.Or(textOf(o["currency"]), of.currency())
		if err != nil || currency == "" {
			return value, err
		}
		if o["amount"], err = m.amount(o["amount"], rail, currency, isBack); err != nil {
			return nil, err
		}
		return o.write(), nil
	}
	for name, value := range t {
		switch {
		case name == "amount":
			t[name], err = m.amount(value, own.rail(), cmp.Or(textOf(t[amountCurrency]), own.currency()), isBack)
		case name == "convertedAmount":
			t[name], err = m.amount(value, source.rail(), source.currency(), isBack)
		case name == "metadata" || !schema.Has(name): // is the sender's own
		case value.Kind() == '[':
			t[name], err = eachElement(value, func(v jsontext.Value) (jsontext.Value, error) { return nested(v, side{}) })
		default:
			t[name], err = nested(value, sides[name])
		}
		if err != nil {
			return err
		}
	}
	return nil
}
