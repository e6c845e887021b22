package server_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/paytest"
	"github.com/payctl/payctl/internal/reference"
)

// caller speaks to a reference service as one client.
type caller struct {
	t     testing.TB
	url   string
	token string
}

func call(t testing.TB, service *paytest.Service, client string) *caller {
	t.Helper()
	c := &caller{t: t, url: service.URL}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+contract.CreateAccessToken.Path, http.NoBody)
	require.NoError(t, err)
	request.SetBasicAuth(client, "secret-of-"+client)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var token payments.AccessToken
	require.NoError(t, json.UnmarshalRead(response.Body, &token))
	c.token = token.AccessToken
	return c
}

// do sends a JSON body, or none, and returns the answer with its body.
func (c *caller) do(method, path, body string, header ...string) (*http.Response, []byte) {
	c.t.Helper()
	response, content, err := c.try(method, path, body, header...)
	require.NoError(c.t, err)
	return response, content
}

func (c *caller) try(method, path, body string, header ...string) (*http.Response, []byte, error) {
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, strings.NewReader(body))
	require.NoError(c.t, err)
	request.Header.Set("Authorization", "Bearer "+c.token)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	return response, content, err
}

// get is do, and decodes a good answer.
func get[T any](c *caller, method, path, body string) T {
	c.t.Helper()
	response, content := c.do(method, path, body)
	require.Less(c.t, response.StatusCode, 300, "%s", content)
	var value T
	require.NoError(c.t, json.Unmarshal(content, &value), "%s", content)
	return value
}

func (c *caller) open(email string) payments.Account {
	c.t.Helper()
	return get[payments.Account](c, http.MethodPost, "/accounts/v1",
		`{"type":"individual","firstName":"Ada","lastName":"L","country":"GB","email":"`+email+`"}`)
}

// An expired token opens the sandbox and nothing else, so that advancing the clock locks nobody out.
func TestExpiredTokenOpensTheSandbox(t *testing.T) {
	t.Parallel()
	service := paytest.Run(t, reference.Config{})
	c := call(t, service, "ada")
	clock := get[payments.SandboxClock](c, http.MethodPost, "/sandbox/clock/advance/v1", `{"duration":"2h"}`)
	require.Equal(t, paytest.Start.Add(2*time.Hour), clock.Now)
	response, _ := c.do(http.MethodGet, "/accounts/v1", "")
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
	require.Contains(t, response.Header.Get("WWW-Authenticate"), `error="invalid_token"`)
	require.Equal(t, clock, get[payments.SandboxClock](c, http.MethodGet, "/sandbox/clock/v1", ""))

	c.token = "nobody"
	response, _ = c.do(http.MethodGet, "/sandbox/clock/v1", "")
	require.Equal(t, http.StatusUnauthorized, response.StatusCode)
}

func TestNoSandbox(t *testing.T) {
	t.Parallel()
	c := call(t, paytest.Run(t, reference.Config{NoSandbox: true}), "ada")
	for _, op := range contract.Operations {
		if !strings.HasPrefix(op.Path, "/sandbox/") {
			continue
		}
		response, body := c.do(op.Method, contract.Expand(op.Path, "x"), "")
		require.Equal(t, http.StatusNotFound, response.StatusCode, op.ID)
		require.True(t, bytes.Contains(body, []byte(`/problems/not-found"`)), "%s", body)
	}
	c.open("ada@example.com")
}

// Each client drives a world of its own.
func TestSandboxesAreApart(t *testing.T) {
	t.Parallel()
	service := paytest.Run(t, reference.Config{})
	ada, bob := call(t, service, "ada"), call(t, service, "bob")
	account := ada.open("ada+kyc-stuck@example.com")
	get[payments.SandboxClock](bob, http.MethodPost, "/sandbox/clock/advance/v1", `{"duration":"P30D"}`)
	require.Equal(t, paytest.Start, get[payments.SandboxClock](ada, http.MethodGet, "/sandbox/clock/v1", "").Now)
	path := contract.Expand(contract.SetSandboxKYC.Path, account.ID)
	response, _ := bob.do(http.MethodPut, path, `{"status":"approved"}`)
	require.Equal(t, http.StatusUnauthorized, bob.status(http.MethodGet, "/accounts/v1"), "his token expired with his clock")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Equal(t, payments.KYCStatusApproved, get[payments.KYC](ada, http.MethodPut, path, `{"status":"approved"}`).Status)
	response, _ = ada.do(http.MethodPut, path, `{"status":"pending"}`)
	require.Equal(t, http.StatusConflict, response.StatusCode)
}

func (c *caller) status(method, path string) int {
	c.t.Helper()
	response, _ := c.do(method, path, "")
	return response.StatusCode
}
