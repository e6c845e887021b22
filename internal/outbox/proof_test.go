package outbox

import (
	"maps"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
)

// members is a JSON object.
type members = map[string]any

// with returns a document with some members replaced. Nil removes a member.
func with(document members, change members) jsontext.Value {
	document = maps.Clone(document)
	maps.Copy(document, change)
	maps.DeleteFunc(document, func(_ string, value any) bool { return value == nil })
	return encode(document)
}

var shownTransfer = members{
	"id": "trf_1", "state": "pending", "amount": "5.00", "amountType": "source", "reference": "Inv 1",
	"destinationSavedContactId": "sct_1", "route": "sepa:EUR->base:USDC", "createdAt": "2026-01-01T00:00:00Z",
	"fees": []any{},
}

// sentTransfer returns a write that asks for shownTransfer.
func sentTransfer(change ...func(*payments.NewAutoTransfer, *payments.Idempotency)) *Write {
	request, key := payments.NewAutoTransfer{
		DestinationSavedContactID: "sct_1", Route: payments.RouteChoice{RouteKey: "sepa:EUR->base:USDC"},
		Amount: new(money.MustDecimal("5")), Reference: "Inv 1",
	}, payments.Idempotency{}
	for _, change := range change {
		change(&request, &key)
	}
	return NewAutoTransfer(request, key)
}

// strangeValues are values that a service may send for any member.
var strangeValues = map[string]string{
	"null": "null", "a number": "5.0", "a large number": "1e300", "a text": `"x"`, "a time": `"2026-11-27T19:00:00+0000"`,
	"true": "true", "an empty list": "[]", "a list": `["x",7,{"a":null}]`, "an object": `{"value":"x","at":7}`,
}

// An answer with one strange member proves a payment only if it has an id and the reference. It must show nothing that
// was sent differently. A member that is not shown is not a difference.
func TestAnAnswerWithOneStrangeMember(t *testing.T) {
	t.Parallel()
	for member, was := range shownTransfer {
		variants := map[string]jsontext.Value{
			"absent":  with(shownTransfer, members{member: nil}),
			"renamed": with(shownTransfer, members{member: nil, strings.ToUpper(member) + "_name": was}),
		}
		for name, value := range strangeValues {
			variants[name] = with(shownTransfer, members{member: jsontext.Value(value)})
		}
		for name, document := range variants {
			isHidden := name == "absent" || name == "null" || name == "renamed"
			isList := name == "an empty list" || name == "a list" || name == "an object"
			want := proven
			switch member {
			case "id":
				if isHidden || isList {
					want = thin
				}
			case "amountType": // another word may mean the same
				if isList {
					want = different
				}
			case "reference":
				if want = different; isHidden {
					want = thin
				}
			case "amount":
				if !isHidden && name != "a number" { // 5.0 is the amount
					want = different
				}
			case "destinationSavedContactId", "route":
				if !isHidden {
					want = different
				}
			}
			found := sentTransfer().examine(document, nil)
			require.Equal(t, want, found.proof, "%s %s: %s", member, name, document)
			require.Equal(t, want == proven, found.IsDone())
			require.Equal(t, want == different, len(found.differences) > 0)
		}
	}
}

func TestWhatADocumentProvesOfATransfer(t *testing.T) {
	t.Parallel()
	but := func(change members) jsontext.Value { return with(shownTransfer, change) }
	source := func(change members) jsontext.Value { return but(members{"source": change}) }
	onlyKey := sentTransfer(func(r *payments.NewAutoTransfer, key *payments.Idempotency) {
		r.Reference, key.Key = "", "k"
	})
	noName := sentTransfer(func(r *payments.NewAutoTransfer, _ *payments.Idempotency) { r.Reference = "" })
	noAmount := sentTransfer(func(r *payments.NewAutoTransfer, _ *payments.Idempotency) { r.Amount = nil })
	for name, test := range map[string]struct {
		sent   *Write // nil means one with a reference and an amount
		shown  jsontext.Value
		want   proof
		isNear bool // a member is reported as shown in another form
	}{
		"everything":                  {shown: but(nil), want: proven},
		"an amount of other digits":   {shown: but(members{"amount": "5"}), want: proven},
		"another amount":              {shown: but(members{"amount": "5.01"}), want: different},
		"a reference in another case": {shown: but(members{"reference": "INV 1"}), want: different},
		"a reference with a space":    {shown: but(members{"reference": " Inv 1"}), want: different},
		"inside of another member":    {shown: encode(members{"data": shownTransfer}), want: thin},
		"something else":              {shown: encode(members{"id": "job_1", "queue": "q"}), want: thin},
		"an id and a state":           {shown: encode(members{"id": "trf_1", "state": "pending"}), want: thin},
		"the reference alone":         {shown: encode(members{"id": "trf_1", "reference": "Inv 1"}), want: thin},
		"another payment's reference": {shown: encode(members{"id": "trf_1", "reference": "Inv 2"}), want: different},
		"the reference and the amount": {
			shown: encode(members{"id": "trf_1", "reference": "Inv 1", "amount": 5}), want: proven,
		},
		"the reference and the contact": {
			shown: encode(members{"id": "trf_1", "reference": "Inv 1", "destinationSavedContactId": "sct_1"}), want: proven,
		},
		"the amount and the contact": {
			shown: encode(members{"id": "trf_1", "amount": "5.00", "destinationSavedContactId": "sct_1"}), want: thin,
		},

		"an amount type in capitals":  {shown: but(members{"amountType": "SOURCE"}), want: proven},
		"an unknown amount type":      {shown: but(members{"amountType": "gross"}), want: proven, isNear: true},
		"the other amount type":       {shown: but(members{"amountType": "target"}), want: different},
		"a currency in small letters": {shown: source(members{"currency": "eur"}), want: proven},
		"another currency":            {shown: source(members{"currency": "USD"}), want: different},
		"the other side's currency":   {shown: but(members{"currency": "usdc"}), want: proven, isNear: true},
		"a foreign currency":          {shown: but(members{"currency": "USD"}), want: different},
		"fees on the side":            {shown: source(members{"amount": "5.50"}), want: proven, isNear: true},
		"a side that is further off":  {shown: source(members{"amount": "5.51"}), want: different},
		"a side in minor units":       {shown: source(members{"amount": 500}), want: different},
		"the other side": {
			shown: but(members{"destination": members{"amount": "9", "currency": "USDC"}}), want: proven,
		},

		"the external id of a key": {
			sent: onlyKey, shown: but(members{"reference": nil, "externalId": onlyKey.Pending.ExternalID}), want: proven,
		},
		"no external id of a key":    {sent: onlyKey, shown: but(members{"reference": nil}), want: thin},
		"without any name":           {sent: noName, shown: but(nil), want: proven},
		"an amount that is not sent": {sent: noAmount, shown: but(nil), want: different},
	} {
		if test.sent == nil {
			test.sent = sentTransfer()
		}
		found := test.sent.examine(test.shown, nil)
		require.Equal(t, test.want, found.proof, "%s: %v", name, found.differences)
		require.Equal(t, test.isNear, len(found.Near) > 0, "%s: %v", name, found.Near)
	}
	require.True(t, sentTransfer().examine(but(members{"amount": 500}), nil).isScaled)
	require.False(t, sentTransfer().examine(but(members{"amount": 51}), nil).isScaled)
	require.True(t, sentTransfer().examine(encode(members{"id": "job_1", "queue": "q"}), nil).isUnrelated)
	require.False(t, sentTransfer().examine(encode(members{"id": "trf_1", "state": "pending"}), nil).isUnrelated)
}

// A form that was shown before, or that a person accepted, is not a difference while it stays the same.
func TestWhatIsShownAsBeforeIsNoDifference(t *testing.T) {
	t.Parallel()
	rewritten := with(shownTransfer, members{"reference": "INV 1", "amount": 500})
	w := sentTransfer()
	w.Expect.Shown = w.examine(rewritten, nil).Shown
	require.Equal(t, proven, w.examine(rewritten, nil).proof)
	require.Equal(t, different, w.examine(with(shownTransfer, members{"reference": "INV 2", "amount": 500}), nil).proof)
	require.Equal(t, different, w.examine(with(shownTransfer, members{"reference": "INV 1", "amount": 50}), nil).proof)
}

// A change that a document does not show may not have been made.
func TestWhatADocumentProvesOfOtherWrites(t *testing.T) {
	t.Parallel()
	noKey := payments.Idempotency{}
	contact := newContact(payments.NewSavedContact{
		Label: "Ada", HolderName: "Ada L", PaymentRail: "sepa", IBAN: "DE89370400440532013000",
	}, noKey)
	account := newWrite(contract.CreateAccount.ID, noKey,
		encode(members{"email": "A@b.test", "externalId": "x", "country": "GB"}))
	change := newWrite(contract.UpdateSavedContact.ID, noKey, encode(members{"label": "new"}), "sct_1")
	cancellation := newWrite(contract.CancelTransfer.ID, noKey, nil, "trf_1")
	for _, test := range []struct {
		sent  *Write
		shown members
		want  proof
	}{
		{contact, members{"id": "sct_1", "label": "Ada", "iban": "DE****************3000"}, proven},
		{contact, members{"id": "sct_1", "holderName": "Ada L", "paymentRail": "SEPA"}, proven},
		{contact, members{"id": "sct_1", "label": "Ada", "iban": "DE****************3001"}, different},
		{contact, members{"id": "sct_1", "paymentRail": "sepa"}, thin},
		{contact, members{"label": "Ada"}, thin},
		{account, members{"id": "acc_1", "email": "a@b.test"}, thin}, // perhaps with another external id
		{account, members{"id": "acc_1", "externalId": "x"}, proven},
		{account, members{"id": "acc_1", "country": "gb"}, thin},
		{account, members{"id": "acc_1", "externalId": "X"}, different},
		{change, members{"id": "sct_1", "label": "new"}, proven},
		{change, members{"id": "sct_1", "label": "old"}, different},
		{change, members{"id": "sct_1"}, different},
		{change, members{"id": "sct_2", "label": "new"}, different},
		{cancellation, members{"id": "trf_1", "state": "canceled"}, proven},
		{cancellation, members{"id": "trf_1", "state": "awaiting_funds"}, different},
		{cancellation, members{"id": "trf_1"}, different},
		{cancellation, members{"id": "trf_2", "state": "canceled"}, different},
	} {
		found := test.sent.examine(encode(test.shown), nil)
		require.Equal(t, test.want, found.proof, "%s %v: %v", test.sent.Pending.Operation, test.shown, found.differences)
	}
}

// An answer with an error proves nothing by itself.
func TestDoubtfulAnswers(t *testing.T) {
	t.Parallel()
	for member, values := range map[string]map[string]bool{
		"error": {
			"null": false, "false": false, `""`: false, "[ ]": false, "{ }": false, "0": false, "0.0": false,
			`"no"`: true, "7": true, "true": true, `{"code":1}`: true,
		},
		"errors":  {"null": false, "[]": false, `["no"]`: true},
		"status":  {`"ok"`: false, `"ERROR"`: true},
		"state":   {`"error"`: true, `"failed"`: false},
		"success": {"true": false, "false": true},
	} {
		for value, want := range values {
			shown, err := effect.Object(with(shownTransfer, members{member: jsontext.Value(value)}))
			require.NoError(t, err)
			require.Equal(t, want, saysError(shown), "%s: %s", member, value)
		}
	}
}

// A text that is not a JSON object with an id proves nothing.
func FuzzExamine(f *testing.F) {
	for _, text := range []string{
		"", "null", "[]", `{"id":"trf_1"`, `{"id":1,"id":2}`, `{"source":[],"amount":{},"route":7,"id":"trf_1"}`,
	} {
		f.Add(text)
	}
	f.Add(string(with(shownTransfer, nil)))
	f.Fuzz(func(t *testing.T, text string) {
		found := sentTransfer().examine(jsontext.Value(text), nil)
		require.Equal(t, found.proof == proven, found.IsDone())
		require.Equal(t, found.proof == different, len(found.differences) > 0)
		var object map[string]jsontext.Value
		if json.Unmarshal([]byte(text), &object) != nil || object["id"] == nil {
			require.NotEqual(t, proven, found.proof)
		}
	})
}
