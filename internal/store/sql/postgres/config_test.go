package postgres_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store/sql/postgres"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// Whatever the address looks like, the error does not have the password, or a part of it.
func TestNoErrorHasThePassword(t *testing.T) {
	t.Parallel()
	const at = "127.0.0.1:1" // a port on which no program listens
	host, port, _ := strings.Cut(at, ":")
	for _, address := range []string{
		"postgres://app:S3CRET@" + at + "/payctl",
		"postgresql://app:S3CRET@" + at + "/payctl?sslmode=require",
		"postgres://app:S3CRET@" + at + "/payctl?sslmode=S3CRET",
		"postgres://app:S3CRET@" + at + "/payctl?sslrootcert=/none",
		"postgres://app:S3CRET@" + at + "/payctl?S3CRET=1",
		"postgres://app:S3CRET@" + at + ",127.0.0.1:2/payctl",
		"postgres://app:S3CRET@" + at + ":1:2/payctl",
		"postgres://app:S3CRET@[::1/payctl",
		"postgres://app:x%ZZS3CRET@" + at + "/payctl",
		"postgres://app:x/S3CRET@" + at + "/payctl",
		"postgres://app:x/S3CRET/@" + at + "/payctl",
		"postgres://app:12/S3CRET@" + at + "/payctl",
		"postgres://app:12/3@S3CRET@" + at + "/payctl",
		"postgres://app:x@S3CRET/@" + at + "/payctl",
		"postgres://app:x@S3CRET:1@" + at + "/payctl",
		"postgres://app:S3CRET?@" + at + "/payctl",
		"postgres://app:S3CRET#@" + at + "/payctl",
		"postgres://app:S3CRET:S3CRET@" + at + "/payctl",
		"postgres:// app:S3CRET@" + at + "/payctl",
		"postgres:/app:S3CRET@" + at + "/payctl",
		"mysql://app:S3CRET@" + at + "/payctl",
		"app:S3CRET@" + at + "/payctl",
		"postgres://" + at + "/payctl?user=app&password=S3CRET",
		"postgres://" + at + "/payctl?user=app&password=S3CRET&connect_timeout=x",
		"host=" + host + " port=" + port + " user=app password=S3CRET",
		"host=" + host + " port=" + port + " user=app password=x S3CRET",
		"host=" + host + " port=" + port + " user=app password=x S3CRET dbname=payctl",
		"host=" + host + " port=" + port + " user=app password='S3CRET",
		"host=" + host + " port=" + port + " user=app password='x' S3CRET=x",
		"password=S3CRET port=x",
		"service=none password=S3CRET",
		"S3CRET",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		_, err := postgres.Open(ctx, postgres.Config{URL: address})
		cancel()
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "S3CRET", address)
		_, err = postgres.Inspect(t.Context(), postgres.Config{URL: address})
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "S3CRET", address)
	}
}

func TestErrorsOfAServerHaveNoPassword(t *testing.T) {
	t.Parallel()
	s := pgtest.Start(t)
	s.Exec(t, "CREATE ROLE app LOGIN PASSWORD 'right'")
	folder := filepath.Dir(s.Socket())
	for address, expected := range map[string]string{
		s.URLFor("app", "S3CRET"):                                                      "password authentication failed",
		"host=" + folder + " user=app password=right dbname=none":                      `database "none" does not exist`,
		"host=" + folder + " user=app dbname=postgres password=right S3CRET=x":         "refuses a setting of the address",
		"host=" + folder + " user=postgres dbname=postgres password=right work_mem=S3": "refuses a setting of the address",
	} {
		_, err := postgres.Open(t.Context(), postgres.Config{URL: address})
		require.ErrorContains(t, err, expected)
		require.Contains(t, err.Error(), folder)
		require.NotContains(t, err.Error(), "S3")
		require.NotContains(t, err.Error(), "right")
	}
}

// What the address does not have is in libpq's environment variables and files.
func TestEnvironment(t *testing.T) {
	s := pgtest.Start(t)
	s.Exec(t, "CREATE ROLE app LOGIN PASSWORD 'right'; CREATE SCHEMA payctl AUTHORIZATION app")
	folder := t.TempDir()
	services, passwords := filepath.Join(folder, "services"), filepath.Join(folder, "passwords")
	require.NoError(t, os.WriteFile(services, []byte("[mine]\nhost="+filepath.Dir(s.Socket())+"\ndbname=postgres\nuser=app\n"), 0o600))
	require.NoError(t, os.WriteFile(passwords, []byte("*:*:*:app:right\n"), 0o600))
	t.Setenv("PGSERVICEFILE", services)
	t.Setenv("PGPASSFILE", passwords)
	for _, address := range []string{"service=mine", "postgres://?service=mine", "host=" + filepath.Dir(s.Socket()) + " user=app dbname=postgres"} {
		require.Equal(t, []string{"app"}, read(t, openConfig(t, postgres.Config{URL: address}), "SELECT session_user::text"))
	}
	t.Setenv("PGHOST", filepath.Dir(s.Socket()))
	t.Setenv("PGUSER", "app")
	t.Setenv("PGDATABASE", "postgres")
	require.Equal(t, []string{"app"}, read(t, openConfig(t, postgres.Config{}), "SELECT session_user::text"))
}
