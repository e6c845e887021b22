package servicemap

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// TestLaw draws profiles and messages. An accepted profile translates there and back unchanged, or refuses.
func TestLaw(t *testing.T) {
	t.Parallel()
	accepted, drawn := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		drawn++
		if law(t) {
			accepted++
		}
	})
	if drawn >= 1000 { // fewer say little
		require.GreaterOrEqual(t, accepted*100, drawn*30, "%d of %d profiles were accepted", accepted, drawn)
	}
}

func FuzzLaw(f *testing.F) { f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { law(t) })) }

func law(t *rapid.T) (isAccepted bool) {
	text := drawProfile(t)
	m, mistakes := parse(t, text)
	if len(mistakes) > 0 {
		for _, mistake := range mistakes {
			require.NotEmpty(t, mistake.Text, text)
			require.Positive(t, mistake.Line)
		}
		return false
	}
	c := drawCall(t)
	w, err := m.Request(c)
	if err != nil {
		require.NotEmpty(t, err.Error())
	} else {
		again, err := m.Request(c)
		require.NoError(t, err)
		require.Equal(t, w, again, "equal calls give equal bytes")
		back, isOurs, err := m.Accept(w)
		require.NoError(t, err, "%s\n%+v\n%s", text, w, w.Body)
		require.True(t, isOurs, "%s\n%+v", text, w)
		requireCall(t, m, c, back, text)
	}
	document := drawDocument(t, m, c.Op.Resource().Name)
	_, isList := c.Op.Shown()
	body := document
	if isList {
		body = jsontext.Value(`{"data":[` + string(document) + `],"nextCursor":null}`)
		c.Query = nil
	}
	reply, err := m.Answer(c, &url.URL{Path: "/x"}, &payments.Response{Status: 200, Body: body})
	if err != nil {
		require.NotEmpty(t, err.Error())
		return true
	}
	shown, err := m.Response(c, reply)
	require.NoError(t, err, "%s\n%s", text, reply.Body)
	if isList {
		require.Len(t, shown.Rows, 1)
		shown.Document = shown.Rows[0]
	}
	require.JSONEq(t, byValue(string(document)), byValue(string(shown.Document)), "%s\n%s", text, reply.Body)
	return true
}

func requireCall(t *rapid.T, m *Map, want, got Call, text string) {
	require.Equal(t, want.Op, got.Op, text)
	require.Equal(t, strings.Join(want.Params, "/"), strings.Join(got.Params, "/"), text)
	for name := range want.Query {
		status := contract.ResourceNamed(want.Op.Resource().Name)
		hasFilter := m.place(status.Name, name).filter != ""
		switch name {
		case "cursor":
			hasFilter = m.pagesOf(want.Op.ID).cursor != ""
		case "limit":
			hasFilter = m.pagesOf(want.Op.ID).limit != ""
		}
		if hasFilter && (name != status.Status || m.filterWords(status.StatusOf, want.Query[name]) != "") {
			require.Equal(t, want.Query.Get(name), got.Query.Get(name), "%s\n%s\n%+v", text, name, got)
		}
	}
	if want.Body == nil {
		require.Nil(t, got.Body)
		return
	}
	wanted, read := string(want.Body), string(got.Body)
	for _, added := range []string{`"amountType":"source"`, `"batchId":"b"`} { // what payctl adds need not be sent
		if !strings.Contains(read, added) {
			wanted = strings.ReplaceAll(strings.ReplaceAll(wanted, added+",", ""), ","+added, "")
		}
	}
	require.JSONEq(t, byValue(wanted), byValue(read), text)
}

// byValue writes 5.00 and 5 alike.
func byValue(document string) string {
	return regexp.MustCompile(`"(\d+)(?:\.(\d*?)0*)?"`).ReplaceAllString(document, `"$1.$2"`)
}

func parse(t require.TestingT, profile string) (*Map, []Mistake) {
	var document yaml.Node
	require.NoError(t, yaml.Unmarshal([]byte(profile), &document), profile)
	if len(document.Content) == 0 {
		return &Map{}, nil
	}
	return Parse(document.Content[0])
}

// drawProfile draws a profile. About half of the profiles have no mistake.
func drawProfile(t *rapid.T) string {
	one := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
	var b strings.Builder
	b.WriteString("base_url: https://x.example\n")
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("operations:\n  createAccount: %s",
		one("createAccount", "POST /v2/a", "PUT /members/{externalId}", "PUT /{tenant}/a", "POST /accounts/v1"))
	line("  getAccount: %s", one("getAccount", "GET /a/{x}", "GET /members/{accountId}/one", "GET /a"))
	line("  listTransfers: %s", one("listTransfers", "GET /orders", "none", "GET /orders/{accountId}"))
	line("  findTransfer: %s", one("findTransfer", "GET /orders/by/{reference}", "none", "GET /find/{externalId}/x"))
	line("  getTransfer: %s", one("getTransfer", "GET /orders/{id}", "GET /{transferId}"))
	line("  cancelTransfer: %s", one("cancel", "POST /orders/{id}/void", "POST /void", "none"))
	if rapid.Bool().Draw(t, "answers") {
		line("answers: {one: %s, list: %s}", one("one", "/data", "/a/b"), one("rows", "/items", "/data", "/a/b"))
	}
	if rapid.Bool().Draw(t, "pages") {
		line("pages: {next: %s, cursor: %s, limit: %s}",
			one("next", "/page/next", "link", "page 1", "none", "header X-Next", "offset"),
			one("cursor", "after", "none", "cursor"), one("limit", "per_page", "limit"))
	}
	places := []string{"/x", "/y", "/p/q", "/p/r", "/deep/er/est", "/id", "/reference", "/state", "/amount/value", "none"}
	draw := func(label string) string {
		if rapid.Bool().Draw(t, label+" both") {
			return one(label, places...)
		}
		return fmt.Sprintf("{read: %s, send: %s, filter: %s}", one(label+" read", places...), one(label+" send", places...),
			one(label+" filter", "f", "g", "none"))
	}
	line("members:")
	for _, names := range [][]string{
		{"account", "id", "externalId", "kycStatus", "firstName"},
		{"transfer", "reference", "amount", "state", "currency", "externalId"},
		{"contact", "iban", "label"}, {"kyc", "status"},
	} {
		var members []string
		kind := names[0]
		for _, name := range names[1:] {
			if rapid.IntRange(0, 15).Draw(t, kind+"."+name) == 0 {
				members = append(members, name+": "+draw(kind+"."+name))
			}
		}
		line("  %s: {%s}", kind, strings.Join(members, ", "))
	}
	words := []string{"PAID", "7", "true", "[A, B]", "null"}
	line("values: {kyc: {approved: %s, pending: %s}, transfer: {payment_processed: %s, awaiting_funds: %s}}",
		one("approved", "OK", "[OK, YES]", "1"), one("pending", words...), one("processed", "PAID", "30"),
		one("funds", "WAIT", "[10, 11]", "failed"))
	if rapid.Bool().Draw(t, "send") {
		line("send: {createAutoTransfer: {%s: SALA, /c/d: 1.50}, createAccount: {tenant: t1}, listTransfers: {kind: payout}}",
			one("constant", "purpose", "x", "z"))
	}
	line("amounts: %s", one("unit", "text", "number", "minor"))
	if strings.HasSuffix(b.String(), "minor\n") && rapid.Bool().Draw(t, "decimals") {
		line("decimals: {USDC: %d}", rapid.IntRange(0, 18).Draw(t, "places"))
	}
	return b.String()
}

func drawText(t *rapid.T, label string) string {
	return rapid.SampledFrom([]string{"a", "a/b c", "ü%2F", "r-1", "?x=1&y", "../x", "A B"}).Draw(t, label)
}

func drawAmount(t *rapid.T) string {
	return rapid.SampledFrom([]string{"5.00", "0.10", "12345678.90"}).Draw(t, "amount")
}

// drawCall draws a call that a command makes.
func drawCall(t *rapid.T) Call {
	body := map[string]any{}
	maybe := func(name string, value any) {
		if rapid.Bool().Draw(t, name) {
			body[name] = value
		}
	}
	encoded := func() jsontext.Value {
		text, err := json.Marshal(body, json.Deterministic(true))
		require.NoError(t, err)
		return text
	}
	switch rapid.IntRange(0, 6).Draw(t, "operation") {
	case 0:
		body["type"] = "individual"
		maybe("firstName", "Ada")
		maybe("externalId", drawText(t, "externalId"))
		maybe("metadata", map[string]string{"a": "b"})
		maybe("further", []any{1, "x"})
		return Call{Op: &contract.CreateAccount, Body: encoded()}
	case 1:
		return Call{Op: &contract.GetAccount, Params: []string{drawText(t, "id")}}
	case 2:
		return Call{Op: &contract.CancelTransfer, Params: []string{drawText(t, "id")}}
	case 3:
		return Call{Op: &contract.ListTransfers, Query: url.Values{
			"reference": {drawText(t, "reference")}, "limit": {"7"}, "state": {"payment_processed"}, "cursor": {"c1"},
		}}
	case 4:
		return Call{Op: &contract.GetKYCStatus, Params: []string{"acc"}}
	case 5:
		return Call{Op: &contract.CreateSavedContact, Body: jsontext.Value(`{"holderName":"Ada","iban":"DE89","label":"l"}`)}
	}
	body["destinationSavedContactId"] = "c"
	body["route"] = rapid.SampledFrom([]string{"sepa:EUR->sepa:EUR", "base:USDC->ach:USD"}).Draw(t, "route")
	maybe("amount", drawAmount(t))
	maybe("amountType", rapid.SampledFrom([]string{"source", "target"}).Draw(t, "amountType"))
	maybe("reference", drawText(t, "reference"))
	maybe("externalId", "e")
	maybe("batchId", "b")
	maybe("x", "further")
	return Call{Op: &contract.CreateAutoTransfer, Body: encoded()}
}

// drawDocument draws a resource with members that the service shows.
func drawDocument(t *rapid.T, m *Map, kind string) jsontext.Value {
	document := map[string]any{"id": "i1"}
	put := func(name string, value any) {
		if m.place(kind, name).read != "" && rapid.Bool().Draw(t, "shown "+name) {
			document[name] = value
		}
	}
	switch kind {
	case "account":
		put("kycStatus", rapid.SampledFrom([]string{"approved", "pending", "rejected", "new_one"}).Draw(t, "kycStatus"))
		put("firstName", "Ada")
		if m.place(kind, "externalId").read != m.place(kind, "id").read {
			put("externalId", "e1")
		} else {
			document["externalId"] = "i1"
		}
	case "kyc":
		document = map[string]any{"accountId": "a"}
		put("status", rapid.SampledFrom([]string{"approved", "pending"}).Draw(t, "status"))
		put("reasons", []any{map[string]any{"code": "X"}})
	case "contact":
		put("iban", "DE89")
		put("label", "l")
	case "transfer":
		document["route"] = rapid.SampledFrom([]string{"sepa:EUR->sepa:EUR", "base:USD->ach:USD"}).Draw(t, "shown route")
		put("reference", "r")
		put("amount", drawAmount(t))
		put("state", rapid.SampledFrom([]string{"payment_processed", "awaiting_funds", "failed"}).Draw(t, "state"))
		put("convertedAmount", drawAmount(t))
		put("source", map[string]any{"currency": "JPY", "amount": "7"})
		put("fees", []any{map[string]any{"currency": "EUR", "amount": "0.10"}})
		if m.place(kind, amountCurrency).read != "" {
			ofRoute := map[any]string{"sepa:EUR->sepa:EUR": "EUR", "base:USD->ach:USD": "USD"}
			document[amountCurrency] = ofRoute[document["route"]]
		}
	}
	put("zFurther", "y")
	for _, r := range contract.Resources { // an absent member is the status whose word is null
		if r.Name != kind {
			continue
		}
		if status, isKnown := m.status(r.StatusOf, nil); isKnown && document[r.Status] == nil {
			document[r.Status] = status
		}
	}
	text, err := json.Marshal(document, json.Deterministic(true))
	require.NoError(t, err)
	return text
}
