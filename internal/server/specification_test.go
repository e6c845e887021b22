package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// TestSpecification checks the published interface, rule by rule. The subtests have the specification's headings.
// Authentication has its own tests.
func TestSpecification(t *testing.T) {
	t.Parallel()
	for heading, prove := range map[string]func(*testing.T, *api){
		"1. Update transfer route selection": updateTransferRouteSelection,
		"3. Auto transfer":                   autoTransfer,
		"Errors":                             errorsAreProblems,
	} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			prove(t, run(t, refserver.Config{}))
		})
	}
}

// The response echoes the selection and lists the matching routes. Tests of the catalogue check which routes match.
func updateTransferRouteSelection(t *testing.T, a *api) {
	for _, body := range []string{
		`{}`, `{"selectedSource":{}}`, `{"selectedSource":{"currency":"EUR"}}`,
		`{"selectedDestination":{"provider":"chainline"}}`,
		`{"selectedSource":{"paymentRail":"sepa","currency":"EUR","provider":"europay"},` +
			`"selectedDestination":{"currency":"USDC"}}`,
		`{"selectedSource":{"currency":"XXX"},"selectedDestination":{"currency":"XXX"}}`,
	} {
		var selection payments.RouteSelection
		require.NoError(t, json.Unmarshal([]byte(body), &selection))
		answer := a.do("PATCH", infoPath, body)
		info := good[payments.TransferInfo](answer)
		require.Equal(t, selection.SelectedSource, info.SelectedSource, "the source is echoed")
		require.Equal(t, selection.SelectedDestination, info.SelectedDestination, "the destination is echoed")
		nothing := strings.Contains(body, "XXX")
		for _, list := range []string{"availableSources", "availableDestinations", "routes", "transactionsInfo"} {
			require.Equal(t, nothing, len(answer.member(list).([]any)) == 0, "an empty list is an array")
		}
		require.Len(t, info.TransactionsInfo, len(info.Routes))
		for i, route := range info.Routes {
			require.Regexp(t, `^[^:>]+:[^:>]+->[^:>]+:[^:>]+$`, route.RouteKey)
			require.Equal(t, route.RouteKey, info.TransactionsInfo[i].RouteKey)
			key := must(payments.ParseRouteKey(route.RouteKey))
			require.True(t, selection.SelectedSource == nil || selection.SelectedSource.Currency == nil ||
				*selection.SelectedSource.Currency == key.SourceCurrency)
		}
	}
}

// If a required field is missing, the service answers with the 400 validation error. A route may also be the object
// that the service offers, with all its members.
func autoTransfer(t *testing.T, a *api) {
	for body, fields := range map[string][]string{
		`{"route":"ach:USD->base:USDC"}`:                  {"destinationSavedContactId"},
		`{"destinationSavedContactId":"sct_1"}`:           {"route"},
		`{"destinationSavedContactId":null,"route":null}`: {"destinationSavedContactId", "route"},
	} {
		problem := requireProblem(t, a.do("POST", autoPath, body), payments.ProblemValidation)
		require.Equal(t, fields, problem.Errors.Names(), body)
	}
	a.approved()
	contact := a.saved("base", "USDC")
	create := func(route string) *answer {
		return a.do("POST", autoPath, `{"destinationSavedContactId":"`+contact+`","route":`+route+`}`)
	}
	offered := good[payments.TransferInfo](a.do("PATCH", infoPath, `{}`)).Routes
	i := slices.IndexFunc(offered, func(r payments.TransferRoute) bool { return r.RouteKey == "ach:USD->base:USDC" })
	whole := must(json.Marshal(offered[i]))
	for _, route := range []string{`"ach:USD->base:USDC"`, string(whole)} {
		created := create(route)
		require.Equal(t, http.StatusCreated, created.status, created)
		require.Equal(t, created.body, a.do("GET", created.header.Get("Location"), "").body)
	}
	for member, wrong := range map[string]string{"onramp": "fx", "northbank": "Northbank"} {
		problem := requireProblem(t, create(strings.Replace(string(whole), member, wrong, 1)), payments.ProblemValidation)
		require.Len(t, problem.Errors, 1, wrong)
	}
}

// The 400 has the published members, and every other problem has the same ones.
func errorsAreProblems(t *testing.T, a *api) {
	empty := a.do("POST", autoPath, `{}`)
	problem := decode[map[string]any](empty)
	require.Equal(t, "One or more validation errors occurred.", problem["title"])
	require.Equal(t, "The request body failed validation.", problem["detail"])
	require.Equal(t, map[string]any{
		"destinationSavedContactId": []any{"The destinationSavedContactId field is required."},
		"route":                     []any{"The route field is required."},
	}, problem["errors"])
	for _, c := range []struct {
		answer *answer
		kind   payments.ProblemType
		path   string
	}{
		{empty, payments.ProblemValidation, autoPath},
		{a.do("GET", "/accounts/none/v1?x=1", ""), payments.ProblemNotFound, "/accounts/none/v1"},
		{a.do("GET", "/accounts/a%20b/v1", ""), payments.ProblemNotFound, "/accounts/a%20b/v1"},
		{a.do("POST", autoPath, "{"), payments.ProblemMalformed, autoPath},
		{a.do("GET", accountsPath, "", "Authorization", ""), payments.ProblemUnauthenticated, accountsPath},
		{a.do("PUT", accountsPath, ""), payments.ProblemMethodNotAllowed, accountsPath},
	} {
		requireProblem(t, c.answer, c.kind)
		members := decode[map[string]any](c.answer)
		require.Equal(t, "application/problem+json", c.answer.header.Get("Content-Type"))
		require.Equal(t, a.URL+"/problems/"+string(c.kind), members["type"])
		require.EqualValues(t, c.answer.status, members["status"])
		require.NotEmpty(t, members["detail"])
		require.Equal(t, c.path, members["instance"], "the path, without the query")
		require.Equal(t, c.answer.header.Get("X-Request-Id"), members["requestId"])
		require.Equal(t, c.kind == payments.ProblemValidation, members["errors"] != nil)
		for name := range members {
			require.Contains(t, []string{"type", "title", "status", "detail", "instance", "errors", "requestId"}, name)
		}
	}
}

// All invalid fields are reported at once: by the schema and, in a creation, also by the other rules.
func TestEveryOffendingFieldAtOnce(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	person := adaBody[1 : len(adaBody)-1]
	const contact = `"label":"Ada","holderType":"individual"`
	for _, test := range []struct{ method, path, body, fields string }{
		{"PATCH", infoPath, `{"selectedSource":{"currency":1,"provider":[]},"selectedDestination":"sepa"}`,
			"selectedDestination selectedSource.currency selectedSource.provider"},
		{"POST", autoPath, `{"route":"nonsense","amount":"abc"}`, "amount destinationSavedContactId route"},
		{"POST", autoPath, `{"route":"ach:USD->base:USDC","amount":"1.001"}`, "amount destinationSavedContactId"},
		{"POST", accountsPath, `{` + person + `,"address":7,"birthDate":{}}`, "address birthDate"},
		{"POST", contactsPath, `{` + contact + `,"holderName":7,"paymentRail":"sepa","currency":"USD","iban":"DE1"}`,
			"currency holderName iban"},
		{"PUT", clockPath, `{"mode":"manual","scale":5,"now":"9999-01-01T00:00:00Z"}`, "now scale"},
		{"PUT", faultsPath, `{"faults":[{"operation":"*","action":"drop"},{"operation":"nowhere","action":"drop"}]}`,
			"faults[1].operation"},
		{"PUT", faultsPath, `{"faults":[{"operation":"createAccessToken","action":"expired_token"}]}`, "faults[0].operation"},
		{"PUT", faultsPath, `{"faults":[{"operation":"*","action":"status"}]}`, "faults[0]"},
		{"PUT", faultsPath, `{"faults":[{"operation":"*","action":"delay","delay":"1h"}]}`, "faults[0]"},
	} {
		problem := requireProblem(t, a.do(test.method, test.path, test.body), payments.ProblemValidation)
		require.Equal(t, test.fields, strings.Join(problem.Errors.Names(), " "), "%s %s", test.path, test.body)
	}
	body := strings.Replace(contactBody(t, "sepa", "EUR"), "EUR", "USD", 1)
	problem := requireProblem(t, a.as("other").do("POST", contactsPath, body), payments.ProblemValidation)
	require.Equal(t, []string{"accountId", "currency"}, problem.Errors.Names(),
		"the schema allows it, and there is no account")
	require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, `{"unknown":{"a":[1]}}`).status,
		"unknown members are ignored")
}
