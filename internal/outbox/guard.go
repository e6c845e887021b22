package outbox

import (
	"cmp"
	"context"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// readPayee reads the contact of a payment, if only its id is known. A service need not show it.
func (o *Outbox) readPayee(ctx context.Context, w *Write) error {
	if !w.isTransfer() || w.hasPayee || w.Pending.Payee.ID == "" {
		return nil
	}
	read, err := o.GetSavedContact(ctx, w.Pending.Payee.ID)
	switch {
	case IsNoList(err) || isGone(err):
		return nil
	case err != nil:
		return err
	}
	w.SetPayee(PayeeOf(cmp.Or(w.Pending.Payee.Name, w.Pending.Payee.ID), read.Value))
	return nil
}

// holdBack is the outcome of a payment that the journal refuses, unless the service shows it. Allowed reports that a
// person lets it through. Earlier is the attempt that it repeats. Nil means there was none.
func (o *Outbox) holdBack(
	ctx context.Context, w *Write, why *payments.ProblemError, earlier *journal.Entry,
) (result effect.Result, allowed bool) {
	if w.isFindable() && o.ListLag != ListsAreUseless {
		if found, err := o.find(ctx, w); err == nil && found.IsDone() {
			o.record(w.Pending, found.Result)
			return found.Result, false
		}
	}
	kind := why.ProblemType()
	result = effect.Result{Outcome: effect.NotSent, Err: why}
	if o.Confirm != nil && w.Pending.File == "" && kind != payments.ProblemHeldBack {
		result.Err = o.Confirm(ctx, why, w.Pending.Amount)
	}
	if earlier != nil || w.mode == journal.Anew {
		result.Outcome = effect.Unknown
	}
	w.Pending.IsConfirmed = w.Pending.IsConfirmed || kind == payments.ProblemAboveLimit
	w.Pending.AcceptsPayee = w.Pending.AcceptsPayee || kind == payments.ProblemPayeeChanged
	return result, result.Err == nil
}

// Similar returns the name of another payment that is like a write, or "".
func (o *Outbox) Similar(ctx context.Context, w *Write) string {
	amount, err := money.ParseDecimal(w.Pending.Amount)
	if err != nil || o.DryRun {
		return ""
	}
	known, _ := o.Journal.Alike(ctx, w.Pending.Payee.ID, w.Pending.Amount) // a journal that cannot be read tells nothing
	return known.Add(w.Pending.Payee.ID, w.Pending.Currency, amount, w.Pending.Name())
}
