package invocation

import (
	"context"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/settings"
)

// MustAsk reports whether a person has to confirm a change: one at a service that is not on this machine, without
// --yes, and without --curl, which sends nothing. Where there is no terminal to ask at, the error is a usage error.
// Doing says what is about to happen.
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
		return false, exit.Usage("%s at %s has to be confirmed, and there is no terminal to ask at", doing, resolved.Origin).
			WithNote("pass --yes to confirm it on the command line")
	}
	return true, nil
}

// Confirmed asks a question at the terminal; the error is ErrDeclined when the answer is not yes.
func (d *Deps) Confirmed(ctx context.Context, question string) error {
	yes, err := d.Confirm(ctx, question)
	if err == nil && !yes {
		err = exit.ErrDeclined
	}
	return err
}
