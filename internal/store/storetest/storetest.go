// Package storetest is the test suite of every store.Store. Only tests import it.
package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// Run tests stores against the comments of package store. Each call of open returns an empty store, which Run closes.
func Run(t *testing.T, open func(testing.TB) store.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, store.Store){
		"every record is kept as it is":           keepsRecords,
		"texts are kept, whatever they hold":      keepsTexts,
		"an error or a panic takes all back":      takesBack,
		"a view cannot write":                     viewOnlyReads,
		"a view sees all of an update or nothing": viewIsConsistent,
		"worlds are separate":                     worldsAreApart,
		"concurrent updates are all counted":      concurrentUpdates,
		"an ended context changes nothing":        endedContext,
		"worlds with a record take room":          worldsTakeRoom,
		"it behaves as a model does":              behavesAsModel,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			require.NoError(t, s.Ready(t.Context()))
			test(t, s)
		})
	}
}

const world = "client-1"

// epoch is when the records of these tests begin.
var epoch = time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)

var errFailed = errors.New("it failed")

// update runs fn, and commits it or makes it fail.
func update(t require.TestingT, s store.Store, name string, fails bool, fn func(store.Tx)) {
	var failure error
	if fails {
		failure = errFailed
	}
	require.ErrorIs(t, s.Update(context.Background(), name, func(tx store.Tx) error {
		fn(tx)
		return failure
	}), failure)
}

func view(t require.TestingT, s store.Store, name string, fn func(store.Tx)) {
	require.NoError(t, s.View(context.Background(), name, func(tx store.Tx) error {
		fn(tx)
		return nil
	}))
}

func account(number int, status payments.KYCStatus, email string) *store.Account {
	id := fmt.Sprintf("acc_%04d", number)
	return &store.Account{
		Account: payments.Account{
			ID: id, KYCStatus: status, Type: payments.AccountTypeIndividual, FirstName: "Ada", Email: email, Country: "GB",
			Address:  &payments.Address{Line1: "1 St James's Square", City: "London", Country: "GB"},
			Metadata: payments.Metadata{"tier": "gold"}, UpdatedAt: epoch,
			CreatedAt: epoch.Add(time.Duration(number) * time.Second),
		},
		KYC: payments.KYC{
			AccountID: id, Status: status, Level: "basic", Attempt: 1, SubmittedAt: new(epoch), UpdatedAt: epoch,
			Reasons:      []payments.KYCReason{{Code: "duplicate", Message: "There is one."}},
			Requirements: []payments.KYCRequirement{{Name: "identity_document", Deadline: new(epoch.Add(time.Hour))}},
		},
		Revision: 3,
		Plan:     []store.KYCStep{{After: 2 * time.Second, Status: payments.KYCStatusApproved}},
	}
}

func transfer(number int, state payments.TransferState, reference string) *store.Transfer {
	return &store.Transfer{
		Transfer: &payments.Transfer{
			ID: fmt.Sprintf("trf_%04d", number), AccountID: "acc_0001", Route: "ach:USD->base:USDC",
			Amount: new(money.MustDecimal("12.50")), ExchangeRate: money.MustDecimal("0.000000000000000001"),
			Fees:      []payments.Fee{{Type: "bank", Side: "source", Amount: new(money.MustDecimal("0.50"))}},
			Reference: reference, ExternalID: fmt.Sprint("ext-", number), BatchID: "payroll",
			CreatedAt: epoch.Add(time.Duration(number) * time.Second),
		},
		State: state, OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: epoch, Revision: 1,
		Plan: []store.TransferStep{{After: time.Second, State: "failed", Reason: "provider_declined"}},
	}
}

func event(number int, eventType payments.EventType, subject string) *store.Event {
	return &store.Event{
		Type: eventType, At: epoch.Add(time.Duration(number) * time.Millisecond), SubjectID: subject,
		From: "awaiting_funds", To: "failed",
		Data: payments.EventData{
			AccountID: "acc_0001", Reasons: []payments.KYCReason{{Code: "duplicate", Message: "There is one."}},
			Source:        &payments.TransferSide{Currency: "USD", Amount: new(money.MustDecimal("12.50"))},
			FailureReason: "provider_declined",
		},
	}
}

// record is a pointer to a T that a table can keep.
type record[T any] interface {
	*T
	store.Document
}

func requireStored[T any, P record[T]](t require.TestingT, table store.Table[T], expected *T) {
	found, err := table.Get(P(expected).DocumentID())
	require.NoError(t, err)
	require.Equal(t, expected, found)
}

func ids[T any, P record[T]](t require.TestingT, table store.Table[T], q store.Query) []string {
	rows, err := table.List(q)
	require.NoError(t, err)
	list := []string{}
	for _, row := range rows {
		list = append(list, P(row).DocumentID())
	}
	return list
}
