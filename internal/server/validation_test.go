package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/reference"
)

const snapshotPath = "/sandbox/snapshot/v1"

// What validation takes for a moment, whoever reads it afterwards takes too.
func TestMoments(t *testing.T) {
	t.Parallel()
	a := run(t, reference.Config{})
	snapshot := a.do("GET", snapshotPath, "")
	taken := snapshot.member("takenAt").(string)
	for _, text := range []string{
		"2030-01-01T0:00:00Z", "2030-01-01T00:00:00,5Z", "2030-01-01T00:00:00+24:00", "2030-01-01T00:00:00+00:60", "2030-01-01",
	} {
		for field, answer := range map[string]*answer{
			"now":          a.do("PUT", clockPath, `{"mode":"manual","now":"`+text+`"}`),
			"takenAt":      a.do("PUT", snapshotPath, strings.Replace(snapshot.body, taken, text, 1)),
			"createdAfter": a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(text), ""),
		} {
			problem := requireProblem(t, answer, payments.KindValidation)
			require.Equal(t, payments.FieldErrors{field: {"The " + field + " field must be a moment such as 2026-01-31T12:00:00Z (RFC 3339)."}}, problem.Errors, text)
		}
	}
	good := []string{"2030-01-01T00:00:00.5+02:00", "2030-01-01T00:00:00Z", "2030-01-01T00:00:00-23:59"}
	for _, text := range good {
		require.Equal(t, http.StatusOK, a.do("GET", accountsPath+"?createdAfter="+url.QueryEscape(text), "").status)
	}
	for _, text := range good { // which the token does not outlive
		require.Equal(t, http.StatusOK, a.do("PUT", clockPath, `{"mode":"manual","now":"`+text+`"}`).status, text)
	}
}
