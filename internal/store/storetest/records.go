package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Short names for what the tests use most.
const (
	pending  = payments.KYCStatusPending
	approved = payments.KYCStatusApproved
	rejected = payments.KYCStatusRejected
	expired  = payments.KYCStatusExpired

	awaitingFunds = payments.TransferStateAwaitingFunds
)

// epoch is when the records of these tests begin.
var epoch = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

func account(number int, status payments.KYCStatus, email string) *store.Account {
	id := fmt.Sprintf("acc_%04d", number)
	return &store.Account{
		Account: payments.Account{
			ID: id, KYCStatus: status, Type: payments.AccountTypeIndividual,
			FirstName: "Ada", LastName: "Lovelace", Email: email,
			Country: "GB", Address: &payments.Address{Line1: "1 St James's Square", City: "London", Country: "GB"},
			Metadata: payments.Metadata{"tier": "gold"}, UpdatedAt: epoch,
			CreatedAt: epoch.Add(time.Duration(number) * time.Second),
		},
		KYC: payments.KYC{
			AccountID: id, Status: status, Level: "basic", Attempt: 1, SubmittedAt: new(epoch), UpdatedAt: epoch,
			Reasons:      []payments.KYCReason{{Code: "duplicate", Message: "There is one."}},
			Requirements: []payments.KYCRequirement{{Name: "identity_document", Deadline: new(epoch.Add(time.Hour))}},
		},
		Revision: 3,
		Plan:     []store.KYCStep{{After: 2 * time.Second, Status: approved}},
	}
}

func transfer(number int, state payments.TransferState) *store.Transfer {
	return &store.Transfer{
		Transfer: &payments.Transfer{
			ID: fmt.Sprintf("trf_%04d", number), AccountID: "acc_0001", Route: "ach:USD->base:USDC",
			Amount: new(payments.MustDecimal("12.50")), ExchangeRate: payments.MustDecimal("0.000000000000000001"),
			Fees:      []payments.Fee{{Type: "bank", Side: "source", Amount: new(payments.MustDecimal("0.50"))}},
			Reference: "invoice 1", ExternalID: fmt.Sprint("ext-", number), BatchID: "payroll",
			CreatedAt: epoch.Add(time.Duration(number) * time.Second),
		},
		State: state, OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: epoch,
		Revision: 1,
		Plan:     []store.TransferStep{{After: time.Second, State: "failed", Reason: "provider_declined"}},
	}
}

func putAndGet(t *testing.T, s store.Store) {
	a, tr := account(1, pending, "ada@example.com"), transfer(1, awaitingFunds)
	saved := payments.NewSavedContact{AccountID: a.ID, Label: "Ada", PaymentRail: "sepa", IBAN: "DE89370400440532013000"}
	c := &store.Contact{NewSavedContact: saved, ID: "sct_1", At: epoch}
	k := &store.Key{ID: "createAccount k 1", Fingerprint: "abc", Response: []byte(`{"id":"acc_1"}`), At: epoch}
	cl := &store.Client{ID: "sandbox", SecretHash: []byte{0, 1, 255}, At: epoch}
	tok := &store.Token{Hash: "00ff", ClientID: "sandbox", Scopes: []string{"kyc:read"}, IssuedAt: epoch}
	tok.ExpiresAt = epoch.Add(time.Hour)
	read := func(tx store.Tx) {
		requireStored(t, tx.Accounts(), a)
		requireStored(t, tx.Transfers(), tr)
		requireStored(t, tx.Contacts(), c)
		requireStored(t, tx.Keys(), k)
		requireStored(t, tx.Clients(), cl)
		requireStored(t, tx.Tokens(), tok)
	}
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(a))
		require.NoError(t, tx.Transfers().Put(tr))
		require.NoError(t, tx.Contacts().Put(c))
		require.NoError(t, tx.Keys().Put(k))
		require.NoError(t, tx.Clients().Put(cl))
		require.NoError(t, tx.Tokens().Put(tok))
		read(tx) // a transaction sees what it wrote
	})
	view(t, s, read)
	view(t, s, func(tx store.Tx) {
		_, err := tx.Accounts().Get("acc_0002")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = tx.Tokens().Get("")
		require.ErrorIs(t, err, store.ErrNotFound)
	})
}

func requireStored[T any, P store.Record[T]](t require.TestingT, table store.Table[T], expected *T) {
	record, err := table.Get(P(expected).RecordID())
	require.NoError(t, err)
	require.Equal(t, expected, record)
}

func putReplaces(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) { putAccount(t, tx, 1, pending, "ada@example.com") })
	changed := account(1, approved, "ada@example.com")
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Accounts().Put(changed)) })
	view(t, s, func(tx store.Tx) {
		requireStored(t, tx.Accounts(), changed)
		requireListed(t, tx.Accounts(), store.Query{Limit: 10}, accountIDs(1))
	})
}

func deleteRemoves(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		putAccount(t, tx, 1, pending, "ada@example.com")
		putAccount(t, tx, 2, pending, "ada@example.com")
	})
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Delete("acc_0001"))
		require.ErrorIs(t, tx.Accounts().Delete("acc_0001"), store.ErrNotFound)
	})
	view(t, s, func(tx store.Tx) {
		_, err := tx.Accounts().Get("acc_0001")
		require.ErrorIs(t, err, store.ErrNotFound)
		for _, where := range []map[string]string{nil, {store.ColumnEmail: "ada@example.com"}} {
			requireListed(t, tx.Accounts(), store.Query{Where: where, Limit: 10}, accountIDs(2))
		}
	})
}

func putAccount(t require.TestingT, tx store.Tx, number int, status payments.KYCStatus, email string) {
	require.NoError(t, tx.Accounts().Put(account(number, status, email)))
}

// where is a filter by one column.
func where[T ~string](column string, value T) map[string]string {
	return map[string]string{column: string(value)}
}

// requireListed fails the test unless a query returns the records with some identifiers. It returns the records.
func requireListed[T any, P store.Record[T]](
	t require.TestingT, table store.Table[T], q store.Query, expected []string, about ...any,
) []*T {
	rows, err := table.List(q)
	require.NoError(t, err, about...)
	require.Equal(t, expected, ids[T, P](rows), about...)
	return rows
}

// accountIDs are the identifiers of the accounts with some numbers.
func accountIDs(numbers ...int) []string {
	list := []string{}
	for _, number := range numbers {
		list = append(list, fmt.Sprintf("acc_%04d", number))
	}
	return list
}

func ids[T any, P store.Record[T]](rows []*T) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = P(row).RecordID()
	}
	return list
}
