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

// The grammars of a bare key, of a string of structured fields (RFC 8941 section 3.3.3) and of a token.
var (
	bareKey      = regexp.MustCompile(`^[ -~]+$`)
	quotedString = regexp.MustCompile(`^"(?:[ !#-\[\]-~]|\\["\\])*"$`)
	bearer       = regexp.MustCompile(`^(?i:bearer) +[A-Za-z0-9._~+/=-]+$`)
)

// FuzzIdempotencyKey checks that a single header, bare or a quoted string, is parsed by its grammar. A key written as a
// quoted string is read back.
func FuzzIdempotencyKey(f *testing.F) {
	for _, seed := range []string{
		"8e03978e-40d5-43dd-bc93-6894a57f9324", "a\x00b", "\"a\\\"", `""`, "\"a\\\"b\\\\c\"", `"a`,
		`"8e03978e-40d5"`, "\"\xc3\xa9\"", "\"a\\nb\"", "k\t1", "schlüssel", strings.Repeat("k", 255),
		strings.Repeat("k", 256),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		key, ok := parseIdempotencyKey([]string{header})
		meant, isMeant := header, bareKey.MatchString(header)
		if strings.HasPrefix(header, `"`) {
			inner := strings.TrimSuffix(strings.TrimPrefix(header, `"`), `"`)
			meant, isMeant = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(inner), quotedString.MatchString(header)
		}
		require.Equal(t, isMeant && meant != "" && len(meant) <= maxKeyLength, ok, "%q", header)
		if !ok {
			require.Empty(t, key)
			return
		}
		require.Equal(t, meant, key)
		again, ok := parseIdempotencyKey([]string{`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key) + `"`})
		require.True(t, ok)
		require.Equal(t, key, again)
		_, ok = parseIdempotencyKey([]string{header, header})
		require.False(t, ok, "two headers are not a key")
	})
}

// FuzzAuthorization checks both schemes against their grammars. Accepted headers are exactly what clients would send,
// and net/http reads the same credentials. A refusal has a challenge and nothing of the header.
func FuzzAuthorization(f *testing.F) {
	for _, credentials := range []string{"sandbox:sandbox-secret", "a:b:c", ":b", "ключ:пароль", "no colon", "a:b\n"} {
		f.Add("Basic " + base64.StdEncoding.EncodeToString([]byte(credentials)))
	}
	for _, seed := range []string{
		"Bearer abc.def-1", "bearer   abc", "Basic YToAYg==", `Digest realm="x"`, "Bearer ", "BAsiC Xzp0\n", "BASIC   YTpi",
		"Basic YTpi\nCg==", "Basic ", "Basic", "Basic !", `Basic "YTpi"`, "Basic YTr_fn5-fg==", "Basic YTpi x", "YTpi",
		"Basic YTpi, Basic YTpi", "Basic\tYTpi", "Basic YTr/", "Basic YTpiYw", "Basic YTpiYw===", "Basic YTpiYx==",
		"Bearer a b", "Bearer\ta", `Bearer "a"`, "Bearer a, Bearer b", "Bearer a\xff", "Token abc", " Bearer abc",
		"Basic " + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("a", MaxClientID+1)+":b")),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		headers := []string{header}
		token, err := parseBearerToken(headers)
		require.Equal(t, bearer.MatchString(header), err == nil, "%q", header)
		if err == nil {
			require.True(t, strings.HasSuffix(header, " "+token))
		} else {
			requireChallenge(t, err, header)
		}

		scheme, encoded, _ := strings.Cut(header, " ")
		encoded = strings.TrimLeft(encoded, " ")
		decoded, _ := base64.StdEncoding.DecodeString(encoded)
		meantID, meantSecret, found := strings.Cut(string(decoded), ":")
		isMeant := strings.EqualFold(scheme, "Basic") && base64.StdEncoding.EncodeToString(decoded) == encoded &&
			utf8.Valid(decoded) && !strings.ContainsFunc(string(decoded), isControl) &&
			found && meantID != "" && len(meantID) <= MaxClientID
		id, secret, err := parseBasicCredentials(headers)
		require.Equal(t, isMeant, err == nil, "%q", header)
		if err != nil {
			requireChallenge(t, err, header)
			return
		}
		require.Equal(t, meantID+"\n"+meantSecret, id+"\n"+secret)
		r := &http.Request{Header: http.Header{"Authorization": {"Basic " + encoded}}}
		known, password, _ := r.BasicAuth()
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
