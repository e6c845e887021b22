package watchui

import (
	"context"
	"errors"
	"os"
	"runtime/debug"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Screen is a live view that a command shows in place of lines.
type Screen struct {
	*live.View
	release func() error // the keyboard
}

// NewScreen returns nil where lines are printed: at a terminal that cannot be redrawn, for -v, which prints a log, and
// without a keyboard to close the view with. Streams, keyboard, clock and environment of the configuration need not be
// set.
func NewScreen(d *cmdutil.Deps, config live.Config) *Screen {
	if !d.CanRedraw() || d.Options.Verbose {
		return nil
	}
	keys, release, err := live.Keyboard(d.Streams)
	if err != nil {
		return nil
	}
	d.WarnOfZone()
	config.Streams, config.Keys, config.Environ = d.Streams, keys, os.Environ()
	config.Now, config.ServiceNow = d.Now, d.ServiceNow
	return &Screen{View: live.New(config), release: release}
}

// gcPercent lets the heap of a live view grow to one and a half times what is in use before garbage is collected. Most
// of it is rows that stay; with Go's default of 100, a view of 100,000 rows takes a third more memory, and its
// collections are few.
const gcPercent = 50

// Run shows the view while work runs. It reports whether the user has closed the view with q, which is no error.
func (s *Screen) Run(ctx context.Context, work func(context.Context) error) (quit bool, err error) {
	if os.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	}
	err = s.View.Run(ctx, work)
	if errors.Is(err, live.ErrQuit) {
		return true, nil
	}
	return false, err
}

// Close gives the keyboard back.
func (s *Screen) Close() { _ = s.release() } // nothing is read from it any more

// Trouble shows what the service does in place of answering.
func (s *Screen) Trouble(err error) { s.SetTrouble(payments.Sentence(troubleText(err))) }

// troubleText is a clause about what the service does in place of answering.
func troubleText(err error) string {
	what, why := cmdutil.Trouble(err)
	return "the service " + what + ": " + why
}

// Recovered shows that the service answers again.
func (s *Screen) Recovered() { s.SetTrouble("") }
