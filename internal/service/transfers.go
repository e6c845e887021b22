package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/catalogue"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// CreateAutoTransfer implements payments.Transfers.
func (s *Service) CreateAutoTransfer(ctx context.Context, request payments.NewAutoTransfer, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return s.writeTransfer(ctx, "createAutoTransfer", key, func(w *work) (*store.Transfer, error) {
		contact, err := get(w.Contacts(), "saved contact", request.DestinationSavedContactID)
		if err != nil {
			return nil, err
		}
		route, err := s.routeTo(contact, request.Route)
		if err != nil {
			return nil, err
		}
		account, err := get(w.Accounts(), "account", contact.AccountID)
		if err != nil {
			return nil, err
		}
		if account.KYCStatus != payments.KYCStatusApproved {
			return nil, payments.Refuse(payments.KindKYCRequired,
				"The identity check of account %s is %s; it has to be approved.", account.ID, account.KYCStatus)
		}
		transfer, err := s.newTransfer(w, request, contact, route)
		if err != nil {
			return nil, err
		}
		return transfer, w.tellTransfer(transfer, "")
	})
}

// routeTo finds the route that a request names and checks that it leads to the contact.
func (s *Service) routeTo(contact *store.Contact, choice payments.RouteChoice) (catalogue.Route, error) {
	route, ok := s.catalogue.Route(string(choice))
	if !ok {
		return route, payments.Invalid(noRoute(choice))
	}
	if route.Destination.Rail != contact.PaymentRail || route.Destination.Currency != contact.Currency {
		return route, payments.Refuse(payments.KindRouteMismatch, "The route %s leads to %s:%s, the contact %s takes %s:%s.",
			route.RouteKey, route.Destination.Rail, route.Destination.Currency, contact.ID, contact.PaymentRail, contact.Currency)
	}
	return route, nil
}

// noRoute says what is wrong with the name of a route that there is not.
func noRoute(choice payments.RouteChoice) payments.FieldErrors {
	message := "The route field names no route that the service offers."
	if _, err := payments.ParseRouteKey(string(choice)); err != nil {
		message = "The route field " + err.Error() + "."
	}
	return payments.FieldErrors{"route": {message}}
}

// CheckNewAutoTransfer finds what is wrong with a new transfer beyond its schema.
func (s *Service) CheckNewAutoTransfer(request payments.NewAutoTransfer) payments.FieldErrors {
	if request.Route == "" {
		return nil // it could not be read
	}
	route, ok := s.catalogue.Route(string(request.Route))
	switch {
	case !ok:
		return noRoute(request.Route)
	case request.Amount == nil:
		return nil
	}
	if _, err := route.Quote(*request.Amount, request.AmountType); errors.Is(err, catalogue.ErrTooManyDecimals) {
		return tooFine()
	}
	return nil
}

// tooFine says that an amount has more decimals than its currency.
func tooFine() payments.FieldErrors {
	return payments.FieldErrors{"amount": {"The amount field has more decimals than the currency."}}
}

func (s *Service) newTransfer(w *work, request payments.NewAutoTransfer, contact *store.Contact, route catalogue.Route) (*store.Transfer, error) {
	id, err := newID(s, w, prefixTransfer, w.Transfers())
	if err != nil {
		return nil, err
	}
	// What is read together lies together: in a large world each place in memory that is apart has to be waited for.
	made := new(struct {
		payments.Transfer
		quote    catalogue.Quote
		expected time.Time
	})
	made.Transfer = payments.Transfer{
		ID: id, AccountID: contact.AccountID,
		Route: route.RouteKey, FlowType: route.FlowType, Provider: route.Provider,
		Source:                    side(route.Source),
		Destination:               side(route.Destination),
		DestinationSavedContactID: contact.ID,
		Amount:                    request.Amount,
		AmountType:                request.AmountType,
		Flexible:                  request.Amount == nil,
		ExchangeRate:              route.Terms.ExchangeRate,
		Fees:                      route.Terms.Fees,
		Reference:                 request.Reference,
		ExternalID:                request.ExternalID,
		BatchID:                   request.BatchID,
		Metadata:                  request.Metadata,
		CreatedAt:                 w.now,
	}
	if made.AmountType == "" {
		made.AmountType = payments.AmountTypeSource
	}
	if request.Amount != nil {
		if err := price(&made.Transfer, &made.quote, route, *request.Amount, made.AmountType); err != nil {
			return nil, err
		}
	}
	made.expected = w.settles(route)
	made.ExpectedSettlementAt = &made.expected
	return &store.Transfer{
		Transfer: &made.Transfer, State: payments.TransferStateAwaitingFunds, OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: w.now,
		Revision: 1, Plan: s.plan(contact),
	}, nil
}

// settles is when a transfer on a route is expected to settle whose funds arrive now.
func (w *work) settles(route catalogue.Route) time.Time {
	return w.after(time.Duration(route.Terms.EstimatedSettlementSeconds) * time.Second)
}

// plan is what happens to a new transfer to a contact. Most have the same plan, which they share.
func (s *Service) plan(contact *store.Contact) []store.TransferStep {
	if plan := s.script.Transfer(contact.NewSavedContact); !slices.Equal(plan, s.latest) {
		s.latest = plan
	}
	return s.latest
}

func side(e catalogue.Endpoint) payments.TransferSide {
	return payments.TransferSide{Currency: e.Currency, PaymentRail: e.Rail, Provider: e.Provider}
}

// price fills in what an amount costs and delivers, which the quote keeps.
func price(t *payments.Transfer, quote *catalogue.Quote, route catalogue.Route, amount payments.Decimal, on payments.AmountType) (err error) {
	*quote, err = route.Quote(amount, on)
	var outside *catalogue.BoundsError
	switch {
	case errors.Is(err, catalogue.ErrTooManyDecimals):
		return payments.Invalid(tooFine())
	case errors.As(err, &outside):
		return payments.Refuse(payments.KindLimitExceeded, "The amount %s %s is outside the bounds of the route %s: from %s to %s %s.",
			outside.Amount, outside.Currency, route.RouteKey, outside.Min, outside.Max, outside.Currency)
	case err != nil:
		return err
	}
	t.Source.Amount, t.Destination.Amount = &quote.Source, &quote.Destination
	t.ConvertedAmount, t.RoundingResidue = &quote.Converted, &quote.Residue
	t.ExchangeRate, t.Fees = quote.ExchangeRate, quote.Fees
	return nil
}

// GetTransfer implements payments.Transfers.
func (s *Service) GetTransfer(ctx context.Context, transferID string, since payments.Condition) (reading payments.Reading[payments.Transfer], err error) {
	once := poll{count: func() error { return s.pollTransfer(ctx, transferID) }}
	err = s.hold(ctx, transferID, since.Wait, func() (bool, error) {
		err := once.view(ctx, s, func(w *work) (bool, error) {
			transfer, err := get(w.Transfers(), "transfer", transferID)
			if err != nil {
				return false, err
			}
			reading, err = read(s, w, show(transfer), transfer.Revision, since)
			return len(transfer.Plan) > 0 && transfer.Plan[0].Polls > 0, err
		})
		return reading.NotModified, err
	})
	return reading, err
}

// ListTransfers implements payments.Transfers.
func (s *Service) ListTransfers(ctx context.Context, filter payments.TransferFilter) (list payments.TransferPage, err error) {
	err = s.view(ctx, func(w *work) error {
		rows, next, err := page(w.Transfers(), prefixTransfer, filter.PageQuery, map[string]string{
			store.ColumnAccount:    filter.AccountID,
			store.ColumnState:      string(filter.State),
			store.ColumnReference:  filter.Reference,
			store.ColumnExternalID: filter.ExternalID,
			store.ColumnBatch:      filter.BatchID,
		})
		list = payments.TransferPage{
			Data:       convert(rows, show),
			NextCursor: next,
		}
		return err
	})
	return list, err
}

// CancelTransfer implements payments.Transfers.
func (s *Service) CancelTransfer(ctx context.Context, transferID string, key payments.Idempotency) (payments.Written[payments.Transfer], error) {
	return s.writeTransfer(ctx, "cancelTransfer", key, func(w *work) (*store.Transfer, error) {
		record, err := get(w.Transfers(), "transfer", transferID)
		if err != nil {
			return nil, err
		}
		if err := s.permit(w, key.Precondition, record.Revision); err != nil {
			return nil, err
		}
		transfer := *record
		if !transfer.State.CanBecome(payments.TransferStateCanceled) {
			return nil, payments.Refuse(payments.KindInvalidState,
				"The transfer %s is %s; only one that awaits its funds can be canceled.", transfer.ID, transfer.State)
		}
		transfer.Plan = nil
		if err := s.enterTransfer(w, &transfer, payments.TransferStateCanceled, ""); err != nil {
			return nil, err
		}
		return &transfer, nil
	})
}

// saveTransfer keeps a transfer that has been told of, and plans its next transition.
func (s *Service) saveTransfer(w *work, transfer *store.Transfer) error {
	w.changed = append(w.changed, transfer.ID)
	if len(transfer.Plan) > 0 && transfer.Plan[0].Polls == 0 {
		job := store.Job{At: w.after(transfer.Plan[0].After), Kind: store.JobTransfer, Subject: transfer.ID, Revision: transfer.Revision}
		if err := w.Schedule(job); err != nil {
			return err
		}
	}
	return w.Transfers().Put(transfer)
}

// runTransfer makes the next planned transition happen, or, where that waits for a deposit, ends the wait.
func (s *Service) runTransfer(w *work, job store.Job) error {
	record, err := w.Transfers().Get(job.Subject)
	if err != nil || record.Revision != job.Revision || len(record.Plan) == 0 {
		return err
	}
	if record.Plan[0].ByDeposit {
		return s.expireTransfer(w, record)
	}
	return s.stepTransfer(w, record)
}

// expireTransfer ends a transfer whose funds did not come in time.
func (s *Service) expireTransfer(w *work, record *store.Transfer) error {
	transfer := *record
	transfer.Plan = nil
	if err := s.enterTransfer(w, &transfer, payments.TransferStateExpired, ""); err != nil {
		return err
	}
	return s.saveTransfer(w, &transfer)
}

// stepTransfer takes the first step of a transfer's plan.
func (s *Service) stepTransfer(w *work, record *store.Transfer) error {
	transfer := *record
	step := transfer.Plan[0]
	if transfer.Plan = transfer.Plan[1:]; len(transfer.Plan) == 0 {
		transfer.Plan = nil // lets go of the steps that were
	}
	switch step.State {
	case payments.TransferStateInReview, payments.TransferStateFundsReceived: // the deposit arrived, and is what is reviewed
		if !s.canReceive(&transfer) {
			transfer.Plan, step = nil, store.TransferStep{State: payments.TransferStateFailed, Reason: ReasonRouteUnavailable}
			break
		}
		if err := s.receive(&transfer); err != nil {
			return err
		}
		if step.Polls > 0 && transfer.State == payments.TransferStateAwaitingFunds {
			s.expect(w, &transfer)
		}
		if step.State == payments.TransferStateInReview {
			transfer.Deposit = transfer.Source.Amount
		}
	}
	if err := s.enterTransfer(w, &transfer, step.State, step.Reason); err != nil {
		return err
	}
	return s.saveTransfer(w, &transfer)
}

// canReceive says whether a deposit can be taken in: one that settles the amount needs the route's price.
func (s *Service) canReceive(t *store.Transfer) bool {
	if t.Source.Amount != nil {
		return true
	}
	_, known := s.catalogue.Route(t.Route)
	return known
}

// typicalDeposit arrives for a flexible transfer where the route allows it.
var typicalDeposit = payments.MustDecimal("100.00")

// receive takes in a deposit that arrives by itself: the amount that was asked for, or one that the route allows, by which the
// amount of a flexible transfer is settled.
func (s *Service) receive(t *store.Transfer) error {
	if t.Source.Amount != nil {
		return nil // that arrives
	}
	route, ok := s.catalogue.Route(t.Route)
	if !ok {
		return routeGone(t.Route)
	}
	arriving := typicalDeposit
	if arriving.Cmp(route.Terms.MinAmount) < 0 || arriving.Cmp(route.Terms.MaxAmount) > 0 {
		arriving = route.Terms.MinAmount
	}
	return reprice(t, route, arriving)
}

// reprice settles the amount of a transfer by what was deposited.
func reprice(t *store.Transfer, route catalogue.Route, amount payments.Decimal) error {
	priced := *t.Transfer
	if err := price(&priced, new(catalogue.Quote), route, amount, payments.AmountTypeSource); err != nil {
		return err
	}
	t.Transfer = &priced
	return nil
}

// enterTransfer puts a transfer that is about to be saved into a state, and tells of it.
func (s *Service) enterTransfer(w *work, t *store.Transfer, state payments.TransferState, reason string) error {
	from := t.State
	if !from.CanBecome(state) {
		return fmt.Errorf("a transfer cannot go from %s to %s", from, state)
	}
	if err := s.changeTransfer(w, t, state, reason); err != nil {
		return err
	}
	return w.tellTransfer(t, from)
}

// changeTransfer puts the transfer into a state, with what belongs to it.
func (s *Service) changeTransfer(w *work, t *store.Transfer, state payments.TransferState, reason string) error {
	funded := t.Deposit != nil || t.State != payments.TransferStateAwaitingFunds && t.State != payments.TransferStateInReview
	t.State, t.UpdatedAt, t.Polled = state, w.now, 0
	t.Revision++
	switch state {
	case payments.TransferStateFundsReceived:
		return s.addOnchain(w, t, "source", t.Source)
	case payments.TransferStatePaymentSubmitted:
		return s.addOnchain(w, t, "destination", t.Destination)
	case payments.TransferStateReturned:
		t.ReturnCode = &reason
		t.Refund = refund(t, reason)
	case payments.TransferStateUndeliverable, payments.TransferStateFailed:
		t.FailureReason = &reason
		if funded {
			t.Refund = refund(t, reason)
		}
	case payments.TransferStateRefunded:
		if t.Refund != nil {
			done := *t.Refund
			done.CompletedAt = new(w.now)
			t.Refund = &done
		}
		return s.addOnchain(w, t, "refund", t.Source)
	}
	return nil
}

// refund sends back what arrived.
func refund(t *store.Transfer, reason string) *payments.Refund {
	amount := t.Source.Amount
	if t.Deposit != nil {
		amount = t.Deposit
	}
	return &payments.Refund{Amount: *amount, Currency: t.Source.Currency, Reason: reason}
}

// addOnchain records the transaction of a leg that runs on a chain.
func (s *Service) addOnchain(w *work, t *store.Transfer, leg string, on payments.TransferSide) error {
	endpoint, ok := s.catalogue.Endpoint(on.PaymentRail, on.Currency)
	if !ok || endpoint.Kind != catalogue.KindChain {
		return nil
	}
	hash, err := s.ids.hash()
	if err != nil {
		return err
	}
	t.OnchainTransactions = append(slices.Clone(t.OnchainTransactions),
		payments.OnchainTransaction{Side: leg, PaymentRail: on.PaymentRail, Hash: hash, CreatedAt: w.now})
	return nil
}
