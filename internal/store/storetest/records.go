package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// epoch is when the records of these tests begin.
var epoch = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

func account(number int, status payments.KYCStatus, email string) *store.Account {
	id := fmt.Sprintf("acc_%04d", number)
	return &store.Account{
		Account: payments.Account{
			ID: id, KYCStatus: status, Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "Lovelace", Email: email,
			Country: "GB", Address: &payments.Address{Line1: "1 St James's Square", City: "London", Country: "GB"},
			Metadata: payments.Metadata{"tier": "gold"}, CreatedAt: epoch.Add(time.Duration(number) * time.Second), UpdatedAt: epoch,
		},
		KYC: payments.KYC{AccountID: id, Status: status, Level: "basic", Attempt: 1, SubmittedAt: new(epoch), UpdatedAt: epoch,
			Reasons:      []payments.KYCReason{{Code: "duplicate", Message: "There is one."}},
			Requirements: []payments.KYCRequirement{{Name: "identity_document", Status: "open", Deadline: new(epoch.Add(time.Hour))}}},
		Revision: 3,
		Plan:     []store.KYCStep{{After: 2 * time.Second, Status: payments.KYCStatusApproved}},
	}
}

func transfer(number int, state payments.TransferState) *store.Transfer {
	return &store.Transfer{
		Transfer: &payments.Transfer{
			ID: fmt.Sprintf("trf_%04d", number), AccountID: "acc_0001", Route: "ach:USD->base:USDC",
			Amount: new(payments.MustDecimal("12.50")), ExchangeRate: payments.MustDecimal("0.000000000000000001"),
			Fees:      []payments.Fee{{Type: "bank", Side: "source", Currency: "USD", Amount: new(payments.MustDecimal("0.50"))}},
			Reference: "invoice 1", ExternalID: fmt.Sprint("ext-", number), BatchID: "payroll",
			CreatedAt: epoch.Add(time.Duration(number) * time.Second),
		},
		State: state, OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: epoch,
		Revision: 1,
		Plan:     []store.TransferStep{{After: time.Second, State: payments.TransferStateFailed, Reason: "provider_declined"}},
	}
}

// same holds a record to the one that was put, unexported parts included.
func same[T any](t require.TestingT, expected, actual *T) { require.Equal(t, expected, actual) }

func putAndGet(t *testing.T, s store.Store) {
	a, tr := account(1, payments.KYCStatusPending, "ada@example.com"), transfer(1, payments.TransferStateAwaitingFunds)
	c := &store.Contact{NewSavedContact: payments.NewSavedContact{AccountID: a.ID, Label: "Ada", PaymentRail: "sepa", Currency: "EUR", IBAN: "DE89370400440532013000"}, ID: "sct_1", At: epoch}
	k := &store.Key{ID: "createAccount k 1", Fingerprint: "abc", Answer: store.AnswerText([]byte(`{"id":"acc_1"}`)), At: epoch}
	cl := &store.Client{ID: "sandbox", SecretHash: []byte{0, 1, 255}, At: epoch}
	tok := &store.Token{Hash: "00ff", ClientID: "sandbox", Scopes: []string{"kyc:read"}, IssuedAt: epoch, ExpiresAt: epoch.Add(time.Hour)}
	read := func(tx store.Tx) {
		gotten(t, tx.Accounts(), a)
		gotten(t, tx.Transfers(), tr)
		gotten(t, tx.Contacts(), c)
		gotten(t, tx.Keys(), k)
		gotten(t, tx.Clients(), cl)
		gotten(t, tx.Tokens(), tok)
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

func gotten[T any, P store.Record[T]](t require.TestingT, table store.Table[T], expected *T) {
	record, err := table.Get(P(expected).RecordID())
	require.NoError(t, err)
	same(t, expected, record)
}

func putReplaces(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com")))
	})
	changed := account(1, payments.KYCStatusApproved, "ada@example.com")
	update(t, s, func(tx store.Tx) { require.NoError(t, tx.Accounts().Put(changed)) })
	view(t, s, func(tx store.Tx) {
		gotten(t, tx.Accounts(), changed)
		rows, err := tx.Accounts().List(store.Query{Limit: 10})
		require.NoError(t, err)
		require.Len(t, rows, 1)
	})
}

func deleteRemoves(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Put(account(1, payments.KYCStatusPending, "ada@example.com")))
		require.NoError(t, tx.Accounts().Put(account(2, payments.KYCStatusPending, "ada@example.com")))
	})
	update(t, s, func(tx store.Tx) {
		require.NoError(t, tx.Accounts().Delete("acc_0001"))
		require.ErrorIs(t, tx.Accounts().Delete("acc_0001"), store.ErrNotFound)
	})
	view(t, s, func(tx store.Tx) {
		_, err := tx.Accounts().Get("acc_0001")
		require.ErrorIs(t, err, store.ErrNotFound)
		for _, where := range []map[string]string{nil, {store.ColumnEmail: "ada@example.com"}} {
			rows, err := tx.Accounts().List(store.Query{Where: where, Limit: 10})
			require.NoError(t, err)
			require.Equal(t, []string{"acc_0002"}, ids(rows))
		}
	})
}

func ids[T any, P store.Record[T]](rows []*T) []string {
	list := make([]string, len(rows))
	for i, row := range rows {
		list[i] = P(row).RecordID()
	}
	return list
}
