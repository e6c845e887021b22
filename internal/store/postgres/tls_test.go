package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// A password leaves this machine without TLS only if sslmode says so.
func TestPasswordsNeedTLS(t *testing.T) {
	t.Setenv("PGSSLMODE", "")
	t.Setenv("PGPASSWORD", "")
	for address, inClear := range map[string]bool{
		"postgres://ada:secret@db.test/payctl":                     false,
		"host=db.test user=ada password=secret dbname=payctl":      false,
		"postgres://ada:sslmode=@db.test/payctl":                   false,
		"postgres://ada:secret@db1.test,db2.test/payctl":           false,
		"postgres://ada:secret@db.test/payctl?sslmode=prefer":      true,
		"postgres://ada:secret@db.test/payctl?sslmode=disable":     true,
		"host=db.test user=ada password=secret sslmode=allow":      true,
		"postgres://ada@db.test/payctl":                            true,
		"postgres://ada:secret@127.0.0.1/payctl":                   true,
		"postgres://ada:secret@[::1]/payctl":                       true,
		"postgres://ada:secret@localhost/payctl":                   true,
		"host=/var/run/postgresql user=ada password=secret":        true,
		"postgres://ada:secret@db.test/payctl?sslmode=verify-full": false,
	} {
		config, err := pgx.ParseConfig(address)
		require.NoError(t, err)
		guardPassword(config, address)
		found := config.TLSConfig == nil
		for _, next := range config.Fallbacks {
			found = found || next.TLSConfig == nil
		}
		require.Equal(t, inClear, found, address)
	}
}
