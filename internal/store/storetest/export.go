package storetest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// notExported are the tables that are not part of what a client's world holds.
var notExported = []string{"Clients", "Tokens", "Worlds", "Requests"}

func exportIsWhole(t *testing.T, s store.Store) {
	for method := range reflect.TypeFor[store.Tx]().Methods() {
		isTable := method.Type.NumOut() == 1 && strings.HasPrefix(method.Type.Out(0).Name(), "Table[")
		if isTable && !slices.Contains(notExported, method.Name) {
			_, there := reflect.TypeFor[store.Export]().FieldByName(method.Name)
			require.True(t, there, "an Export has no %s", method.Name)
		}
	}
	fill(t, s)
	update(t, s, func(tx store.Tx) {
		for i := range 2500 {
			require.NoError(t, tx.Accounts().Put(account(i, approved, fmt.Sprintf("ada%d@example.com", i))))
		}
		for i := range 300 {
			settled := transfer(2+i, payments.TransferStatePaymentProcessed)
			settled.Plan = nil
			require.NoError(t, tx.Transfers().Put(settled))
			require.NoError(t, tx.Keys().Put(&store.Key{ID: fmt.Sprint("k ", i), Response: fmt.Appendf(nil, `{"id":"%d"}`, i), At: epoch}))
		}
		schedule(t, tx, job(1, "a again"))
	})
	var exported, imported store.Export
	view(t, s, func(tx store.Tx) {
		var err error
		exported, err = store.ExportOf(tx)
		require.NoError(t, err)
		require.Len(t, exported.Accounts, 2500)
		require.Len(t, exported.Transfers, 301)
		require.Len(t, exported.Keys, 301)
	})
	last := func(store.Tx) error { return nil }
	require.NoError(t, s.Replace(context.Background(), "client-2", exported.Parts(), last))
	require.NoError(t, s.View(context.Background(), "client-2", func(tx store.Tx) (err error) {
		imported, err = store.ExportOf(tx)
		return err
	}))
	require.Equal(t, exported, imported)
	require.Equal(t, []store.Job{job(1, "a"), job(1, "a again"), job(2, "b")}, imported.Jobs)
}
