package postgres_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/test/testkit"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/store/postgres"
)

// Whatever the address looks like, the error has no part of the password.
func TestNoErrorHasThePassword(t *testing.T) {
	t.Parallel()
	const at = "127.0.0.1:1" // a port on which no program listens
	for _, address := range []string{
		"postgres://app:S3CRET@" + at + "/payctl",
		"postgres://app:S3CRET@" + at + "/payctl?sslmode=S3CRET",
		"postgres://app:S3CRET@" + at + "/payctl?sslrootcert=/none",
		"postgres://app:S3CRET@" + at + "/payctl?S3CRET=1",
		"postgres://app:S3CRET@" + at + ":1:2/payctl",
		"postgres://app:S3CRET@[::1/payctl",
		"postgres://app:x%ZZS3CRET@" + at + "/payctl",
		"postgres://app:x/S3CRET@" + at + "/payctl",
		"postgres://app:12/3@S3CRET@" + at + "/payctl",
		"postgres://app:S3CRET?@" + at + "/payctl",
		"postgres://app:S3CRET#@" + at + "/payctl",
		"postgres:/app:S3CRET@" + at + "/payctl",
		"mysql://app:S3CRET@" + at + "/payctl",
		"host=127.0.0.1 port=1 user=app password=S3CRET",
		"host=127.0.0.1 port=1 user=app password=x S3CRET",
		"host=127.0.0.1 port=1 user=app password='S3CRET",
		"password=S3CRET port=x",
		"S3CRET",
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := postgres.Open(ctx, postgres.Config{URL: address})
		cancel()
		require.Error(t, err, address)
		require.NotContains(t, err.Error(), "S3CRET", address)
	}
}

// The error names a setting that the server refuses, unless it may be a part of a password.
func TestRefusedSettings(t *testing.T) {
	t.Parallel()
	s := testkit.StartPostgres(t)
	s.Exec(t, "CREATE ROLE hasty LOGIN PASSWORD 'right'; ALTER ROLE hasty SET statement_timeout = '1ms'; "+
		"ALTER ROLE hasty SET idle_in_transaction_session_timeout = '1ms'; CREATE SCHEMA payctl AUTHORIZATION hasty")
	s.Exec(t, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
	folder := filepath.Dir(s.Socket())
	for address, expected := range map[string]string{
		s.URL() + "&schema=x": "schema",
		"host=" + folder + " user=hasty dbname=postgres password=right S3CRET=x": "of the address",
	} {
		_, err := postgres.Open(t.Context(), postgres.Config{URL: address})
		failure, ok := errors.AsType[*postgres.Error](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, expected, failure.Setting)
		require.NotContains(t, err.Error(), "S3CRET")
		require.NotContains(t, err.Error(), "right")
	}
	opened, err := postgres.Open(t.Context(), postgres.Config{URL: s.URLFor("hasty", "right")})
	require.NoError(t, err, "sessions have their own settings")
	require.NoError(t, opened.Close())
	_, err = postgres.Open(t.Context(), postgres.Config{URL: "host=" + folder + " user=postgres dbname=latin"})
	require.ErrorIs(t, err, postgres.ErrEncoding)
}

// A server waits for a database that is not running yet, and says so once. It does not wait if the password is wrong.
func TestOpenWaitsForTheDatabase(t *testing.T) {
	t.Parallel()
	s := testkit.StartPostgres(t)
	s.Stop(t)
	waits := make(chan error, 9)
	opened := make(chan error, 1)
	go func() {
		kept, err := postgres.Open(t.Context(), postgres.Config{URL: s.URL(), Waiting: func(err error) { waits <- err }})
		if err == nil {
			err = kept.Close()
		}
		opened <- err
	}()
	require.Error(t, <-waits)
	s.Restart(t)
	require.NoError(t, <-opened)
	require.Empty(t, waits)
	_, err := postgres.Open(t.Context(), postgres.Config{
		URL: s.URLFor("nobody", "wrong"), Waiting: func(err error) { waits <- err },
	})
	require.Error(t, err)
	require.Empty(t, waits)
}
