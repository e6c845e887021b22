package contract_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// An exampleClient sends the examples of the document to a service.
type exampleClient struct {
	*paytest.Service
	document *openapi3.T
	token    string
}

func newExampleClient(t *testing.T, clock sandbox.ClockSetting) *exampleClient {
	t.Helper()
	c := &exampleClient{paytest.Run(t, refserver.Config{Seed: new(uint64(1)), Clock: clock}), paytest.Document(t), ""}
	status, body := c.send(t, &contract.CreateAccessToken)
	require.Equal(t, http.StatusOK, status, "%s", body)
	var token payments.AccessToken
	require.NoError(t, json.Unmarshal(body, &token))
	c.token = token.AccessToken
	return c
}

func (c *exampleClient) operation(op *contract.Operation) *openapi3.Operation {
	return c.document.Paths.Find(op.Path).GetOperation(op.Method)
}

// exampleOf returns the first example of a media type.
func exampleOf(t *testing.T, media *openapi3.MediaType) any {
	t.Helper()
	for _, name := range firstNames {
		if example := media.Examples[name]; example != nil {
			return example.Value.Value
		}
	}
	require.NotNil(t, media.Example)
	return media.Example
}

// request makes an operation's request from its examples only, with all of its parameters.
func (c *exampleClient) request(t *testing.T, op *contract.Operation) *http.Request {
	t.Helper()
	path, query, header := op.Path, url.Values{}, http.Header{}
	for _, reference := range c.operation(op).Parameters {
		parameter, name := reference.Value, reference.Value.Name
		require.NotNil(t, parameter.Example, "%s: the parameter %s has no example", op.ID, name)
		value := fmt.Sprint(parameter.Example)
		if list, ok := parameter.Example.([]any); ok {
			value = strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ",")
		}
		switch parameter.In {
		case openapi3.ParameterInPath:
			path = strings.Replace(path, "{"+name+"}", url.PathEscape(value), 1)
		case openapi3.ParameterInQuery:
			query.Set(name, value)
		case openapi3.ParameterInHeader:
			header.Set(name, value)
		}
	}
	var body []byte
	if op.Body != nil {
		header.Set("Content-Type", op.BodyMedia)
		media := c.operation(op).RequestBody.Value.Content.Get(op.BodyMedia)
		var err error
		body, err = json.Marshal(exampleOf(t, media), json.Deterministic(true))
		require.NoError(t, err)
		report, err := contract.Validate(op.Body, body)
		require.NoError(t, err)
		require.Empty(t, report.Errors, op.ID)
		require.Empty(t, report.Unknown, op.ID)
	}
	r, err := http.NewRequestWithContext(t.Context(), op.Method, c.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	r.URL.RawQuery, r.Header = query.Encode(), header
	switch op.Access {
	case contract.Basic:
		r.SetBasicAuth(paytest.ClientID, paytest.ClientSecret)
	case contract.Bearer:
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	return r
}

// firstNames are the names of the first of several examples.
var firstNames = []string{"individual", "routeKey", "scaled"}

func (c *exampleClient) send(t *testing.T, op *contract.Operation) (status int, body []byte) {
	t.Helper()
	response, err := http.DefaultClient.Do(c.request(t, op))
	require.NoError(t, err)
	body, err = io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode, body
}

// In the world of the restoreSandboxSnapshot example, the examples of all operations succeed in order, with all
// parameters. Those about accounts, identity checks, contacts and transfers give the responses of the document.
func TestExamplesWorkInTheirWorld(t *testing.T) {
	t.Parallel()
	for name, clock := range map[string]sandbox.ClockSetting{"manual": {}, "real": {Mode: payments.ClockModeReal}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newExampleClient(t, clock)
			status, body := c.send(t, &contract.RestoreSandboxSnapshot)
			require.Equal(t, http.StatusOK, status, "%s", body)
			same := 0
			for _, op := range contract.Operations {
				if op == &contract.RevokeAccessToken {
					continue // the others need the token
				}
				status, body := c.send(t, op)
				require.Equal(t, op.Success, status, "%s: %s", op.ID, body)
				switch c.operation(op).Tags[0] {
				case "accounts", "kyc", "contacts", "transfers":
					same++
					if len(body) == 0 {
						continue
					}
					media := c.operation(op).Responses.Status(status).Value.Content.Get("application/json")
					expected, err := json.Marshal(exampleOf(t, media))
					require.NoError(t, err)
					require.JSONEq(t, string(expected), string(body), op.ID)
				}
			}
			require.Greater(t, same, 10)
			status, _ = c.send(t, &contract.RevokeAccessToken)
			require.Equal(t, http.StatusNoContent, status)
		})
	}
}

// The examples of responses fit the schemas that the service validates with. The examples of headers are checked too.
// kin-openapi checks all other examples when it reads the document.
func TestExamplesFitTheContract(t *testing.T) {
	t.Parallel()
	document := paytest.Document(t)
	checked := 0
	for _, op := range contract.Operations {
		for status, response := range document.Paths.Find(op.Path).GetOperation(op.Method).Responses.Map() {
			for name, header := range response.Value.Headers {
				require.NotNil(t, header.Value.Example, "%s %s %s", op.ID, status, name)
				require.NoError(t, header.Value.Schema.Value.VisitJSON(header.Value.Example), "%s %s %s", op.ID, status, name)
			}
			code, err := strconv.Atoi(strings.Replace(strings.Replace(status, "default", "599", 1), "XX", "99", 1))
			require.NoError(t, err)
			for _, media := range op.ResponseFor(code).Content {
				examples := []any{response.Value.Content.Get(media.Type).Example}
				for _, example := range response.Value.Content.Get(media.Type).Examples {
					examples = append(examples, example.Value.Value)
				}
				for _, example := range slices.DeleteFunc(examples, func(example any) bool { return example == nil }) {
					checked++
					body, err := json.Marshal(example)
					require.NoError(t, err)
					report, err := contract.Validate(media.Schema, body)
					require.NoError(t, err)
					require.Empty(t, report.Errors, "%s %s", op.ID, status)
					require.Empty(t, report.Unknown, "%s %s", op.ID, status)
				}
			}
		}
	}
	require.Greater(t, checked, 300)
}
