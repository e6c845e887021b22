package doctor

import (
	"sync"

	"github.com/payctl/payctl/internal/client"
)

// A record keeps the lines of a log until all that is to be kept out of them is known: a service may repeat a credential
// that another check has still to find.
type record struct {
	mu    sync.Mutex
	lines []string
	ended bool
}

// add keeps a line. What comes after the end is of a check that nobody waited for, and is dropped.
func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended {
		r.lines = append(r.lines, line)
	}
}

// end tells the lines.
func (r *record) end(tell func(line string), secrets *client.Secrets) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for _, line := range r.lines {
		tell(secrets.Redact(line))
	}
}
