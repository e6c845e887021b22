package refserver_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

func TestDataOutlivesTheService(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var token, world string
	var account payments.Account
	t.Run("first", func(t *testing.T) {
		c := login(t, serve(t, refserver.Config{Data: folder}), 1)
		c.read(t, http.MethodPost, "/accounts/v1", `{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`, &account)
		token, world = c.token, c.world(t)
	})
	t.Run("second", func(t *testing.T) {
		url := serve(t, refserver.Config{Data: folder})
		c := &caller{url: url, token: token, http: httpClient}
		require.Equal(t, world, c.world(t))
		var again payments.Account
		c.read(t, http.MethodGet, "/accounts/"+account.ID+"/v1", "", &again)
		require.Equal(t, account.ID, again.ID)

		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/identity/auth/tokens/current/v1", nil)
		require.NoError(t, err)
		request.SetBasicAuth(paytest.ClientID, "another secret")
		answer, err := httpClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		require.Equal(t, http.StatusUnauthorized, answer.StatusCode, "the secret of the first use holds")
	})
	t.Run("memory", func(t *testing.T) {
		require.NotEqual(t, world, login(t, serve(t, refserver.Config{}), 1).world(t))
	})
}

func TestDataFolderThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := refserver.New(refserver.Config{Data: file})
	var unusable *refserver.DataError
	require.ErrorAs(t, err, &unusable)
	require.Equal(t, file, unusable.Folder)
}

// A failing store is answered with 503 without its reasons, and does not end the service.
func TestStoreThatFails(t *testing.T) {
	t.Parallel()
	s, err := refserver.New(refserver.Config{Data: t.TempDir()})
	require.NoError(t, err)
	require.NoError(t, s.Close()) // a store that can neither be read nor written
	for _, authorization := range []string{"Bearer abc", "Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA=="} {
		method, path := http.MethodGet, "/accounts/v1"
		if authorization[:5] == "Basic" {
			method, path = http.MethodPost, "/identity/auth/tokens/current/v1"
		}
		request, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, http.NoBody)
		require.NoError(t, err)
		request.Header.Set("Authorization", authorization)
		answer, body, err := paytest.Serve(s.Handler, request)
		require.NoError(t, err)
		require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode, "%s", body)
		require.Equal(t, "1", answer.Header.Get("Retry-After"))
		require.Empty(t, answer.Header.Get("WWW-Authenticate"))
		var problem payments.Problem
		require.NoError(t, json.Unmarshal(body, &problem))
		require.Equal(t, payments.KindUnavailable, problem.Kind())
		require.NotContains(t, string(body), "sqlite")
	}
}
