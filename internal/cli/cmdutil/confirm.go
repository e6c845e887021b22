package cmdutil

import (
	"context"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// MustAsk reports whether a person has to confirm a change. A service on this machine, --yes and --curl, which sends
// nothing, need no confirmation. Without a terminal to ask at, the error is a usage error. Doing says what is about to
// happen.
func (d *Deps) MustAsk(doing string) (bool, error) {
	resolved, err := d.Settings()
	if err != nil || settings.IsLoopback(resolved.BaseURL) {
		return false, err
	}
	return d.MustAskAnywhere(doing)
}

// MustAskAnywhere is MustAsk for changes that have to be confirmed on this machine too.
func (d *Deps) MustAskAnywhere(doing string) (bool, error) {
	resolved, err := d.Settings()
	if err != nil || d.Options.Yes || d.Options.Curl {
		return false, err
	}
	if !d.InTTY || !d.ErrTTY {
		return false, Usage("%s at %s has to be confirmed, and there is no terminal to ask at", doing, resolved.Origin).
			WithNote("pass --yes to confirm it on the command line")
	}
	return true, nil
}

// Confirmed asks a question at the terminal; the error is ErrDeclined when the answer is not yes.
func (d *Deps) Confirmed(ctx context.Context, question string) error {
	yes, err := d.Confirm(ctx, question)
	if err == nil && !yes {
		err = ErrDeclined
	}
	return err
}

// ConfirmPayment asks a person whether a payment goes on that is held back, and returns why it does not. An amount
// above a limit has to be typed: --yes does not count.
func (d *Deps) ConfirmPayment(ctx context.Context, why *payments.ProblemError, amount string) error {
	isPayee, line := why.ProblemType() == payments.ProblemPayeeChanged, shell.Payctl("", d.Args...)
	switch {
	case d.InTTY && d.ErrTTY:
	case isPayee:
		line.Command = slices.Insert(line.Command, slices.Index(append(line.Command, "--"), "--"), "--accept-payee")
		why.Next = []shell.Hint{line.With("if it is meant")}
		return why
	default:
		why.Next = []shell.Hint{line.With("at a terminal, where the amount is typed")}
		return why
	}
	for detail := range strings.Lines(why.Detail) {
		d.Warnf("%s", strings.TrimSpace(detail))
	}
	if isPayee {
		return d.Confirmed(ctx, "Pay all the same?")
	}
	answer, err := d.Ask(ctx, "To pay "+amount+" all the same, type this amount:")
	typed, wrong := money.ParseDecimal(answer)
	if err == nil && (wrong != nil || !typed.Equal(money.MustDecimal(amount))) {
		err = ErrDeclined
	}
	return err
}
