package app

import (
	"context"
	"sync"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/client"
)

// A callShower prints the first call of a command for --curl and ends the command there: what a command asks next depends
// on an answer that never comes.
type callShower struct {
	deps    *deps.Deps
	stop    context.CancelCauseFunc
	streams []*recorder

	mu       sync.Mutex
	done     bool
	printing error
}

// firstCall lets --curl print the first call of the command that runs in the context returned.
func firstCall(ctx context.Context, d *deps.Deps, streams ...*recorder) (context.Context, *callShower) {
	ctx, stop := context.WithCancelCause(ctx)
	s := &callShower{deps: d, stop: stop, streams: streams}
	d.ShowCall = s.show
	return ctx, s
}

// show prints a command line, unless one was. From then on the command is to be quiet: it takes the call for one that
// failed, and whatever it says of that is no concern of whoever asked for the line.
func (s *callShower) show(line string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done {
		return client.ErrNotSent
	}
	s.printing = s.deps.PrintCurl(line)
	s.done = true
	s.mute(true)
	s.stop(client.ErrNotSent)
	return client.ErrNotSent
}

func (s *callShower) mute(muted bool) {
	for _, stream := range s.streams {
		stream.muted.Store(muted)
	}
}

// shown says whether a call was shown, and how printing it went. The command has to have ended.
func (s *callShower) shown() (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mute(false)
	return s.done, s.printing
}
