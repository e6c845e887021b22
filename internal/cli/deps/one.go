package deps

import (
	"context"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// ShowOne prints one thing that the service is asked for. How to print it is settled before the service is asked, so that
// a mistake in --jq never comes after a write.
func ShowOne[T any](ctx context.Context, d *Deps, ask func(payments.Service) (T, error), view func(T) term.Details) (T, error) {
	var value T
	printer, err := d.Printer(ctx)
	if err != nil {
		return value, err
	}
	service, err := d.Payments()
	if err != nil {
		return value, err
	}
	if value, err = ask(service); err != nil {
		return value, err
	}
	return value, Unprintable(printer.Print(value, func() term.View { return view(value) }), "what was asked for was done")
}
