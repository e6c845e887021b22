package service_test

import (
	"context"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

var background = context.Background()

// audited checks every write to a store: states follow the state machine, and the amounts of every transfer add up in
// every state. It collects what is committed, from the records alone.
type audited struct {
	store.Store
	t    require.TestingT
	seen *[]happening
}

// A happening is the content of an event, without its identifier.
type happening struct {
	Type           payments.EventType
	Subject        string
	From, To       string
	At             time.Time
	Reasons        []payments.KYCReason
	Failure, Label string
}

func (a audited) Update(ctx context.Context, world string, fn func(store.Tx) error) error {
	var seen []happening
	err := a.Store.Update(ctx, world, func(tx store.Tx) error {
		seen = nil
		return fn(store.Tx{Documents: auditedDocuments{tx.Documents, tx, a.t, &seen}})
	})
	if err == nil {
		*a.seen = append(*a.seen, seen...)
	}
	return err
}

type auditedDocuments struct {
	store.Documents
	tx   store.Tx
	t    require.TestingT
	seen *[]happening
}

func (a auditedDocuments) happened(h happening) { *a.seen = append(*a.seen, h) }

func (a auditedDocuments) Put(collection *store.Collection, document store.Document) error {
	switch written := document.(type) {
	case *store.Account:
		a.account(written)
	case *store.Transfer:
		a.transfer(written)
	case *store.Contact:
		a.happened(happening{Type: payments.EventTypeContactCreated, Subject: written.ID, Label: written.Label})
	}
	return a.Documents.Put(collection, document)
}

func (a auditedDocuments) Delete(collection *store.Collection, id string) error {
	if before, err := a.Get(collection, id); err == nil {
		if contact, ok := before.(*store.Contact); ok {
			a.happened(happening{Type: payments.EventTypeContactDeleted, Subject: id, Label: contact.Label})
		}
	}
	return a.Documents.Delete(collection, id)
}

func (a auditedDocuments) account(account *store.Account) {
	require.Equal(a.t, account.KYC.Status, account.KYCStatus)
	require.Equal(a.t, account.ID, account.KYC.AccountID)
	require.LessOrEqual(a.t, account.KYC.Attempt, payments.MaxKYCAttempts)
	final := account.KYC.RejectType != nil && *account.KYC.RejectType == "final"
	require.Equal(a.t, account.KYC.Status == payments.KYCStatusRejected, final)
	require.NotNil(a.t, account.KYC.Reasons)
	require.NotNil(a.t, account.KYC.Requirements)
	changed := happening{
		Type: payments.EventTypeKYCStatusChanged, Subject: account.ID, To: string(account.KYCStatus), At: account.UpdatedAt,
		Reasons: account.KYC.Reasons,
	}
	before, err := a.tx.Accounts().Get(account.ID)
	if err != nil {
		a.happened(happening{Type: payments.EventTypeAccountCreated, Subject: account.ID, At: account.CreatedAt})
		a.happened(changed)
		require.Contains(a.t, []payments.KYCStatus{"incomplete", "pending"}, account.KYCStatus)
		return
	}
	if account.Edits > before.Edits {
		require.Equal(a.t, before.KYC, account.KYC, "a patch does not change the identity check")
		require.Equal(a.t, before.Revision, account.Revision, "a patch does not change the plan")
	} else {
		require.Greater(a.t, account.Revision, before.Revision, "a change has a new revision, and so a new entity tag")
	}
	require.False(a.t, account.UpdatedAt.Before(before.UpdatedAt))
	if account.KYCStatus != before.KYCStatus {
		require.True(a.t, before.KYCStatus.CanBecome(account.KYCStatus), "%s became %s", before.KYCStatus, account.KYCStatus)
		changed.From = string(before.KYCStatus)
		a.happened(changed)
	}
}

func (a auditedDocuments) transfer(transfer *store.Transfer) {
	requireAddsUp(a.t, transfer.Whole(), transfer.Deposit)
	h := happening{Type: payments.EventTypeTransferCreated, Subject: transfer.ID, To: string(transfer.State),
		At: transfer.UpdatedAt}
	if transfer.FailureReason != nil {
		h.Failure = *transfer.FailureReason
	}
	before, err := a.tx.Transfers().Get(transfer.ID)
	if err != nil {
		require.Equal(a.t, payments.TransferStateAwaitingFunds, transfer.State)
		a.happened(h)
		return
	}
	h.Type, h.From = payments.EventTypeTransferStateChanged, string(before.State)
	a.happened(h)
	require.Greater(a.t, transfer.Revision, before.Revision)
	require.False(a.t, transfer.UpdatedAt.Before(before.UpdatedAt))
	require.True(a.t, before.State.CanBecome(transfer.State), "%s became %s", before.State, transfer.State)
}

// requireAddsUp checks the contract's equations for the amounts of a transfer, in decimals. The refund is what arrived:
// the deposit, or the amount if there was none.
func requireAddsUp(t require.TestingT, transfer payments.Transfer, deposit *money.Decimal) {
	source, destination := transfer.Source.Amount, transfer.Destination.Amount
	came := source
	if deposit != nil {
		came = deposit
	}
	if transfer.Refund != nil {
		require.NotNil(t, came, "nothing was taken")
		require.Equal(t, came.String(), transfer.Refund.Amount.String())
		require.Equal(t, transfer.Source.Currency, transfer.Refund.Currency)
	}
	if source == nil {
		require.True(t, transfer.Flexible, "only a flexible transfer has no amount")
		require.Nil(t, destination)
		require.Nil(t, transfer.ConvertedAmount)
		require.Nil(t, transfer.RoundingResidue)
		require.Contains(t, []payments.TransferState{"awaiting_funds", "in_review", "canceled", "expired", "failed"},
			transfer.State, "funds without an amount")
		return
	}
	var taken, kept money.Decimal
	for _, fee := range transfer.Fees {
		require.NotNil(t, fee.Amount, "a fee of a transfer has its amount")
		switch fee.Side {
		case "source":
			require.Equal(t, transfer.Source.Currency, fee.Currency)
			taken = taken.Add(*fee.Amount)
		case "destination":
			require.Equal(t, transfer.Destination.Currency, fee.Currency)
			kept = kept.Add(*fee.Amount)
		default:
			require.Fail(t, "a fee without a side")
		}
	}
	require.True(t, source.Equal(taken.Add(*transfer.ConvertedAmount)), "source = fees + converted")
	require.True(t, transfer.ConvertedAmount.Mul(transfer.ExchangeRate).
		Equal(destination.Add(kept).Add(*transfer.RoundingResidue)), "converted × rate = destination + fees + residue")
	refunded := transfer.State == payments.TransferStateRefunded
	require.Equal(t, refunded, transfer.Refund != nil && transfer.Refund.CompletedAt != nil)
}
