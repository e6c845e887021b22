package keystore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	testKey = Key{Profile: "local", Origin: "http://127.0.0.1:8700"}
	testNow = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)
)

func testLogin() Login {
	return Login{
		Origin: testKey.Origin, ClientID: "sandbox", ClientSecret: "s3cr3t-value", AccessToken: "t0k3n-value",
		TokenType: "Bearer", Scope: "transfers:read kyc:read", ExpiresAt: testNow.Add(time.Hour), ObtainedAt: testNow,
	}
}

func TestLoginNeverShowsItsSecrets(t *testing.T) {
	t.Parallel()
	l := testLogin()
	var printed bytes.Buffer
	for _, v := range []any{l, &l, []Login{l}, map[string]Login{"a": l}, struct{ L Login }{l}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
			fmt.Fprintf(&printed, verb+"\n", v)
		}
		b, err := json.Marshal(v)
		require.NoError(t, err)
		printed.Write(b)
		slog.New(slog.NewTextHandler(&printed, nil)).Info("text", "login", v)
		slog.New(slog.NewJSONHandler(&printed, nil)).Info("json", "login", v)
	}
	require.NotEmpty(t, printed.String())
	for _, secret := range []string{l.ClientSecret, l.AccessToken} {
		for _, form := range []string{"%s", "%x", "%X"} {
			require.NotContains(t, printed.String(), fmt.Sprintf(form, secret))
		}
	}
	require.Contains(t, l.String(), `ClientID:"sandbox"`)
	require.Contains(t, l.String(), redacted)
	l.ClientSecret = ""
	require.Contains(t, l.String(), `ClientSecret:""`, "an empty secret is shown as empty")
}
