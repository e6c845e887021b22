package service_test

import (
	"context"
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
	"github.com/payctl/payctl/internal/test/paytest"
)

// needing is a store that notes which records each update reads without having named them.
type needing struct {
	store.Store
	unnamed *[]store.Need
}

func (n needing) Update(ctx context.Context, world string, fn func(store.Tx) error, needs ...store.Need) error {
	return n.Store.Update(ctx, world, func(tx store.Tx) error {
		named := map[store.Need]bool{}
		for _, need := range needs {
			named[need] = true
			if need.Kind == store.NeedContact {
				if contact, err := tx.Contacts().Get(need.ID); err == nil {
					named[store.Need{Kind: store.NeedAccount, ID: contact.AccountID}] = true
				}
			}
		}
		return fn(needingTx{tx, func(need store.Need) {
			if !named[need] {
				*n.unnamed = append(*n.unnamed, need)
			}
		}})
	})
}

type needingTx struct {
	store.Tx
	read func(store.Need)
}

func (n needingTx) Accounts() store.Table[store.Account] {
	return needingTable[store.Account]{n.Tx.Accounts(), n.read, store.NeedAccount}
}

func (n needingTx) Contacts() store.Table[store.Contact] {
	return needingTable[store.Contact]{n.Tx.Contacts(), n.read, store.NeedContact}
}

func (n needingTx) Transfers() store.Table[store.Transfer] {
	return needingTable[store.Transfer]{n.Tx.Transfers(), n.read, store.NeedTransfer}
}

func (n needingTx) Keys() store.Table[store.Key] {
	return needingTable[store.Key]{n.Tx.Keys(), n.read, store.NeedKey}
}

func (n needingTx) TransferByReference(reference string) (*store.Transfer, error) {
	n.read(store.Need{Kind: store.NeedReference, ID: reference})
	return n.Tx.TransferByReference(reference)
}

type needingTable[T any] struct {
	store.Table[T]
	read func(store.Need)
	kind store.NeedKind
}

func (n needingTable[T]) Get(id string) (*T, error) {
	n.read(store.Need{Kind: n.kind, ID: id})
	return n.Table.Get(id)
}

// Every record that a write reads is named before its transaction, so that a database on another machine is asked once.
// Only jobs, which are found in the transaction, read others.
func TestWritesNameWhatTheyRead(t *testing.T) {
	t.Parallel()
	var unnamed []store.Need
	clock := sandbox.NewManualClock(paytest.Start)
	w := &world{service.New(needing{memory.New(), &unnamed}, "client", testCatalogue(t), clock, script, service.NewIDs(rand.Reader)), clock}
	account := w.approved(t)
	require.NotEmpty(t, unnamed, "the job of the identity check")
	unnamed = nil

	incomplete := w.open(t, "ada+kyc-incomplete@example.com")
	polled := w.open(t, "ada+kyc-polls-1@example.com")
	payee := contactTo(t, "sepa", "EUR", "Ada")
	payee.AccountID = account.ID
	saved, err := w.CreateSavedContact(background, payee, once)
	require.NoError(t, err)
	contact := saved.Value
	request := to(contact, w.routesTo(t, contact)[0], "100.00")
	request.Reference = "invoice 1"
	first, err := w.CreateAutoTransfer(background, request, key("k", "a"))
	require.NoError(t, err)
	for _, again := range []payments.Idempotency{key("k", "a"), once} {
		same, err := w.CreateAutoTransfer(background, request, again)
		require.NoError(t, err)
		require.Equal(t, first.Value.ID, same.Value.ID)
	}
	other := w.send(t, to(contact, w.routesTo(t, contact)[0], ""))
	_, err = w.CreateSandboxDeposit(background, other.ID, payments.SandboxDeposit{Amount: payments.MustDecimal("100.00")}, key("k", "a"))
	require.NoError(t, err)
	_, err = w.SetSandboxTransferState(background, other.ID, payments.SandboxTransferState{State: payments.TransferStateFailed})
	require.NoError(t, err)
	_, err = w.CancelTransfer(background, first.Value.ID, key("k", "a"))
	require.NoError(t, err)
	_, err = w.SubmitKYC(background, incomplete.ID, answers("identity_document", "x"), key("k", "a"))
	require.NoError(t, err)
	_, err = w.SetSandboxKYC(background, polled.ID, payments.SandboxKYC{Status: payments.KYCStatusUnderReview})
	require.NoError(t, err)
	w.kyc(t, polled.ID)
	_, err = w.UpdateAccount(background, account.ID, payments.MergePatch{"email": "b@example.com"}, key("k", "a"))
	require.NoError(t, err)
	_, err = w.UpdateSavedContact(background, contact.ID, payments.MergePatch{"label": "B"}, key("k", "a"))
	require.NoError(t, err)
	require.NoError(t, w.DeleteSavedContact(background, contact.ID))
	require.Empty(t, unnamed)
}
