package server

import (
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// quotedKey is a string of structured fields (RFC 8941 section 3.3.3), by its grammar.
var quotedKey = regexp.MustCompile(`^"(?:[ !#-\[\]-~]|\\["\\])*"$`)

// FuzzIdempotencyKey holds the key to be what its one header means: bare, or a quoted string by the grammar; and a key that
// is written as a quoted string to be read back.
func FuzzIdempotencyKey(f *testing.F) {
	f.Fuzz(func(t *testing.T, header string) {
		key, ok := idempotencyKey([]string{header})
		if strings.HasPrefix(header, `"`) {
			inner := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(strings.TrimPrefix(header, `"`), `"`))
			expected := quotedKey.MatchString(header) && inner != "" && len(inner) <= maxKeyLength
			require.Equal(t, expected, ok, "%q", header)
			if ok {
				require.Equal(t, inner, key)
			}
		} else if ok {
			require.Equal(t, header, key)
		}
		if !ok {
			require.Empty(t, key)
			return
		}
		require.LessOrEqual(t, len(key), maxKeyLength)
		require.Regexp(t, `^[ -~]+$`, key)
		again, ok := idempotencyKey([]string{`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`})
		require.True(t, ok)
		require.Equal(t, key, again)
		_, ok = idempotencyKey([]string{header, header})
		require.False(t, ok, "two headers are no key")
	})
}

// FuzzAuthorization holds both schemes to their grammars: what is taken in is exactly what a client would have sent, net/http
// reads the same credentials, and a refusal carries a challenge and nothing of the header.
func FuzzAuthorization(f *testing.F) {
	f.Fuzz(func(t *testing.T, header string) {
		headers := []string{header}
		if token, err := bearerToken(headers); err == nil {
			require.Regexp(t, `^(?i:bearer) +[A-Za-z0-9._~+/=-]+$`, header)
			require.True(t, strings.HasSuffix(header, " "+token))
		} else {
			requireChallenge(t, err, header)
		}
		id, secret, err := basicCredentials(headers)
		if err != nil {
			requireChallenge(t, err, header)
			return
		}
		require.NotEmpty(t, id)
		require.NotContains(t, id, ":")
		require.True(t, utf8.ValidString(id+secret))
		require.NotRegexp(t, `[\x00-\x1f\x7f]`, id+secret)
		require.True(t, strings.HasSuffix(header, base64.StdEncoding.EncodeToString([]byte(id+":"+secret))))
		r := &http.Request{Header: http.Header{"Authorization": {"Basic " + strings.TrimLeft(header[len("Basic "):], " ")}}}
		known, password, ok := r.BasicAuth()
		require.True(t, ok)
		require.Equal(t, id+"\n"+secret, known+"\n"+password)
	})
}

func requireChallenge(t *testing.T, err error, header string) {
	t.Helper()
	refusal, ok := errors.AsType[*payments.Refusal](err)
	require.True(t, ok)
	require.Contains(t, []int{400, 401}, refusal.Status)
	require.NotEmpty(t, refusal.Challenge)
	if _, value, found := strings.Cut(header, " "); found && len(value) > 8 {
		require.NotContains(t, refusal.Detail+refusal.Challenge, value)
	}
}

// FuzzPreferWait holds the wait to its bounds, and to be found wherever it stands in the header, but not in a quoted string.
func FuzzPreferWait(f *testing.F) {
	f.Fuzz(func(t *testing.T, header string) {
		wait := preferWait([]string{header})
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, maxWait)
		require.Zero(t, wait%time.Second)
		if wait > 0 {
			require.Regexp(t, `(?i)(^|,)[\s]*wait\s*=\s*"?[0-9]`, header)
		}
		require.Equal(t, wait, preferWait([]string{"respond-async; a=1", header}))
		require.Equal(t, 2*time.Second, preferWait([]string{"wait=2", header}), "the first one counts")
		quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(header) + `"`
		for _, other := range []string{"a=" + quoted, "a; b=" + quoted} {
			require.Equal(t, 2*time.Second, preferWait([]string{other, "wait=2"}), "a quoted string says nothing")
		}
	})
}

// FuzzQuality holds a quality to be one, whatever the header says of it, and a media type that nobody asks for to be unwanted.
func FuzzQuality(f *testing.F) {
	f.Fuzz(func(t *testing.T, accept string) {
		for _, form := range []string{mediaJSON, mediaProblem, mediaYAML, mediaEventStream} {
			q := quality(accept, form)
			require.False(t, math.IsNaN(q), "%q", accept)
			require.GreaterOrEqual(t, q, 0.0, "%q", accept)
			require.LessOrEqual(t, q, 1.0, "%q", accept)
			if q > 0 && q < 1 {
				require.Contains(t, strings.ToLower(accept), "q")
			}
		}
		require.Equal(t, 0.0, quality("text/x;q=0.5", mediaJSON))
	})
}

// FuzzQuery holds a query to be read as net/url reads it, or refused.
func FuzzQuery(f *testing.F) {
	f.Fuzz(func(t *testing.T, raw string) {
		query, err := parseQuery(raw)
		if err != nil {
			refusal, ok := errors.AsType[*payments.Refusal](err)
			require.True(t, ok)
			require.Equal(t, payments.KindMalformed, refusal.Problem.Kind())
			return
		}
		again, err := url.ParseQuery(query.Encode())
		require.NoError(t, err)
		require.Equal(t, query, again)
		require.NotContains(t, raw, ";")
	})
}

// FuzzReadEarly holds the answers of net/http that are put into the service's own form to be those of net/http alone.
func FuzzReadEarly(f *testing.F) {
	f.Fuzz(func(t *testing.T, written []byte) {
		status, reason, early := readEarly(written)
		if !early {
			return
		}
		require.GreaterOrEqual(t, status, 400)
		require.LessOrEqual(t, status, 999)
		require.True(t, strings.HasPrefix(string(written), "HTTP/1.1 "))
		require.LessOrEqual(t, len(reason), len(written))
	})
}
