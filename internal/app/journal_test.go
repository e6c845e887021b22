package app

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/settings"
)

// A service has one name in the journal, however its URL is spelled. Two services have two names.
func TestAServiceHasOneName(t *testing.T) {
	t.Parallel()
	for name, spellings := range map[string][]string{
		"https://api.example.com": {
			"https://api.example.com", "https://API.example.com/",
			"HTTPS://api.example.com:443", "https://api.example.com:0443//",
		},
		"https://api.example.com/v1": {"https://api.example.com/v1", "https://api.example.com:443/v1/"},
		"https://api.example.com/V1": {"https://api.example.com/V1"},
		"http://127.0.0.1":           {"http://127.0.0.1:80/", "http://127.0.0.1"},
		"http://[::1]":               {"http://[::1]:80", "http://[::1]/"},
		"http://[::1]:8700":          {"http://[::1]:8700"},
		"http://127.0.0.1:443":       {"http://127.0.0.1:443"},
		"http://localhost:8700":      {"http://localhost:8700/", "http://LOCALHOST:8700"},
		"http://127.0.0.1:8700":      {"http://127.0.0.1:8700", "http://127.0.0.1:8700/", "http://127.0.0.1:08700"},
	} {
		for _, spelling := range spellings {
			base, err := settings.ParseBaseURL(spelling)
			require.NoError(t, err)
			require.Equal(t, name, serviceName(base), spelling)
		}
	}
}
