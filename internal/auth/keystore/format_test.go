package keystore

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func kindOf(err error) error {
	var k *Error
	if errors.As(err, &k) {
		return k.Kind
	}
	return nil
}

func TestItemRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		at := rapid.Custom(func(t *rapid.T) time.Time {
			return time.Unix(rapid.Int64Range(0, 1<<36).Draw(t, "s"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")).UTC()
		})
		l := Login{
			ClientID: text.Draw(t, "id"), ClientSecret: text.Draw(t, "secret"), AccessToken: text.Draw(t, "token"),
			TokenType: text.Draw(t, "type"), Scope: text.Draw(t, "scope"),
			ExpiresAt: rapid.OneOf(at, rapid.Just(time.Time{})).Draw(t, "expires"), ObtainedAt: at.Draw(t, "obtained"),
		}
		l, err := prepare(testKey, l)
		require.NoError(t, err)
		value, err := encodeItem(l)
		require.NoError(t, err)
		require.NotContains(t, value, "\n")
		back, err := decodeItem(testKey, value)
		require.NoError(t, err)
		require.True(t, back == l, "%s became %s", l, back)
	})
}

func TestDecodeItemRefuses(t *testing.T) {
	t.Parallel()
	good, err := encodeItem(testLogin())
	require.NoError(t, err)
	for name, value := range map[string]string{
		"empty":           "",
		"torn":            good[:len(good)-10],
		"trailing":        good + "{}",
		"null":            "null",
		"array":           "[]",
		"no version":      `{"origin":"http://127.0.0.1:8700"}`,
		"newer version":   strings.Replace(good, `"version":1`, `"version":2`, 1),
		"unknown member":  strings.Replace(good, `{`, `{"extra":1,`, 1),
		"wrong type":      strings.Replace(good, `"t0k3n-value"`, `17`, 1),
		"unusable time":   strings.Replace(good, `2026-03-01T12`, `t0k3n-value`, 1),
		"bad UTF-8":       strings.Replace(good, `sandbox`, "sand\xffbox", 1),
		"another origin":  strings.Replace(good, `127.0.0.1:8700`, `127.0.0.1:8701`, 1),
		"not an origin":   strings.Replace(good, `"http://127.0.0.1:8700"`, `null`, 1),
		"something else":  "hunter2",
		"secret as a key": `{"version":1,"t0k3n-value":1}`,
	} {
		l, err := decodeItem(testKey, value)
		require.Equal(t, ErrCorrupt, kindOf(err), name)
		require.Zero(t, l, name)
		require.NotContains(t, err.Error(), "t0k3n", "%s: the stored value is secret", name)
		require.NotContains(t, err.Error(), "hunter2", "%s: the stored value is secret", name)
	}
}

// What decodes, encodes, and decodes to the same again.
func FuzzDecodeFile(f *testing.F) {
	f.Add([]byte(`{"version":1,"logins":[{"profile":"local","origin":"http://127.0.0.1:8700","access_token":"t"}]}`))
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":2,"logins":[]}`))
	f.Add([]byte(`{"version":1,"logins":[null]}`))
	for _, seed := range []string{
		`{"version":9,"logins":[]}`, `{"version":1,"logins":[{"profile":"a"`,
		`{"version":1,"logins":[{"profile":"a","origin":"x","obtained_at":"2026-03-01T12:00:00.5+01:00"},{"profile":"a","origin":"y"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := decodeFile(data)
		if err != nil {
			require.Equal(t, ErrCorrupt, kindOf(err))
			return
		}
		out, err := d.encode()
		if err != nil {
			require.Contains(t, []error{ErrNotStored, ErrTooLarge}, kindOf(err))
			return
		}
		again, err := decodeFile(out)
		require.NoError(t, err)
		once, err := again.encode()
		require.NoError(t, err)
		require.Equal(t, string(out), string(once))
	})
}
