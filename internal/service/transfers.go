package service

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/routes"
	"github.com/payctl/payctl/internal/store"
)

// defaultAmountType is the side of an amount if the request does not name it.
const defaultAmountType = payments.AmountTypeSource

// CreateAutoTransfer implements payments.Service.
func (s *Service) CreateAutoTransfer(
	ctx context.Context, request payments.NewAutoTransfer, key WriteKey,
) (Written[payments.Transfer], error) {
	return findOrApplyOnce(ctx, s, "createAutoTransfer", key, func(w *work) (payments.Transfer, bool, error) {
		transfer, err := s.transferOfReference(w, request.Reference)
		if err == nil {
			return TransferResponse(transfer), true, checkSameRequest(transfer, request)
		}
		if errors.Is(err, store.ErrNotFound) {
			transfer, err = s.newAutoTransfer(w, request)
		}
		if err == nil {
			err = w.appendTransferEvent(transfer, "")
		}
		if err != nil {
			return payments.Transfer{}, false, err
		}
		return TransferResponse(transfer), false, s.saveTransfer(w, transfer)
	})
}

// transferOfReference returns the transfer with a reference. The error is store.ErrNotFound if the reference is free.
func (s *Service) transferOfReference(w *work, reference string) (*store.Transfer, error) {
	if reference == "" || s.duplicateReferences {
		return nil, store.ErrNotFound
	}
	return w.TransferByReference(reference)
}

// checkSameRequest returns a problem unless an equal request made the transfer with the reference.
func checkSameRequest(t *store.Transfer, request payments.NewAutoTransfer) error {
	var differ []string
	for _, member := range []struct {
		name string
		same bool
	}{
		{"destinationSavedContactId", t.DestinationSavedContactID == request.DestinationSavedContactID},
		{"route", t.Route == request.Route.RouteKey && request.Route.Contradicts(routeOf(t)) == nil},
		{"amount", equalAmounts(t.Amount, request.Amount)},
		{"amountType", t.AmountType == cmp.Or(request.AmountType, defaultAmountType)},
		{"externalId", t.ExternalID == request.ExternalID},
		{"batchId", t.BatchID == request.BatchID},
		{"metadata", maps.Equal(t.Metadata, request.Metadata)},
	} {
		if !member.same {
			differ = append(differ, member.name)
		}
	}
	if len(differ) == 0 {
		return nil
	}
	problem := payments.NewProblem(payments.ProblemReferenceInUse,
		"The reference %q belongs to the transfer %s, which differs in %s.",
		request.Reference, t.ID, strings.Join(differ, ", "))
	problem.TransferID = t.ID
	return problem
}

// routeOf returns the route of a transfer.
func routeOf(t *store.Transfer) payments.TransferRoute {
	return payments.TransferRoute{RouteKey: t.Route, FlowType: t.FlowType, Provider: t.Provider}
}

func equalAmounts(a, b *money.Decimal) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Equal(*b)
}

// newAutoTransfer checks a request against the contact, the route and the account, and makes the transfer.
func (s *Service) newAutoTransfer(w *work, request payments.NewAutoTransfer) (*store.Transfer, error) {
	contact, err := get(w.Contacts(), "saved contact", request.DestinationSavedContactID)
	if err != nil {
		return nil, err
	}
	route, fields := s.chosenRoute(request.Route)
	if fields != nil {
		maps.Copy(fields, s.CheckNewAutoTransfer(request)) // the amount may be wrong too
		return nil, payments.NewValidationProblem(fields)
	}
	if route.Destination.Rail != contact.PaymentRail || route.Destination.Currency != contact.Currency {
		return nil, payments.NewProblem(payments.ProblemRouteMismatch,
			"The route %s leads to %s, the contact %s takes %s:%s.",
			route.RouteKey, route.Destination, contact.ID, contact.PaymentRail, contact.Currency)
	}
	account, err := get(w.Accounts(), "account", contact.AccountID)
	if err != nil {
		return nil, err
	}
	if account.KYCStatus != payments.KYCStatusApproved {
		return nil, payments.NewProblem(payments.ProblemKYCRequired,
			"The identity check of account %s is %s; it has to be approved.", account.ID, account.KYCStatus)
	}
	return s.newTransfer(w, request, contact, route)
}

// newTransfer makes the transfer of a request that was checked.
func (s *Service) newTransfer(
	w *work, request payments.NewAutoTransfer, contact *store.Contact, route routes.Route,
) (*store.Transfer, error) {
	id, err := newID(s, w, prefixTransfer, w.Transfers())
	if err != nil {
		return nil, err
	}
	made := &payments.Transfer{
		ID: id, AccountID: contact.AccountID,
		Route: route.RouteKey, FlowType: route.FlowType, Provider: route.Provider,
		Source:                    transferSide(route.Source),
		Destination:               transferSide(route.Destination),
		DestinationSavedContactID: contact.ID,
		AmountType:                cmp.Or(request.AmountType, defaultAmountType),
		Flexible:                  request.Amount == nil,
		ExchangeRate:              route.Terms.ExchangeRate,
		Fees:                      route.Terms.Fees,
		Reference:                 request.Reference,
		ExternalID:                request.ExternalID,
		BatchID:                   request.BatchID,
		Metadata:                  request.Metadata,
		CreatedAt:                 w.now,
		ExpectedSettlementAt:      new(w.settlementOf(route)),
	}
	if request.Amount != nil {
		if err := price(made, route, *request.Amount, made.AmountType); err != nil {
			return nil, err
		}
		if made.Amount = made.Source.Amount; made.AmountType == payments.AmountTypeTarget {
			made.Amount = made.Destination.Amount
		}
	}
	return &store.Transfer{
		Transfer: made, State: payments.TransferStateAwaitingFunds,
		OnchainTransactions: []payments.OnchainTransaction{}, UpdatedAt: w.now, Revision: 1,
		Plan: s.script.Transfer(contact.NewSavedContact),
	}, nil
}

func transferSide(e routes.Endpoint) payments.TransferSide {
	return payments.TransferSide{Currency: e.Currency, PaymentRail: e.Rail, Provider: e.Provider}
}

// chosenRoute returns the route that a client chose, or field errors if the catalogue does not have it.
func (s *Service) chosenRoute(choice payments.RouteChoice) (routes.Route, payments.FieldErrors) {
	route, ok := s.catalogue.Route(choice.RouteKey)
	if ok {
		return route, choice.Contradicts(route.TransferRoute)
	}
	message := "The route field names no route that the service offers."
	if _, err := payments.ParseRouteKey(choice.RouteKey); err != nil {
		message = "The route field " + err.Error() + "."
	}
	return route, payments.FieldErrors{"route": {message}}
}

// CheckNewAutoTransfer returns the fields of a new transfer that are wrong beyond its schema.
func (s *Service) CheckNewAutoTransfer(request payments.NewAutoTransfer) payments.FieldErrors {
	if request.Route.RouteKey == "" {
		return nil // the schema reports it
	}
	route, fields := s.chosenRoute(request.Route)
	if route.RouteKey == "" || request.Amount == nil {
		return fields
	}
	if _, err := route.Quote(*request.Amount, request.AmountType); errors.Is(err, routes.ErrTooManyDecimals) {
		wrong := tooManyDecimals()
		maps.Copy(wrong, fields)
		return wrong
	}
	return fields
}

// GetTransfer implements payments.Service.
func (s *Service) GetTransfer(
	ctx context.Context, transferID string, options ReadOptions,
) (State[payments.Transfer], error) {
	return readState(ctx, s, transferID, options, s.readTransfer())
}

// ListTransfers implements payments.Service.
func (s *Service) ListTransfers(ctx context.Context, filter payments.TransferFilter) (payments.TransferPage, error) {
	return view(ctx, s, func(w *work) (payments.TransferPage, error) {
		chosen := selection[store.Transfer]{where: map[string][]string{
			store.ColumnAccount:    {filter.AccountID},
			store.ColumnState:      texts(filter.States),
			store.ColumnReference:  {filter.Reference},
			store.ColumnExternalID: {filter.ExternalID},
			store.ColumnBatch:      {filter.BatchID},
		}}
		if filter.ContactID != "" || filter.Route != "" {
			chosen.matches = func(t *store.Transfer) bool { return filter.Matches(t.Whole()) }
		}
		if filter.ContactID != "" && filter.AccountID == "" {
			// All transfers to a contact belong to its account, which has an index. A deleted contact is not found.
			contact, err := w.Contacts().Get(filter.ContactID)
			if err == nil {
				chosen.where[store.ColumnAccount] = []string{contact.AccountID}
			} else if !errors.Is(err, store.ErrNotFound) {
				return payments.TransferPage{}, err
			}
		}
		rows, next, err := page(w, w.Transfers(), prefixTransfer, filter.PageQuery, chosen)
		return payments.TransferPage{Data: convert(rows, TransferResponse), NextCursor: next}, err
	})
}

// CancelTransfer implements payments.Service.
func (s *Service) CancelTransfer(
	ctx context.Context, transferID string, key WriteKey,
) (Written[payments.Transfer], error) {
	return applyOnce(ctx, s, "cancelTransfer", key, func(w *work) (payments.Transfer, error) {
		return s.changeTransfer(w, transferID, func(t *store.Transfer) error {
			if !t.State.CanBecome(payments.TransferStateCanceled) {
				return payments.NewProblem(payments.ProblemInvalidState,
					"The transfer %s is %s; only one that awaits its funds can be canceled.", t.ID, t.State)
			}
			t.Plan = nil
			return s.moveTransfer(w, t, payments.TransferStateCanceled, "")
		})
	})
}

// changeTransfer changes a copy of a transfer's record, if the preconditions hold. It returns the transfer as its
// client sees it. Change saves it.
func (s *Service) changeTransfer(
	w *work, id string, change func(*store.Transfer) error,
) (response payments.Transfer, err error) {
	record, err := get(w.Transfers(), "transfer", id)
	if err != nil {
		return response, err
	}
	if err := w.require(s.entityTag(w, record.Revision)); err != nil {
		return response, err
	}
	transfer := *record
	if err := change(&transfer); err != nil {
		return response, err
	}
	return TransferResponse(&transfer), nil
}

// expectedSettlement returns when a transfer is expected to settle, or nil if it failed.
func expectedSettlement(t *store.Transfer) *time.Time {
	if t.State.Failed() {
		return nil
	}
	return t.ExpectedSettlementAt
}

// TransferResponse returns a transfer as its client sees it.
func TransferResponse(t *store.Transfer) payments.Transfer {
	transfer := t.Whole()
	transfer.ExpectedSettlementAt = expectedSettlement(t)
	transfer.DepositInstructions = depositInstructions(&transfer)
	return transfer
}
