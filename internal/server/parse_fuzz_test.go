package server

import (
	"encoding/base64"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
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
		"Basic YToAYg==", `Digest realm="x"`, "Bearer ", "BAsiC Xzp0\n", "Basic YTpi\nCg==", "Basic YWJj", "Basic ",
		"Basic !",
		`Basic "YTpi"`, "Basic YTr_fn5-fg==", "Basic YTpi x", "Basic YTpi, Basic YTpi", "Basic\tYTpi", "Basic OmI=",
		"Basic YTo=",
		"Basic YTr/", "Basic YTpiCg==", "Bearer a b", "Bearer\ta", `Bearer "a"`, "Bearer a, Bearer b", "Bearer a\xff",
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
