package server_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/paytest"
)

// Times have every form of RFC 3339, in a query and in a body.
func TestTimesOfRFC3339(t *testing.T) {
	t.Parallel()
	a := broken(t, refserver.Config{}) // the library that knows the contract has capital letters only
	for _, text := range []string{
		"2016-12-31t23:59:59z", "2016-12-31T23:59:60Z", "2016-12-31T18:59:60-05:00", "2016-12-31T23:59:59+02:00",
	} {
		require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(text), "").status, text)
	}
	problem := requireProblem(t, a.do("GET", accountsPath+"?createdAfter=2020-01-01T00:00:00+02:00", ""), payments.KindValidation)
	require.Contains(t, problem.Errors["createdAfter"][0], "%2B")
	answer := a.do("PUT", clockPath, `{"mode":"manual","now":"2026-12-31t23:59:60z"}`)
	require.Equal(t, "2027-01-01T00:00:00Z", answer.member("now"))
}

// Parameters of media types may be empty, and have quoted values (RFC 9110 section 5.6.6).
func TestParametersOfMediaTypes(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for media, supported := range map[string]bool{
		`application/json;;charset="utf-8"`: true, "application/json ; ; charset=utf-8 ;": true, `application/json;a=";"`: true,
		"application/json;charset": false, "application/json;a = b": false, `application/json;a="`: false, "application": false,
	} {
		require.Equal(t, supported, a.do("PATCH", infoPath, "{}", "Content-Type", media).status == http.StatusOK, media)
	}
	for accept, status := range map[string]int{
		"application/json;;q=0": 406, "application/json;Q=0": 406, `text/html, application/json; q=0.5;`: 200, ",,text/html": 406,
	} {
		require.Equal(t, status, a.do("GET", accountsPath, "", "Accept", accept).status, accept)
	}
}

// A token lives as long as its client was told, by the client's clock, also if the world's runs faster.
func TestTokenOfAScaledClock(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{
		Clock:         sandbox.ClockSetting{Mode: payments.ClockModeScaled, Scale: 1000, Start: paytest.Start},
		TokenLifetime: time.Hour,
	})
	token := decode[payments.AccessTokenDescription](a.do("GET", tokenPath, ""))
	require.Equal(t, 1000*time.Hour, token.ExpiresAt.Sub(token.IssuedAt))
}

// What is sent as a form and is none gets no token with every scope.
func TestFormsWithoutAField(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	for _, form := range []string{`{"scope":"accounts:read"}`, "scopes=accounts:read"} {
		answer := a.do("POST", tokenPath, form, "Content-Type", "application/x-www-form-urlencoded",
			"Authorization", basic(paytest.ClientID, paytest.ClientSecret))
		requireProblem(t, answer, payments.KindMalformed)
	}
}

// A cursor of another client is refused as that of another list is.
func TestCursorOfAnotherClient(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	other := a.as("other")
	for range 2 {
		a.do("POST", accountsPath, adaBody)
		other.do("POST", accountsPath, adaBody)
	}
	cursor := "?cursor=" + a.do("GET", accountsPath+"?limit=1", "").member("nextCursor").(string)
	require.Equal(t, http.StatusOK, a.do("GET", accountsPath+cursor, "").status)
	requireProblem(t, other.do("GET", accountsPath+cursor, ""), payments.KindValidation)
	requireProblem(t, a.do("GET", "/transfers/v1"+cursor, ""), payments.KindValidation)
}
