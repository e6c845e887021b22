package service

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// CreateAccount implements payments.Service. It starts the account's identity check.
func (s *Service) CreateAccount(
	ctx context.Context, request payments.NewAccount, key WriteKey,
) (Written[payments.Account], error) {
	return applyOnce(ctx, s, "createAccount", key, func(w *work) (payments.Account, error) {
		request, errors := request.Check(w.now)
		if len(errors) > 0 {
			return payments.Account{}, payments.NewValidationProblem(errors)
		}
		id, err := newID(s, w, prefixAccount, w.Accounts())
		if err != nil {
			return payments.Account{}, err
		}
		account := &store.Account{Account: request.Opened(id, payments.KYCStatusNotStarted, w.now)}
		s.startKYC(w, account, request.Complete() && !s.script.Incomplete(account.Account))
		return account.Account, s.saveKYC(w, nil, account)
	})
}

// GetAccount implements payments.Service. It does not wait for a change.
func (s *Service) GetAccount(
	ctx context.Context, accountID string, options ReadOptions,
) (State[payments.Account], error) {
	return view(ctx, s, func(w *work) (result State[payments.Account], err error) {
		record, err := get(w.Accounts(), "account", accountID)
		if err != nil {
			return result, err
		}
		return readResult(w, s.accountTag(w, record), options, func() payments.Account { return record.Account })
	})
}

// ListAccounts implements payments.Service.
func (s *Service) ListAccounts(ctx context.Context, filter payments.AccountFilter) (payments.AccountPage, error) {
	return view(ctx, s, func(w *work) (payments.AccountPage, error) {
		rows, next, err := page(w, w.Accounts(), prefixAccount, filter.PageQuery,
			selection[store.Account]{where: map[string][]string{
				store.ColumnKYCStatus:  texts(filter.KYCStatuses),
				store.ColumnEmail:      {strings.ToLower(filter.Email)},
				store.ColumnExternalID: {filter.ExternalID},
			}})
		show := func(a *store.Account) payments.Account { return a.Account }
		return payments.AccountPage{Data: convert(rows, show), NextCursor: next}, err
	})
}
