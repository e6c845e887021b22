package server_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// The documents name the address at which they were read, and are those of the contract in all else.
func TestDocumentsNameTheirServer(t *testing.T) {
	t.Parallel()
	s, err := refserver.New(refserver.Config{})
	require.NoError(t, err)
	read := func(method, path, host string) (*http.Response, string) {
		r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		r.Host = host
		response, body, err := paytest.Serve(s.Handler, r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response, string(body)
	}
	for path, file := range map[string][]byte{
		"/openapi.yaml": contract.YAML, "/openapi.json": contract.JSON,
	} {
		own := document(t, string(file))
		require.Equal(t, "http://127.0.0.1:8700", serverOf(t, own), "the address of payctl serve")
		for host, address := range map[string]string{
			"127.0.0.1:8700": "http://127.0.0.1:8700", "localhost:1": "http://localhost:1", "payments.example": "http://payments.example",
			"[::1]:8700": "http://[::1]:8700", "[fe80::1%25eth0]": "", "a:": "http://a", "": "/",
			"a'{b}": "", "a,b;c=d&e:80": "http://a,b;c=d&e:80", "caf\u00e9": "http://caf%C3%A9", "a\xff": "http://a%FF", `a"b`: "", `a\b`: "", "a b": "",
		} {
			response, body := read("GET", path, host)
			if address == "" {
				require.Equal(t, http.StatusBadRequest, response.StatusCode, host)
				continue
			}
			require.Equal(t, http.StatusOK, response.StatusCode, host)
			require.True(t, body == strings.Replace(string(file), "http://127.0.0.1:8700", address, 1), "%s of %q", path, host)
			if strings.HasPrefix(host, "a,b") { // it takes long to read a whole document
				served := document(t, body)
				require.Equal(t, address, serverOf(t, served), path)
				served["servers"] = own["servers"] // of which only the URL may differ, as the text has shown
				require.Equal(t, own, served, path)
			}
			require.Equal(t, strconv.Itoa(len(body)), response.Header.Get("Content-Length"))
			require.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
			head, _ := read("HEAD", path, host)
			require.Equal(t, response.Header.Get("Content-Length"), head.Header.Get("Content-Length"))
		}
	}
}

func document(t *testing.T, text string) (parsed map[string]any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &parsed)) // JSON is YAML
	return parsed
}

// serverOf returns the URL of the only server of a document.
func serverOf(t *testing.T, document map[string]any) string {
	t.Helper()
	servers := document["servers"].([]any)
	require.Len(t, servers, 1)
	return servers[0].(map[string]any)["url"].(string)
}
