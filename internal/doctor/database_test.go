package doctor

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// healthy is a database with nothing to report.
func healthy() refserver.DatabaseReport {
	return refserver.DatabaseReport{
		Server: "db.test:5432", Database: "payctl", User: "ada", Schema: "payctl", Version: "15.18 (Debian 15.18-0)",
		Tables: 1, Wanted: 1, Exists: true, CanCreate: true, CanWrite: true, Encrypted: true,
		Settings:  map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"},
		RoundTrip: time.Millisecond,
	}
}

func TestDatabase(t *testing.T) {
	t.Parallel()
	require.Equal(t, ok("PostgreSQL 15.18 answers at db.test:5432 in 1ms, as ada in the database payctl, with TLS."), connected(healthy()))
	type report = refserver.DatabaseReport
	for name, c := range map[string]struct {
		change        func(*report)
		judge         func(report) findings
		result        Result
		message, then string
	}{
		"in clear":  {func(r *report) { r.Encrypted = false }, connected, Warning, "without encryption", "sslmode=verify-full"},
		"not to be": {func(r *report) { r.Tables, r.Exists, r.CanCreate, r.User = 0, false, false, `a"b` }, schema, Failed, "may not create it", `AUTHORIZATION "a""b"'`},
		"no rights": {func(r *report) { r.CanWrite = false }, schema, Failed, "may not read and write", `GRANT USAGE ON SCHEMA payctl TO "ada"`},
		"safe":      {func(*report) {}, durability, OK, "is on its disk", ""},
		"unsafe":    {func(r *report) { r.Settings["fsync"] = "off" }, durability, Warning, "fsync = off", "set it to on"},
		"hasty":     {func(r *report) { r.Settings["synchronous_commit"] = "off" }, durability, Warning, "synchronous_commit = off", "set it to on"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := healthy()
			c.change(&r)
			found := c.judge(r)
			require.Len(t, found, 1)
			require.Equal(t, c.result, found[0].Result, found[0].Message)
			require.Contains(t, found[0].Message, c.message)
			if runtime.GOOS == "windows" && strings.Contains(c.then, `"`) { // which its shells do not read alike
				c.then = "psql -c STATEMENT"
			}
			require.Contains(t, found[0].Fix+found[0].Advice, c.then)
			require.Equal(t, c.result == Failed, found[0].Kind == payments.KindInvalidSettings)
		})
	}
}
