package server_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

const snapshotPath = "/sandbox/snapshot/v1"

// A time that validation accepts can be decoded.
func TestMoments(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	snapshot := a.do("GET", snapshotPath, "")
	taken := snapshot.member("takenAt").(string)
	for _, text := range []string{
		"2030-01-01T0:00:00Z", "2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00+24:00", "2030-01-01T00:00:00+00:60", "2030-01-01",
	} {
		for field, answer := range map[string]*answer{
			"now":          a.do("PUT", clockPath, `{"mode":"manual","now":"`+text+`"}`),
			"takenAt":      a.do("PUT", snapshotPath, strings.Replace(snapshot.body, taken, text, 1)),
			"createdAfter": a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(text), ""),
		} {
			problem := requireProblem(t, answer, payments.KindValidation)
			require.Equal(t, payments.FieldErrors{field: {"The " + field + " field must be a time such as 2026-01-31T12:00:00Z (RFC 3339)."}}, problem.Errors, text)
		}
	}
	good := []string{"2030-01-01T00:00:00.5+02:00", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00-23:59"}
	for _, text := range good {
		require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(text), "").status)
	}
	for _, text := range good { // which the token does not outlive
		require.Equal(t, http.StatusOK, a.do("PUT", clockPath, `{"mode":"manual","now":"`+text+`"}`).status, text)
	}
}

// Rules beyond the schema are reported together with its violations, but for fields that could not be decoded.
func TestEveryOffendingFieldAtOnce(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	submissions := "/accounts/" + good[payments.Account](a.do("POST", accountsPath,
		`{"type":"business","legalName":"Ada Ltd","email":"ada@example.com","country":"GB"}`)).ID + "/kyc/submissions/v1"
	person, contact := `"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"`, `"label":"Ada","holderType":"individual"`
	for _, test := range []struct{ method, path, body, fields string }{
		{"POST", autoPath, `{"route":"nonsense"}`, "destinationSavedContactId route"},
		{"POST", autoPath, `{"route":"nonsense","amount":"abc"}`, "amount destinationSavedContactId route"},
		{"POST", autoPath, `{"route":"ach:USD->pix:EUR","destinationSavedContactId":7}`, "destinationSavedContactId route"},
		{"POST", autoPath, `{"route":"ach:USD->base:USDC","amount":"1.001"}`, "amount destinationSavedContactId"},
		{"POST", autoPath, `{"route":"ach:USD->base:USDC","amount":"1.001","amountType":"both"}`, "amountType destinationSavedContactId"},
		{"POST", autoPath, `{"route":{"routeKey":"nonsense","flowType":7,"provider":"x"},"amount":{}}`, "amount destinationSavedContactId route route.flowType route.routeKey"},
		{"POST", autoPath, `{"route":{"routeKey":"ach:USD->base:USDC","flowType":"fx","provider":"x"},"amount":"1.001"}`,
			"amount destinationSavedContactId route.flowType route.provider"},
		{"POST", autoPath, `{"route":{"routeKey":7,"flowType":"onramp","provider":"x"},"metadata":{"a":1}}`, "destinationSavedContactId metadata.a route.routeKey"},
		{"POST", autoPath, `{"route":[],"metadata":[]}`, "destinationSavedContactId metadata route"},
		{"POST", accountsPath, `{` + person + `,"address":{"city":"X","country":"ZZ"}}`, "address.country address.line1"},
		{"POST", accountsPath, `{` + person + `,"address":{"line1":"x","city":[],"country":"ZZ"},"birthDate":"2020-01-01"}`, "address.city address.country birthDate"},
		{"POST", accountsPath, `{` + person + `,"address":7,"birthDate":{}}`, "address birthDate"},
		{"POST", contactsPath, `{` + contact + `,"paymentRail":"base","currency":"EUR"}`, "address currency holderName"},
		{"POST", contactsPath, `{` + contact + `,"holderName":7,"paymentRail":"sepa","currency":"USD","iban":"DE1"}`, "currency holderName iban"},
		{"POST", contactsPath, `{` + contact + `,"paymentRail":7,"currency":"EUR","iban":"DE1"}`, "holderName paymentRail"},
		{"POST", contactsPath, `[]`, "body"},
		{"POST", contactsPath, `null`, "body"},
		{"POST", submissions, `{"requirements":[{"name":"nope"},{"value":"x"},7,{"name":"registrationNumber","value":""}]}`,
			"requirements[0].name requirements[0].value requirements[1].name requirements[2] requirements[3].value"},
		{"POST", "/accounts/acc_1/kyc/submissions/v1", `{"requirements":[{"name":"nope"},7]}`, "requirements[1]"},
		{"POST", submissions, `{"requirements":[{"name":"registrationNumber","document":"!"},{"name":"nope","document":"aGVsbG8="}]}`,
			"requirements[0].document requirements[0].value requirements[1].name"},
		{"PUT", clockPath, `{"mode":"manual","scale":5,"now":"bad"}`, "now scale"},
		{"PUT", clockPath, `{"mode":"scaled","now":"9999-01-01T00:00:00Z"}`, "now scale"},
		{"PUT", clockPath, `{"mode":"scald","scale":5}`, "mode"},
		{"PUT", faultsPath, `{"faults":[{"operation":"nope","action":"delay"}]}`, "faults[0].delay faults[0].operation"},
		{"PUT", faultsPath, `{"faults":[{"operation":"nope","action":"drop"},{"operation":"getAccount","action":"status","status":9}]}`, "faults[0].operation faults[1].status"},
		{"PUT", faultsPath, `{"faults":[7,{"operation":"nope"},{"operation":"*","action":"dorp","delay":"1s"}]}`, "faults[0] faults[1].action faults[1].operation faults[2].action"},
		{"PUT", snapshotPath, `{"version":"1","takenAt":"bad","instance":"wld_1","checksum":"` + strings.Repeat("0", 64) + `","world":{}}`, "checksum takenAt"},
		{"PUT", snapshotPath, `{"version":"1","takenAt":"bad","instance":"wld_1","checksum":"` + strings.Repeat("0", 64) + `","world":7}`, "takenAt world"},
	} {
		problem := requireProblem(t, a.do(test.method, test.path, test.body), payments.KindValidation)
		require.Equal(t, test.fields, strings.Join(problem.Errors.Names(), " "), "%s %s", test.path, test.body)
	}

	other := a.as("other")
	problem := requireProblem(t, other.do("POST", contactsPath, strings.Replace(contactBody(t, "sepa", "EUR"), "EUR", "USD", 1)), payments.KindValidation)
	require.Equal(t, []string{"accountId", "currency"}, problem.Errors.Names(), "the schema has nothing to say, and there is no account")
}

// A route object has to be one that the service offers, with all its members.
func TestRouteObjects(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	request := func(route, more string) *answer {
		return a.do("POST", autoPath, `{"destinationSavedContactId":"`+a.saved("base", "USDC")+`","route":`+route+more+`}`)
	}
	route := func(flowType, provider string) string {
		return `{"routeKey":"ach:USD->base:USDC","flowType":"` + flowType + `","provider":"` + provider + `"}`
	}
	offered := good[payments.TransferInfo](a.do("PATCH", infoPath, `{}`)).Routes
	i := slices.IndexFunc(offered, func(r payments.TransferRoute) bool { return r.RouteKey == "ach:USD->base:USDC" })
	require.Equal(t, http.StatusCreated, request(route(string(offered[i].FlowType), offered[i].Provider), "").status)
	for _, test := range []struct{ route, more, fields string }{
		{route("fx", offered[i].Provider), "", "route.flowType"},
		{route("onramp", "europay"), "", "route.provider"},
		{route("onramp", "Northbank"), "", "route.provider"},
		{route("offramp", "another"), `,"amount":"1.001"`, "amount route.flowType route.provider"},
	} {
		problem := requireProblem(t, request(test.route, test.more), payments.KindValidation)
		require.Equal(t, test.fields, strings.Join(problem.Errors.Names(), " "), test.route)
	}
}

// So it is where the token operation refuses a request, as JSON or as a form.
func TestEveryOffendingFieldOfATokenRequest(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	credentials := basic("someone", "secret")
	for media, body := range map[string]string{
		"application/json":                  `{"grant_type":"password","scope":"everything"}`,
		"application/x-www-form-urlencoded": "grant_type=password&scope=everything",
	} {
		problem := requireProblem(t, a.do("POST", tokenPath, body, "Authorization", credentials, "Content-Type", media), payments.KindValidation)
		require.Equal(t, []string{"grant_type", "scope"}, problem.Errors.Names(), media)
	}
}

// Under strict validation an unknown member does not hide what else is wrong.
func TestEveryOffendingFieldUnderStrictValidation(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Strict: true})
	problem := requireProblem(t, a.do("POST", autoPath, `{"destinationSavedContactId":"sct_1","route":"nonsense","rout":""}`), payments.KindValidation)
	require.Equal(t, []string{"rout", "route"}, problem.Errors.Names())
}

// Whatever is in a request, a response repeats no more of it than the contract's bounds allow.
func TestNoResponseRepeatsALongRequest(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Strict: true})
	long := strings.Repeat("x", 900_000)
	for _, test := range []struct {
		method, path, body, field string
	}{
		{"PATCH", "/transfers/info/v1", `{"selectedSource":{"currency":"` + long + `"}}`, "selectedSource.currency"},
		{"PATCH", "/transfers/info/v1", `{"selectedSource":{"paymentRail":"` + long + `"}}`, "selectedSource.paymentRail"},
		{"PATCH", "/transfers/info/v1", `{"selectedDestination":{"provider":"` + long + `"}}`, "selectedDestination.provider"},
		{"PATCH", "/transfers/info/v1", `{"` + long + `":1}`, ""},
		{"POST", accountsPath, `{"metadata":{"` + long + `":1}}`, ""},
		{"POST", "/sandbox/reset/v1", `{"` + long + `":1}`, ""},
		{"GET", accountsPath + "?" + long[:8000] + "=1", "", ""},
	} {
		answer := a.do(test.method, test.path, test.body)
		problem := requireProblem(t, answer, payments.KindValidation)
		require.Less(t, len(answer.body), 4000, test.path)
		if test.field != "" {
			require.Equal(t, []string{test.field}, problem.Errors.Names())
		}
	}
	for _, answer := range []*answer{
		a.do("POST", accountsPath, `{"`+long+`":1,"`+long+`":2}`),
		a.do("GET", "/accounts/"+long[:8000]+"/v1", ""),
		a.do("POST", accountsPath, "{}", "Content-Encoding", long[:20_000]),
		a.dial(t).write("GET /nowhere HTTP/1.1", "Host: "+long[:20_000], "Connection: close").read(),
	} {
		require.GreaterOrEqual(t, answer.status, 400)
		require.Less(t, len(answer.body), 12_000, "the path and a detail of at most 1000 bytes")
	}
}
