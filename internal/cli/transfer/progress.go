package transfer

import (
	"fmt"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// redrawInterval is how often progress is drawn at most: often enough to look alive.
const redrawInterval = 200 * time.Millisecond

// progress is a line on a terminal that overwrites itself. Without a terminal it draws nothing.
type progress struct {
	d *cmdutil.Deps

	mu    sync.Mutex
	drawn time.Time
	shown bool
}

// draw shows a text, cut to one line: a line that the terminal wraps could not be overwritten.
func (p *progress) draw(text func() string) {
	if !p.d.ErrTTY || p.d.Quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.d.Now()
	if now.Sub(p.drawn) < redrawInterval {
		return
	}
	p.drawn, p.shown = now, true
	_, _ = fmt.Fprint(p.d.Err, "\r\x1b[K"+p.d.Cut(text(), p.d.Width()-1)) // some terminals wrap a line that is full
}

// interrupt removes the line while write prints other lines.
func (p *progress) interrupt(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_, _ = fmt.Fprint(p.d.Err, "\r\x1b[K")
		p.shown = false
	}
	write()
}

// clear removes the line.
func (p *progress) clear() { p.interrupt(func() {}) }
