package client

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxLogged is how much of one body the log shows, in bytes.
const maxLogged = 4 << 10

// A log writes what is sent and received, redacted. The nil log writes nothing.
type log struct {
	mu   sync.Mutex
	line func(string)
	// personal says that personal data is shown.
	personal bool
	now      func() time.Time
	last     int
}

func newLog(line func(string), now func() time.Time) *log {
	if line == nil {
		return nil
	}
	return &log{line: line, now: now}
}

// withPersonal says whether the log shows personal data.
func (l *log) withPersonal(show bool) *log {
	if l != nil {
		l.personal = show
	}
	return l
}

// A logged is one request in the log, whose answer is still to come.
type logged struct {
	log     *log
	request *request
	number  int
	began   time.Time
}

// request writes a request. The number in front of it stands in front of its answer too: calls run side by side.
func (l *log) request(r *request, wire *http.Request) *logged {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	l.last++
	entry := &logged{log: l, request: r, number: l.last, began: l.now()}
	l.mu.Unlock()
	show := r.redactor(nil).with(l.personal)
	entry.write(">", fmt.Sprintf("%s %s", wire.Method, show.address(wire.URL.String())), show, wire.Header, r.body)
	return entry
}

// answered writes a complete answer.
func (e *logged) answered(answer *Response) {
	if e == nil {
		return
	}
	first := fmt.Sprintf("%d %s (%s)", answer.Status, http.StatusText(answer.Status), e.duration())
	e.write("<", first, e.request.redactor(answer.Body).with(e.log.personal), answer.Header, answer.Body)
}

// failed writes that there was no complete answer.
func (e *logged) failed(err error) {
	if e == nil {
		return
	}
	e.write("*", fmt.Sprintf("%s (%s)", e.request.scrub(err.Error()), e.duration()), redactor{}, nil, nil)
}

func (e *logged) duration() time.Duration { return e.log.now().Sub(e.began).Round(time.Microsecond) }

func (e *logged) write(arrow, first string, show redactor, header http.Header, body []byte) {
	prefix := fmt.Sprintf("%s %d ", arrow, e.number)
	lines := []string{first}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, http.CanonicalHeaderKey(name)+": "+show.field(name, value))
		}
	}
	if len(body) > 0 {
		text := show.body(header.Get("Content-Type"), body)
		if len(text) > maxLogged {
			text = fmt.Sprintf("%s\n(%d of %d bytes)", strings.ToValidUTF8(text[:maxLogged], ""), maxLogged, len(text))
		}
		lines = append(lines, strings.Split(strings.TrimRight(text, "\r\n"), "\n")...)
	}
	e.log.mu.Lock()
	defer e.log.mu.Unlock()
	for _, line := range lines {
		e.log.line(prefix + strings.TrimRight(line, "\r"))
	}
}

// field is a header field's value as it may be shown.
func (d redactor) field(name, value string) string {
	switch {
	case isSensitive(name):
		// The scheme tells Basic from Bearer.
		if scheme, _, found := strings.Cut(value, " "); found && strings.EqualFold(name, "Authorization") {
			return scheme + " " + redacted
		}
		return redacted
	case strings.EqualFold(name, "Location"):
		return d.address(value)
	}
	return d.text(value)
}
