package server_test

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/doccheck"
)

// sourceForm is how docs/CONFORMANCE.md names a source.
var sourceForm = regexp.MustCompile(`^(RFC \d{4} §[\d.]+|RFC 8785|draft-[a-z-]+ §[\d.]+|Specification, "|Own rule$|HTML Living Standard|W3C Trace Context §[\d.]+)`)

// The page names what is there, and all that is there.
func TestConformancePage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "CONFORMANCE.md"))
	require.NoError(t, err)
	rows := doccheck.Rows(t, string(page), "| behaviour | source | test |")
	require.Greater(t, len(rows), 80)
	for _, row := range rows {
		require.Regexp(t, sourceForm, row.Cells[1], row.Cells[0])
	}
	requireBounds(t, string(page))
	doccheck.Hold(t, "..", rows, func(string) bool { return true })
}

// requireBounds holds the page's table of limits to the defaults.
func requireBounds(t *testing.T, page string) {
	t.Helper()
	l := refserver.Bounds{}.WithDefaults()
	bytes := func(n int64) string { return strconv.FormatInt(n, 10) + " bytes" }
	bounds := map[string]string{
		"securing a connection, and then the head of a request": l.HeadTimeout.String(),
		"a whole request": l.RequestTimeout.String(),
		"an answer, until the client has accepted all of it":    l.AnswerTimeout.String(),
		"a connection between two requests":                     l.IdleTimeout.String(),
		"running requests, when the service stops":              l.StopTimeout.String(),
		"a request behind another one with its idempotency key": l.KeyWait.String(),
		"connections at a time":                                 strconv.Itoa(l.Connections),
		"the head of a request, about":                          bytes(int64(l.HeadBytes)),
		"the target of a request":                               bytes(int64(l.TargetBytes)),
		"a body":                                                bytes(l.BodyBytes),
		"a body that holds a snapshot":                          bytes(l.SnapshotBytes),
		"what the requests hold in memory that have not ended":  bytes(l.HeldBytes),
		"the same of one client":                                bytes(l.ClientHeldBytes),
	}
	require.Equal(t, reflect.TypeOf(l).NumField(), len(bounds), "every limit has a line")
	for name, value := range bounds {
		require.Contains(t, page, "\n| "+name+" | "+value+" |\n")
	}
}
