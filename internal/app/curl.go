package app

import (
	"context"
	"sync"

	"github.com/payctl/payctl/internal/client"
)

// showFirstCall makes --curl print the first call of the command that runs in the returned context, and ends the
// command: its next call would need a response. From then on it drops the output of the command, which would report a
// failed call. After the command has ended, shown reports whether a call was printed, and the error of printing it.
func showFirstCall(
	ctx context.Context, p *program, streams ...*recorder,
) (_ context.Context, shown func() (bool, error)) {
	ctx, stop := context.WithCancelCause(ctx)
	var (
		first    sync.Once
		done     bool
		printing error
	)
	mute := func(muted bool) {
		for _, stream := range streams {
			stream.muted.Store(muted)
		}
	}
	p.showCall = func(line string) error {
		first.Do(func() {
			printing, done = p.PrintCurl(line), true
			mute(true)
			stop(client.ErrNotSent)
		})
		return client.ErrNotSent
	}
	return ctx, func() (bool, error) {
		first.Do(func() {}) // waits for a call that is being printed
		mute(false)
		return done, printing
	}
}
