package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

const goodKYC = `{"accountId":"acc_1","status":"pending","level":"basic","attempt":1,"rejectType":null,"reasons":[],"requirements":[],
	"verificationUrl":null,"submittedAt":"2026-01-01T00:00:00Z","reviewedAt":null,"expiresAt":null,"updatedAt":"2026-01-01T00:00:00Z"}`

const goodProblem = `{"type":"http://h/problems/not-found","title":"Not found.","status":404,"detail":"There is none.","instance":"/accounts/acc_1/kyc/v1"}`

const mediaProblem = "application/problem+json"

// testExchange is a response and the operation of its request.
type testExchange struct {
	Operation *Operation
	payments.Response
}

// good returns an exchange that fits the contract. Each test spoils its own.
func good(status int, media, body string) testExchange {
	header := map[string][]string{"Etag": {`"1"`}, "X-Request-Id": {"req_1"}}
	if media != "" {
		header["Content-Type"] = []string{media}
	}
	return testExchange{&GetKYCStatus, payments.Response{
		Method: "GET", Path: "/accounts/acc_1/kyc/v1", Status: status, Header: header, Body: []byte(body),
	}}
}

func TestAnswersThatBreakTheContract(t *testing.T) {
	t.Parallel()
	json := func(old, replacement string) testExchange {
		return good(200, "application/json", strings.Replace(goodKYC, old, replacement, 1))
	}
	problem := func(old, replacement string) testExchange {
		return good(404, mediaProblem, strings.Replace(goodProblem, old, replacement, 1))
	}
	of := func(op *Operation, method string, e testExchange) testExchange {
		e.Operation, e.Method = op, method
		return e
	}
	tagged := func(e testExchange, tags ...string) testExchange {
		e.Header["Etag"] = tags
		return e
	}
	withStatus := func(status int, e testExchange) testExchange {
		e.Status = status
		return e
	}
	success, notModified := good(200, "application/json", goodKYC), good(304, "", "")
	for name, test := range map[string]struct {
		exchange testExchange
		place    string
	}{
		"a member of another type":   {json(`"attempt":1`, `"attempt":"1"`), "body.attempt"},
		"a member that is missing":   {json(`"level":"basic",`, ``), "body.level"},
		"null where it may not be":   {json(`"level":"basic"`, `"level":null`), "body.level"},
		"a value that is not one":    {json(`"pending"`, `"done"`), "body.status"},
		"no moment":                  {json(`"updatedAt":"2026-01-01T00:00:00Z"`, `"updatedAt":"now"`), "body.updatedAt"},
		"an unknown member":          {json(`"attempt":1`, `"attempt":1,"a/b~":2`), "body.a/b~"},
		"an element deep within":     {json(`"reasons":[]`, `"reasons":[{"code":"x","message":7}]`), "body.reasons[0].message"},
		"half of the JSON":           {json(goodKYC[40:], ""), "body"},
		"no body":                    {good(200, "application/json", ""), "body"},
		"another media type":         {good(200, "text/plain", goodKYC), "headers.Content-Type"},
		"no media type":              {good(200, "", goodKYC), "headers.Content-Type"},
		"a success of another kind":  {good(201, "application/json", goodKYC), "headers.Content-Type"},
		"a redirect":                 {good(302, "", ""), "headers.Content-Type"},
		"no entity tag":              {tagged(good(200, "application/json", goodKYC)), "headers.Etag"},
		"an entity tag of no form":   {tagged(good(304, "", ""), "1"), "headers.Etag"},
		"a body with 304":            {good(304, "", "{}"), "body"},
		"304 of another operation":   {of(&ListTransfers, "GET", notModified), "headers.Content-Type"},
		"a problem as JSON":          {good(404, "application/json", goodProblem), "headers.Content-Type"},
		"a problem that says 400":    {problem(`404`, `400`), "body.status"},
		"a problem without a title":  {problem(`Not found.`, ``), "body"},
		"a problem without a detail": {problem(`There is none.`, ``), "body"},
		"a problem of another path":  {problem(`acc_1`, `acc_2`), "body.instance"},
		"errors without reason":      {problem(`"detail"`, `"errors":{"a":["b"]},"detail"`), "body.errors"},
		"a validation without any":   {problem(`not-found`, `validation-error`), "body.errors"},
		"401 without a challenge":    {withStatus(401, problem(`404`, `401`)), "headers.Www-Authenticate"},
		"405 without Allow":          {withStatus(405, problem(`404`, `405`)), "headers.Allow"},
		"a success of nothing":       {of(nil, "GET", success), "status"},
		"OPTIONS without Allow":      {of(nil, "OPTIONS", good(204, "", "")), "headers.Allow"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := map[string]bool{}
			for _, violation := range CheckResponse(test.exchange.Operation, &test.exchange.Response) {
				require.NotEmpty(t, violation.Reason)
				found[violation.Place] = true
			}
			require.Equal(t, map[string]bool{test.place: true}, found)
		})
	}
}
