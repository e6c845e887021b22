package refserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A client with a service map sees the same at the imitated service as one without at the reference service.
func TestImitatedLists(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := func(label string, of ...string) string { return rapid.SampledFrom(of).Draw(t, label) }
		next := one("next", "/page/next", "link", "header X-Next", "page 0", "page 1", "offset", "id", "none")
		pages := "next: " + next + ", cursor: " + one("cursor", "at", "cursor") + ", limit: " + one("limit", "size", "limit")
		if rapid.Bool().Draw(t, "total") && next != "none" {
			pages += ", total: /count"
		}
		if rapid.Bool().Draw(t, "more") && next != "none" && next != "link" && next != "header X-Next" {
			pages += ", more: /has_more"
		}
		profile := fmt.Sprintf("operations: {listAccounts: GET %s, getAccount: 'GET /people/{id}'}\n"+
			"answers: {list: %s, one: %s}\npages: {%s}\n"+
			"members: {account: {id: %s, kycStatus: %s, firstName: /name/first}}\nvalues: {kyc: {pending: %s}}",
			one("path", "/people", "/all/people"), one("rows", "/items", "/data", "/result/rows"),
			one("one", "/data", "/it"), pages,
			one("id", "/id", "/person/key"), one("status", "/kycStatus", "{read: /check/state, filter: check}"),
			one("word", "OPEN", "7", "true"))
		var document yaml.Node
		require.NoError(t, yaml.Unmarshal([]byte(profile), &document))
		m, mistakes := servicemap.Parse(document.Content[0])
		require.Empty(t, mistakes, profile)
		count, limit := rapid.IntRange(0, 7).Draw(t, "accounts"), rapid.IntRange(1, 4).Draw(t, "limit")
		require.Equal(t, walked(t, &servicemap.Map{}, count, limit), walked(t, m, count, limit), profile)
	})
}

// walked lists all accounts of a service, and requires that each is the same when it is read alone.
func walked(t *rapid.T, m *servicemap.Map, count, limit int) (accounts []payments.Account) {
	config := refserver.Config{
		Clock: sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start},
		Seed:  new(uint64(1)), As: m, Check: true,
	}
	s, err := refserver.New(config)
	require.NoError(t, err)
	defer s.Close()
	world, err := s.Worlds.Of(t.Context(), paytest.ClientID)
	require.NoError(t, err)
	for i := range count {
		_, err := world.CreateAccount(t.Context(), payments.NewAccount{
			Type: "individual", FirstName: "Ada", LastName: fmt.Sprint(i), Email: "a@example.com", Country: "GB",
		}, service.WriteKey{})
		require.NoError(t, err)
	}
	at := httptest.NewServer(s.Handler)
	defer at.Close()
	base, err := url.Parse(at.URL)
	require.NoError(t, err)
	c, err := client.New(client.Config{BaseURL: base, ServiceMap: m})
	require.NoError(t, err)
	token, err := c.CreateAccessToken(t.Context(), paytest.ClientID, paytest.ClientSecret, payments.AccessTokenRequest{})
	require.NoError(t, err)
	c, err = client.New(client.Config{BaseURL: base, ServiceMap: m, Token: paytest.Token(token.AccessToken)})
	require.NoError(t, err)
	r := httptest.NewRequest(http.MethodPatch, "/accounts/x/v1", strings.NewReader("["))
	r.Header.Set("Authorization", "Bearer "+token.AccessToken)
	r.Header.Set("Content-Type", "application/merge-patch+json")
	refused := httptest.NewRecorder()
	s.Handler.ServeHTTP(refused, r)
	require.Equal(t, http.StatusBadRequest, refused.Code, refused.Body)
	filter := payments.AccountFilter{KYCStatuses: []payments.KYCStatus{payments.KYCStatusPending}}
	filter.Limit = limit
	for {
		page, err := c.ListAccounts(t.Context(), filter)
		require.NoError(t, err)
		for _, row := range page.Data {
			read, err := c.GetAccount(t.Context(), row.ID)
			require.NoError(t, err)
			row.Document, read.Value.Document = nil, nil
			require.Equal(t, row, read.Value)
			accounts = append(accounts, row)
		}
		if page.NextCursor == nil {
			return accounts
		}
		filter.Cursor = *page.NextCursor
	}
}
