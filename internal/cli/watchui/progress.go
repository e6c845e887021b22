package watchui

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/ui"
)

const (
	// quickLoad is how long loading takes at most without a word in the live view, which shows the number of rows anyway.
	quickLoad = 2 * time.Second
	// quickLines is the same for lines, and the time between the first two notices. It doubles each time, so that the log
	// of a service that is slow has few.
	quickLines = 5 * time.Second
)

// A progress tells how far the first statuses have been read, and how long the rest takes. The list of a service does
// not have its length, so that of --all only the pace is known.
type progress struct {
	out   *output
	total int // zero: unknown
	due   time.Duration
}

func newProgress(out *output, total int) *progress {
	p := &progress{out: out, total: total, due: quickLines}
	if out.view != nil {
		p.due = quickLoad
	}
	return p
}

// observe takes note of how many have been read. The engine does not call it concurrently.
func (p *progress) observe(read int) {
	took := p.out.deps.Now().Sub(p.out.began)
	if p.out.isLoaded || took < p.due || read == p.total {
		return
	}
	rest := p.rest(read, took)
	if p.out.view != nil {
		p.due = took + time.Second
		p.out.view.live.SetProgress("loading, " + rest)
		return
	}
	p.due = 2 * took
	of := ""
	if p.total > 0 {
		of = " of " + ui.Thousands(p.total)
	}
	p.out.note("Reading the %s: %s%s so far, %s.", p.out.kind.Nouns, ui.Thousands(read), of, rest)
}

// rest says how long it takes to read the rest, or else the pace.
func (p *progress) rest(read int, took time.Duration) string {
	switch perSecond := float64(read) / took.Seconds(); {
	case p.total > read && read > 0:
		left := time.Duration(float64(p.total-read) / perSecond * float64(time.Second))
		return "about " + ui.Age(left.Round(time.Second)) + " left"
	case perSecond < 1:
		return fmt.Sprintf("%.0f/min", perSecond*60)
	default:
		return ui.Thousands(int(perSecond)) + "/s"
	}
}
