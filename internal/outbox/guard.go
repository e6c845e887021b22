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
	if !w.isTransfer() || w.hasPayee || w.Intent.Payee.ID == "" {
		return nil
	}
	read, err := o.GetSavedContact(ctx, w.Intent.Payee.ID)
	switch {
	case IsNoList(err) || isGone(err):
		return nil
	case err != nil:
		return err
	}
	w.SetPayee(PayeeOf(cmp.Or(w.Intent.Payee.Name, w.Intent.Payee.ID), read.Value))
	return nil
}

// holdBack is the outcome of a payment that the journal refuses, unless the service shows it. Allowed reports that a
// person lets it through. Earlier is the attempt that it repeats. Nil means there was none.
func (o *Outbox) holdBack(
	ctx context.Context, w *Write, why *payments.ProblemError, earlier *journal.Entry,
) (outcome effect.Outcome, allowed bool) {
	if w.isFindable() && o.ListLag != ListsAreUseless {
		if found, err := o.find(ctx, w); err == nil && found.IsDone() {
			o.record(w.Intent, found.Outcome)
			return found.Outcome, false
		}
	}
	kind := why.Kind()
	outcome = effect.Outcome{Verdict: effect.NotSent, Err: why}
	if o.Confirm != nil && w.Intent.File == "" && kind != payments.KindHeldBack {
		outcome.Err = o.Confirm(ctx, why, w.Intent.Amount)
	}
	if earlier != nil || w.isOpen {
		outcome.Verdict = effect.Unknown
	}
	w.Intent.IsConfirmed = w.Intent.IsConfirmed || kind == payments.KindAboveLimit
	w.Intent.AcceptsPayee = w.Intent.AcceptsPayee || kind == payments.KindPayeeChanged
	return outcome, outcome.Err == nil
}

// Similar returns the name of another payment that is like a write, or "".
func (o *Outbox) Similar(ctx context.Context, w *Write) string {
	amount, err := money.ParseDecimal(w.Intent.Amount)
	if err != nil || o.DryRun {
		return ""
	}
	known, _ := o.Journal.Alike(ctx, w.Intent.Payee.ID, w.Intent.Amount) // a journal that cannot be read tells nothing
	return known.Add(w.Intent.Payee.ID, w.Intent.Currency, amount, w.Intent.Name())
}
