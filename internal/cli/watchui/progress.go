package watchui

import (
	"time"

	"github.com/payctl/payctl/internal/ui"
)

// quickLoad is how long the first statuses are read at most without a word, and the time between the first two notices.
// It doubles each time where they are lines, so that the log of a service that is slow has few.
const quickLoad = 5 * time.Second

// A progress tells how far the first statuses have been read, and how long the rest takes. The list of a service does
// not have its length, so that of --all only the pace is known.
type progress struct {
	out   *output
	total int // zero: unknown
	due   time.Duration
}

// observe takes note of how many have been read. The engine does not call it concurrently.
func (p *progress) observe(read int) {
	took := p.out.deps.Now().Sub(p.out.began)
	if p.out.isLoaded || took < p.due || read == p.total {
		return
	}
	rest := ui.Thousands(int(float64(read)/took.Minutes())) + " a minute"
	if p.total > read {
		left := took * time.Duration(p.total-read) / time.Duration(read)
		rest = "about " + ui.Age(left.Round(time.Second)) + " left"
	}
	if p.out.view != nil {
		p.due = took + time.Second
		p.out.view.live.SetProgress("loading, " + rest)
		return
	}
	p.due = 2 * took
	p.out.note("Reading the %s: %s so far, %s.", p.out.kind.Nouns, ui.Thousands(read), rest)
}
