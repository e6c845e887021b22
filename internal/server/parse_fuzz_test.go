package server

import (
	"encoding/base64"
	"errors"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// quotedString is a string of structured fields (RFC 8941 section 3.3.3), by its grammar.
var quotedString = regexp.MustCompile(`^"(?:[ !#-\[\]-~]|\\["\\])*"$`)

// FuzzIdempotencyKey checks that a key is read as its one header means it, bare or as a quoted string by the grammar, and that a
// key that is written as a quoted string is read back.
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{
		"8e03978e-40d5-43dd-bc93-6894a57f9324", "a\x00b", "\"a\\\"", `""`, "\"a\\\"b\\\\c\"", `"a`,
		`"8e03978e-40d5"`, "\"\xc3\xa9\"", "\"a\\nb\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, ok := parseIdempotencyKey([]string{header})
		if strings.HasPrefix(header, `"`) {
			inner := strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.TrimSuffix(strings.TrimPrefix(header, `"`), `"`))
			expected := quotedString.MatchString(header) && inner != "" && len(inner) <= maxKeyLength
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
		again, ok := parseIdempotencyKey([]string{`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`})
		require.True(t, ok)
		require.Equal(t, key, again)
		_, ok = parseIdempotencyKey([]string{header, header})
		require.False(t, ok, "two headers are no key")
	})
}

// FuzzAuthorization checks both schemes against their grammars: what is accepted is exactly what a client would have sent, net/http
// reads the same credentials, and a refusal has a challenge and nothing of the header.
func FuzzAuthorization(f *testing.F) {
	for _, seed := range []string{
		"Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA==", "Bearer abc.def-1", "bearer   abc", "Basic YTpiOmM=",
		"Basic YToAYg==", `Digest realm="x"`, "Bearer ", "BAsiC Xzp0\n", "Basic YTpi\nCg==", "Basic YWJj",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		headers := []string{header}
		if token, err := parseBearerToken(headers); err == nil {
			require.Regexp(t, `^(?i:bearer) +[A-Za-z0-9._~+/=-]+$`, header)
			require.True(t, strings.HasSuffix(header, " "+token))
		} else {
			requireChallenge(t, err, header)
		}
		id, secret, err := parseBasicCredentials(headers)
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
	refusal, ok := errors.AsType[*payments.ProblemError](err)
	require.True(t, ok)
	require.Contains(t, []int{400, 401}, refusal.Status)
	require.NotEmpty(t, refusal.Challenge)
	if _, value, found := strings.Cut(header, " "); found && len(value) > 8 {
		require.NotContains(t, refusal.Detail+refusal.Challenge, value)
	}
}

// FuzzPreferWait checks the bounds of the wait, and that the first one counts, wherever it is in the header.
func FuzzPreferWait(f *testing.F) {
	for _, seed := range []string{
		"wait=", "a=\"b\\\"c, wait=7\"", "wait=1.5", "wait=99999999999", ", wait=7; x, wait=8", "wait=-1",
		"respond-async; x=1, WAIT = 7 ; y", `wait="10"`, "wait=0, wait=9", "wait=10",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		wait := preferWait([]string{header})
		require.GreaterOrEqual(t, wait, time.Duration(0))
		require.LessOrEqual(t, wait, maxWait)
		require.Zero(t, wait%time.Second)
		if wait > 0 {
			require.Regexp(t, `(?i)(^|,)\s*wait\s*=`, header)
		}
		require.Equal(t, wait, preferWait([]string{"respond-async; a=1", header}))
		require.Equal(t, 2*time.Second, preferWait([]string{"wait=2", header}), "the first one counts")
	})
}

// FuzzQuality checks that a quality is between 0 and 1, and 0 for a media type that the header does not list.
func FuzzQuality(f *testing.F) {
	for _, seed := range []string{
		"application/json, application/problem+json;q=0.5", "application/json;q=0x1p-2", "*/*;q=+Inf",
		"application/json;q=1e300", "application/json;q=NaN", "application/*;q=-1",
		`application/json;a="b,c";q=0.3`, "*/*;q=0", "text/event-stream, application/json;q=0.1", ";;;,",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		for _, form := range []string{mediaJSON, mediaProblem, mediaYAML, mediaEventStream} {
			q := quality(accept, form)
			require.False(t, math.IsNaN(q), "%q", accept)
			require.GreaterOrEqual(t, q, 0.0, "%q", accept)
			require.LessOrEqual(t, q, 1.0, "%q", accept)
		}
		require.Equal(t, 0.0, quality("text/x;q=0.5", mediaJSON))
	})
}
