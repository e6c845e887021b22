package service

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// CreateAccount implements payments.Accounts. It starts the account's identity check.
func (s *Service) CreateAccount(ctx context.Context, request payments.NewAccount, key payments.Idempotency) (payments.Written[payments.Account], error) {
	return write(ctx, s, "createAccount", key, func(w *work) (payments.Account, error) {
		if errors := request.Check(w.now); len(errors) > 0 {
			return payments.Account{}, payments.Invalid(errors)
		}
		id, err := newID(s, w, prefixAccount, w.Accounts())
		if err != nil {
			return payments.Account{}, err
		}
		account := &store.Account{Account: request.Opened(id, payments.KYCStatusNotStarted, w.now)}
		s.startKYC(w, account, request.Complete() && !s.script.Incomplete(account.Account))
		return account.Account, s.saveKYC(w, account)
	})
}

// GetAccount implements payments.Accounts.
func (s *Service) GetAccount(ctx context.Context, accountID string) (account payments.Account, err error) {
	err = s.view(ctx, func(w *work) error {
		record, err := get(w.Accounts(), "account", accountID)
		if err == nil {
			account = record.Account
		}
		return err
	})
	return account, err
}

// ListAccounts implements payments.Accounts.
func (s *Service) ListAccounts(ctx context.Context, filter payments.AccountFilter) (list payments.AccountPage, err error) {
	err = s.view(ctx, func(w *work) error {
		rows, next, err := page(w.Accounts(), prefixAccount, filter.PageQuery, map[string]string{
			store.ColumnKYCStatus:  string(filter.KYCStatus),
			store.ColumnEmail:      strings.ToLower(filter.Email),
			store.ColumnExternalID: filter.ExternalID,
		})
		list = payments.AccountPage{
			Data:       convert(rows, func(a *store.Account) payments.Account { return a.Account }),
			NextCursor: next,
		}
		return err
	})
	return list, err
}
