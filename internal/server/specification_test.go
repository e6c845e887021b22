package server_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// TestSpecification proves the published interface, rule by rule. The subtests bear the specification's headings.
func TestSpecification(t *testing.T) {
	t.Parallel()
	for heading, prove := range map[string]func(*testing.T){
		"What the service does":              flowOfIntegration,
		"Resources and their fields":         fieldsOfResources,
		"1. Update transfer route selection": updateTransferRouteSelection,
		"2. Create access token":             createAccessToken,
		"3. Auto transfer":                   autoTransfer,
		"Authentication":                     authentication,
		"Errors":                             errorsAreProblems,
		"Versioning":                         versioning,
	} {
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			prove(t)
		})
	}
}

// The intended flow: authenticate, create an account, poll the KYC status.
func flowOfIntegration(t *testing.T) {
	a := run(t, refserver.Config{})
	account := a.do("POST", accountsPath, adaBody)
	require.Equal(t, http.StatusCreated, account.status)
	kycPath := "/accounts/" + account.member("id").(string) + "/kyc/v1"
	require.Equal(t, "pending", a.do("GET", kycPath, "").member("status"))
	a.Advance(t, time.Minute)
	require.Equal(t, "approved", a.do("GET", kycPath, "").member("status"))

	for path, version := range map[string]string{"/openapi.yaml": "openapi: 3.0.", "/openapi.json": `"openapi":"3.0.`} {
		document := a.do("GET", path, "", "Authorization", "")
		require.Equal(t, http.StatusOK, document.status)
		require.Contains(t, document.body, version, "the interface is described by an OpenAPI v3 contract")
	}
}

func fieldsOfResources(t *testing.T) {
	a := run(t, refserver.Config{})
	info := a.do("PATCH", infoPath, `{}`).members()
	require.ElementsMatch(t, []string{"selectedSource", "selectedDestination", "availableSources", "availableDestinations", "routes", "transactionsInfo"}, names(info))
	for _, element := range info["routes"].([]any) {
		route := element.(map[string]any)
		require.ElementsMatch(t, []string{"routeKey", "flowType", "provider"}, names(route))
		require.Regexp(t, `^[^:>]+:[^:>]+->[^:>]+:[^:>]+$`, route["routeKey"])
	}
	nothing := a.do("PATCH", infoPath, `{"selectedSource":{"currency":"XXX"},"selectedDestination":{"currency":"XXX"}}`).members()
	for _, list := range []string{"availableSources", "availableDestinations", "routes", "transactionsInfo"} {
		require.Equal(t, []any{}, nothing[list], "a list that is empty is an array")
	}
}

func names(object map[string]any) []string {
	var all []string
	for name := range object {
		all = append(all, name)
	}
	return all
}

// Rule 1: the response echoes the selection and lists the matching routes. The expected routes are computed here.
func updateTransferRouteSelection(t *testing.T) {
	a := run(t, refserver.Config{})
	require.Len(t, ends, 25)
	var sides []*payments.RouteEndpoint
	seen := map[string]bool{}
	for _, e := range append(ends, end{rail: "carrier_pigeon", currency: "SEED", provider: "loft"}) {
		for _, side := range []payments.RouteEndpoint{
			{PaymentRail: &e.rail, Currency: &e.currency, Provider: &e.provider}, {PaymentRail: &e.rail, Currency: &e.currency},
			{PaymentRail: &e.rail}, {Currency: &e.currency}, {Provider: &e.provider}, {Currency: &e.currency, Provider: &e.provider}, {},
		} {
			text, err := json.Marshal(side)
			require.NoError(t, err)
			if !seen[string(text)] {
				seen[string(text)] = true
				sides = append(sides, &side)
			}
		}
	}
	sides = append(sides, nil)
	for i, source := range sides {
		for j, destination := range sides {
			if (i+j)%5 != 0 && source != nil && destination != nil && !(complete(source) && complete(destination)) {
				continue // every pair of complete ends, every side alone, and a fifth of the rest
			}
			requireSelected(t, a, payments.RouteSelection{SelectedSource: source, SelectedDestination: destination})
		}
	}
}

func complete(e *payments.RouteEndpoint) bool {
	return e.PaymentRail != nil && e.Currency != nil && e.Provider != nil
}

func requireSelected(t *testing.T, a *api, s payments.RouteSelection) {
	t.Helper()
	sent := map[string]*payments.RouteEndpoint{} // as a RouteSelection a side without members would be left out
	if s.SelectedSource != nil {
		sent["selectedSource"] = s.SelectedSource
	}
	if s.SelectedDestination != nil {
		sent["selectedDestination"] = s.SelectedDestination
	}
	body, err := json.Marshal(sent)
	require.NoError(t, err)
	answer := a.do("PATCH", infoPath, string(body))
	require.Equal(t, http.StatusOK, answer.status)
	info := decode[payments.TransferInfo](answer)
	require.Equal(t, s.SelectedSource, info.SelectedSource, "the source is echoed")
	require.Equal(t, s.SelectedDestination, info.SelectedDestination, "the destination is echoed")
	expected := expect(s)
	require.Equal(t, expected.routes, info.Routes, "%s", body)
	available := func(list []payments.AvailableEndpoint) []string {
		found := []string{}
		for _, e := range list {
			found = append(found, e.PaymentRail+":"+e.Currency)
		}
		return found
	}
	require.Equal(t, expected.sources, available(info.AvailableSources), "%s", body)
	require.Equal(t, expected.destinations, available(info.AvailableDestinations), "%s", body)
	require.Len(t, info.TransactionsInfo, len(info.Routes))
	for i, terms := range info.TransactionsInfo {
		require.Equal(t, info.Routes[i].RouteKey, terms.RouteKey)
	}
}

func createAccessToken(t *testing.T) {
	a := run(t, refserver.Config{})
	for _, body := range []string{"", `{}`, `{"grant_type":"client_credentials"}`} {
		answer := a.do("POST", tokenPath, body, "Authorization", basic("someone", "secret"))
		require.Equal(t, http.StatusOK, answer.status)
		token := answer.member("access_token").(string)
		require.NotEmpty(t, token)
		require.Equal(t, "no-store", answer.header.Get("Cache-Control"))
		require.Equal(t, http.StatusOK, a.do("PATCH", infoPath, `{}`, "Authorization", "Bearer "+token).status, "it is for use as a Bearer token")
	}
	form := a.do("POST", tokenPath, "grant_type=client_credentials&scope=kyc:read", "Authorization", basic("someone", "secret"),
		"Content-Type", "application/x-www-form-urlencoded")
	require.Equal(t, "kyc:read", form.member("scope"))
}

// When either required field is missing, the service answers with the 400 validation error.
func autoTransfer(t *testing.T) {
	a := run(t, refserver.Config{})
	both := map[string][]string{
		"destinationSavedContactId": {"The destinationSavedContactId field is required."},
		"route":                     {"The route field is required."},
	}
	for body, fields := range map[string][]string{
		`{}`:                                    {"destinationSavedContactId", "route"},
		`{"later":true}`:                        {"destinationSavedContactId", "route"},
		`{"route":"ach:USD->base:USDC"}`:        {"destinationSavedContactId"},
		`{"destinationSavedContactId":"sct_1"}`: {"route"},
		`{"destinationSavedContactId":null,"route":null}`: {"destinationSavedContactId", "route"},
	} {
		answer := a.do("POST", autoPath, body)
		require.Equal(t, http.StatusBadRequest, answer.status, body)
		problem := decode[payments.Problem](answer)
		require.Len(t, problem.Errors, len(fields), body)
		for _, field := range fields {
			require.Equal(t, both[field], problem.Errors[field], body)
		}
	}

	a.approved()
	contact := a.saved("base", "USDC")
	for _, route := range []string{`"ach:USD->base:USDC"`, `{"routeKey":"ach:USD->base:USDC","flowType":"onramp","provider":"northbank"}`} {
		created := a.do("POST", autoPath, `{"destinationSavedContactId":"`+contact+`","route":`+route+`}`)
		require.Equal(t, http.StatusCreated, created.status, created)
		require.Equal(t, created.body, a.do("GET", created.header.Get("Location"), "").body)
	}
}

func authentication(t *testing.T) {
	t.Run("1. Basic authentication only at the token operation", func(t *testing.T) {
		t.Parallel()
		a := run(t, refserver.Config{})
		credentials := basic("sandbox", "sandbox-secret")
		for _, op := range contract.Operations {
			answer := a.do(op.Method, contract.Expand(op.Path, "x"), "", "Authorization", credentials)
			switch op.Access {
			case contract.Basic:
				require.Equal(t, "createAccessToken", op.ID)
				require.Equal(t, http.StatusOK, answer.status)
			case contract.Bearer:
				requireProblem(t, answer, payments.KindUnauthenticated)
				require.Equal(t, `Bearer realm="payments"`, answer.header.Get("WWW-Authenticate"), op.ID)
			case contract.Open:
				require.NotEqual(t, http.StatusUnauthorized, answer.status, op.ID)
			}
		}
		for _, method := range []string{"GET", "DELETE"} {
			answer := a.do(method, tokenPath, "", "Authorization", credentials)
			requireProblem(t, answer, payments.KindUnauthenticated)
			require.Equal(t, `Bearer realm="payments"`, answer.header.Get("WWW-Authenticate"))
		}
	})
	t.Run("2. The token operation refuses everything but Basic", func(t *testing.T) {
		t.Parallel()
		a := run(t, refserver.Config{Clients: map[string]string{"sandbox": "sandbox-secret"}})
		encode := func(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }
		for _, header := range []string{
			"", "Bearer " + a.token, "Basic", "Basic ", "Basic !", encode("sandbox"), encode(":sandbox-secret"), encode("sandbox:wrong"), encode("other:sandbox-secret"),
			encode("sandbox:sandbox-secret\n"), encode("sandbox:sandbox-secret") + "=", "Digest username=sandbox", "sandbox:sandbox-secret",
		} {
			answer := a.do("POST", tokenPath, "", "Authorization", header)
			requireProblem(t, answer, payments.KindUnauthenticated)
			require.Equal(t, `Basic realm="payments", charset="UTF-8"`, answer.header.Get("WWW-Authenticate"), header)
			require.NotContains(t, answer.body, "sandbox-secret", "no answer repeats a secret")
		}
		require.Equal(t, http.StatusOK, a.do("POST", tokenPath, "", "Authorization", strings.Replace(encode("sandbox:sandbox-secret"), "Basic", "bAsIc", 1)).status)
	})
	t.Run("3. All other calls carry a Bearer token", func(t *testing.T) {
		t.Parallel()
		bearerElsewhere(t)
	})
	t.Run("a token without the scope is refused with 403", func(t *testing.T) {
		t.Parallel()
		a := run(t, refserver.Config{})
		a.token = a.login("kyc:write")
		for _, op := range contract.Operations {
			if op.Scope == "" || op.Scope == "kyc:write" {
				continue
			}
			answer := a.do(op.Method, contract.Expand(op.Path, "x"), "")
			requireProblem(t, answer, payments.KindInsufficientScope)
			require.Equal(t, `Bearer realm="payments", error="insufficient_scope", scope="`+op.Scope+`"`, answer.header.Get("WWW-Authenticate"))
		}
		require.Equal(t, http.StatusOK, a.do("GET", tokenPath, "").status, "any token may describe itself")
	})
}

// Missing, malformed, unknown, expired and revoked tokens are refused with the challenge of RFC 6750 section 3.
func bearerElsewhere(t *testing.T) {
	a := run(t, refserver.Config{})
	const realm = `Bearer realm="payments"`
	sandboxToo := true
	refused := func(challenge string, headers ...string) {
		t.Helper()
		for _, op := range contract.Operations {
			if op.Access == contract.Bearer && (sandboxToo || !strings.HasPrefix(op.Path, "/sandbox/")) {
				answer := a.do(op.Method, contract.Expand(op.Path, "x"), "", headers...)
				requireProblem(t, answer, payments.KindUnauthenticated)
				require.Equal(t, challenge, answer.header.Get("WWW-Authenticate"), "%s %q", op.ID, headers)
			}
		}
	}
	refused(realm, "Authorization", "")
	refused(realm, "Authorization", "Token "+a.token)
	for _, malformed := range []string{"Bearer", "Bearer ", "Bearer a b", "Bearer a,b", `Bearer "` + a.token + `"`, "Bearer \xff", "Bearer " + a.token + " x"} {
		refused(realm+`, error="invalid_token"`, "Authorization", malformed)
	}
	refused(realm+`, error="invalid_token"`, "Authorization", "Bearer "+strings.Repeat("A", 43))
	twice := a.do("GET", accountsPath, "", "Authorization", "Bearer "+a.token, "Authorization", "Bearer "+a.token)
	requireProblem(t, twice, payments.KindMalformed)
	require.Equal(t, realm+`, error="invalid_request"`, twice.header.Get("WWW-Authenticate"))
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "", "Authorization", "bearer  "+a.token).status, "schemes have no case")

	revoked := a.login("")
	require.Equal(t, http.StatusNoContent, a.do("DELETE", tokenPath, "", "Authorization", "Bearer "+revoked).status)
	refused(realm+`, error="invalid_token"`, "Authorization", "Bearer "+revoked)

	a.Advance(t, time.Hour-time.Millisecond)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath, "").status)
	a.Advance(t, time.Millisecond)
	sandboxToo = false // an expired token still opens the sandbox
	refused(realm+`, error="invalid_token"`, "Authorization", "Bearer "+a.token)
}

// The published 400, member by member.
func errorsAreProblems(t *testing.T) {
	a := run(t, refserver.Config{})
	answer := a.do("POST", autoPath, `{}`)
	require.Equal(t, http.StatusBadRequest, answer.status)
	require.Equal(t, "application/problem+json", answer.header.Get("Content-Type"))
	problem := answer.members()
	require.True(t, strings.HasSuffix(problem["type"].(string), "/problems/validation-error"))
	require.Equal(t, "One or more validation errors occurred.", problem["title"])
	require.EqualValues(t, 400, problem["status"])
	require.Equal(t, "The request body failed validation.", problem["detail"])
	require.Equal(t, autoPath, problem["instance"])
	require.Equal(t, map[string]any{
		"destinationSavedContactId": []any{"The destinationSavedContactId field is required."},
		"route":                     []any{"The route field is required."},
	}, problem["errors"])

	explained := a.do("GET", strings.TrimPrefix(problem["type"].(string), a.URL), "", "Authorization", "")
	require.Equal(t, http.StatusOK, explained.status, "the type's URI resolves")
	require.Equal(t, problem["title"], explained.member("title"))

	several := a.do("PATCH", infoPath, `{"selectedSource":{"currency":1,"provider":[]},"selectedDestination":"sepa"}`)
	require.ElementsMatch(t, []string{"selectedSource.currency", "selectedSource.provider", "selectedDestination"}, names(several.member("errors").(map[string]any)),
		"one entry per offending field")
	for _, kind := range payments.ProblemTypes() {
		require.Equal(t, http.StatusOK, a.do("GET", "/problems/"+kind.Type, "").status, kind.Type)
	}
	requireProblem(t, a.do("GET", "/problems/none", ""), payments.KindNotFound)
}

func versioning(t *testing.T) {
	a := run(t, refserver.Config{})
	for _, path := range []string{"/transfers/info", "/transfers/info/v2", "/transfers/info/v1/", "/v1/transfers/info", "/identity/auth/tokens/v1"} {
		requireProblem(t, a.do("PATCH", path, `{}`), payments.KindNotFound)
	}
}
