package cmdutil

import (
	"context"
	"errors"
	"os"

	"github.com/payctl/payctl/internal/ui/live"
)

// Choose asks for one of several options and returns its index. A terminal that can move its cursor shows a list
// through which keys move, and which typing filters. Any other terminal shows a list with numbers. Errors:
// ErrNothingChosen, and those of ui.Streams.Choose.
func (d *Deps) Choose(ctx context.Context, label string, options []string) (int, error) {
	if !d.CanRedraw() || !d.InTTY || !d.ErrTTY || len(options) == 0 {
		return d.Streams.Choose(ctx, label, options)
	}
	chosen, err := live.Pick(ctx, live.Picker{
		Streams: d.Streams, Keys: d.In, Title: label, Options: options, Environ: os.Environ(),
	})
	if errors.Is(err, live.ErrCancelled) {
		err = ErrNothingChosen
	}
	return chosen, err
}
