package refserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// serve runs a reference service until the test ends.
func serve(t testing.TB, config refserver.Config) (url string) {
	t.Helper()
	s, err := refserver.New(config)
	require.NoError(t, err)
	address, _ := paytest.Listen(t, s, nil)
	return "http://" + address
}

// longestRequest is the timeout of requests, so that a test fails if its server disappears.
const longestRequest = 2 * time.Minute

// httpClient sends the requests that do not need their own connections.
var httpClient = &http.Client{Timeout: longestRequest}

// A caller is a client of a service.
type caller struct {
	url, token string
	http       *http.Client
}

// An answer is the response of a service.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// login returns a caller with at most that many connections.
func login(t testing.TB, url string, connections int) *caller {
	t.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}
	t.Cleanup(transport.CloseIdleConnections)
	c := &caller{url: url, http: &http.Client{Transport: transport, Timeout: longestRequest}}
	var token payments.AccessToken
	c.read(t, http.MethodPost, "/identity/auth/tokens/current/v1", "", &token)
	c.token = token.AccessToken
	return c
}

// do sends one request, with an idempotency key unless key is empty.
func (c *caller) do(ctx context.Context, method, path, body, key string) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, strings.NewReader(body))
	if err != nil {
		return answer{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
		request.GetBody = nil // so that the transport sends nothing twice
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if c.token == "" {
		request.SetBasicAuth(paytest.ClientID, paytest.ClientSecret)
	} else {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{}, err
	}
	text, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, text}, errors.Join(err, response.Body.Close())
}

// read sends a request that must succeed and decodes its response.
func (c *caller) read(t testing.TB, method, path, body string, into any) {
	t.Helper()
	a, err := c.do(t.Context(), method, path, body, "")
	require.NoError(t, err)
	require.Less(t, a.status, http.StatusBadRequest, "%s", a.body)
	require.NoError(t, json.Unmarshal(a.body, into))
}

// approvedContact creates an account, waits for its approval and gives it a contact.
func (c *caller) approvedContact(t testing.TB) (id string) {
	t.Helper()
	var account payments.Account
	c.read(t, http.MethodPost, "/accounts/v1", person, &account)
	require.Eventually(t, func() bool {
		var kyc payments.KYC
		c.read(t, http.MethodGet, "/accounts/"+account.ID+"/kyc/v1", "", &kyc)
		return kyc.Status == payments.KYCStatusApproved
	}, patience, time.Millisecond)
	var contact payments.SavedContact
	c.read(t, http.MethodPost, "/contacts/saved/v1", contactOf(account.ID, "Ada"), &contact)
	return contact.ID
}

const person = `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`

func contactOf(account, label string) string {
	return `{"accountId":"` + account + `","label":"` + label +
		`","holderName":"Ada","holderType":"individual","paymentRail":"sepa",` +
		`"currency":"EUR","iban":"DE89370400440532013000"}`
}

// transferTo returns the body that creates a transfer.
func transferTo(contact, reference string) string {
	return fmt.Sprintf(
		`{"destinationSavedContactId":%q,"route":"base:USDC->sepa:EUR","amount":"12.50","reference":%q}`, contact, reference)
}

// world returns the instance of the caller's world.
func (c *caller) world(t testing.TB) string {
	t.Helper()
	a, err := c.do(t.Context(), http.MethodGet, "/transfers/v1?limit=1", "", "")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, a.status, "%s", a.body)
	require.NotEmpty(t, a.header.Get("Payctl-World"))
	return a.header.Get("Payctl-World")
}

// newDatabase returns an empty database for this test.
func newDatabase(t *testing.T) *refserver.Database {
	t.Helper()
	url, _ := testkit.NewDatabase(t)
	return &refserver.Database{URL: url}
}

// manyServers has a caller of each of several servers with one store.
type manyServers []*caller

// serveMany runs servers with one store and logs in to one of them.
func serveMany(t *testing.T, config refserver.Config, count int) (all manyServers) {
	t.Helper()
	first := login(t, serve(t, config), connections)
	all = manyServers{first}
	for len(all) < count {
		all = append(all, &caller{url: serve(t, config), token: first.token, http: first.http})
	}
	return all
}

// any returns the caller of a random server.
func (m manyServers) any() *caller { return m[rand.IntN(len(m))] }
