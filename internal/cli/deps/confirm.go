package deps

import (
	"context"
	"errors"

	"github.com/payctl/payctl/internal/config"
)

// ErrDeclined says that the person at the terminal answered no.
var ErrDeclined = errors.New("not confirmed: nothing was changed")

// MustAsk says whether a change has to be confirmed by a person: at a service that is not on this machine, unless --yes
// stands on the command line, or --curl, with which nothing is sent. Where nobody can be asked, the error is a UsageError. Doing says what is about to happen.
func (d *Deps) MustAsk(doing string) (bool, error) {
	settings, err := d.Settings()
	if err != nil || config.IsLoopback(settings.BaseURL) {
		return false, err
	}
	return d.MustAskAnywhere(doing)
}

// MustAskAnywhere is MustAsk for what has to be confirmed at a service on this machine too.
func (d *Deps) MustAskAnywhere(doing string) (bool, error) {
	settings, err := d.Settings()
	if err != nil || d.Options.Yes || d.Options.Curl {
		return false, err
	}
	if !d.InTTY || !d.ErrTTY {
		return false, &UsageError{
			Reason: doing + " at " + settings.Origin + " has to be confirmed, and there is no terminal to ask at",
			Hint:   "pass --yes to confirm it on the command line",
		}
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
