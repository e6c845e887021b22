package cmdutil

import (
	"fmt"
	"sync"
	"time"
)

// RedrawInterval is how often progress is drawn at most: often enough to look alive.
const RedrawInterval = 200 * time.Millisecond

// A Progress is a line on a terminal that overwrites itself. Without a terminal it draws nothing.
type Progress struct {
	Deps *Deps

	mu    sync.Mutex
	drawn time.Time
	shown bool
}

// Draw shows a text, cut to one line: a line that the terminal wraps could not be overwritten.
func (p *Progress) Draw(text func() string) {
	if !p.Deps.ErrTTY || p.Deps.Quiet {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.Deps.Now()
	if now.Sub(p.drawn) < RedrawInterval {
		return
	}
	p.drawn, p.shown = now, true
	_, _ = fmt.Fprint(p.Deps.Err, "\r\x1b[K"+p.Deps.Cut(text(), p.Deps.Width()-1)) // some terminals wrap a line that is full
}

// Interrupt removes the line while write prints other lines.
func (p *Progress) Interrupt(write func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		_, _ = fmt.Fprint(p.Deps.Err, "\r\x1b[K")
		p.shown = false
	}
	write()
}

// Clear removes the line.
func (p *Progress) Clear() { p.Interrupt(func() {}) }
