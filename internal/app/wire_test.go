package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

func TestOperationsAreCheckedWhereTheyStand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		mapping string
		reason  string // empty: fine
	}{
		{"getKycStatus: GET /kyc/{accountId}/v2", ""},
		{"getKycStatus: POST /kyc/{id}", ""},
		{"getKYC: GET /kyc/{id}", "no operation getKYC"},
		{"createAutoTransfer: POST /pay", "is published"},
		{"selectRoutes: PATCH /info", "is published"},
		{"getKycStatus: GET /kyc", "as many {parameters}"},
		{"createAccount: GET /accounts", "GET must not"},
	} {
		dir := t.TempDir()
		text := "profiles:\n  desk:\n    base_url: https://x.example\n    operations:\n      " + c.mapping + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, settings.FileName), []byte(text), 0o600))
		file, err := settings.Load(dir)
		id, mapping, _ := strings.Cut(c.mapping, ": ")
		fresh, freshErr := settings.Load(t.TempDir())
		require.NoError(t, freshErr)
		setting := fresh.Set("desk", "operations."+id, mapping)
		if c.reason == "" {
			require.NoError(t, err)
			require.NotNil(t, file)
			require.NoError(t, setting)
			continue
		}
		var bad *settings.Error
		require.ErrorAs(t, err, &bad, c.mapping)
		require.Equal(t, 5, bad.Line)
		require.Contains(t, bad.Reason, c.reason)
		require.ErrorAs(t, setting, new(*settings.Error))
		require.ErrorContains(t, setting, c.reason)
	}
}

// What the help lists as mappable is, at the path that it has anyway.
func TestMappableOperationsCanBeMapped(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, op := range mappable() {
		require.NoError(t, dialect.Check("operations", op.ID, op.Method+" "+op.Path))
		listed[op.ID] = true
	}
	for _, op := range contract.Operations {
		elsewhere := dialect.Check("operations", op.ID, op.Method+" /elsewhere"+op.Path)
		require.Equal(t, op.Origin == contract.Assumed, elsewhere == nil, op.ID)
		require.False(t, listed[op.ID] && op.Origin == contract.Published)
	}
}

// Every list has the same largest page, which commands ask for by the constant.
func TestTheLargestPageIsTheContracts(t *testing.T) {
	t.Parallel()
	lists := 0
	for _, op := range contract.Operations {
		for _, parameter := range op.Query {
			if parameter.Name == "limit" {
				lists++
				require.EqualValues(t, payments.LargestPage, parameter.Schema.Maximum, op.ID)
			}
		}
	}
	require.NotZero(t, lists)
}
