package client

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/client/redact"
)

// maxLogged is how much of one body the log shows, in bytes: a page of transfers, which is more than a person reads.
const maxLogged = 4 << 10

// A wireLog writes what is sent and received, redacted. The nil wireLog writes nothing.
type wireLog struct {
	line         func(string)
	now          func() time.Time
	secrets      *redact.Secrets
	showPersonal bool

	requests atomic.Int64
	mu       sync.Mutex // the lines of one request or response are not interrupted by others
}

// A loggedRequest is a request in the log whose response is still to come.
type loggedRequest struct {
	log     *wireLog
	request *request
	number  int64
	began   time.Time
}

// request writes a request. The number in front of its lines is repeated in front of its response: calls run
// concurrently.
func (l *wireLog) request(r *request, httpRequest *http.Request) *loggedRequest {
	if l == nil {
		return nil
	}
	entry := &loggedRequest{log: l, request: r, number: l.requests.Add(1), began: l.now()}
	show := entry.redactor(nil)
	first := httpRequest.Method + " " + show.URL(httpRequest.URL.String())
	entry.write(">", first, show, httpRequest.Header, r.body)
	return entry
}

// ended writes the complete response, or the error if there is none.
func (e *loggedRequest) ended(response *Response, err error) {
	if e == nil {
		return
	}
	took := e.log.now().Sub(e.began).Round(time.Microsecond)
	if err != nil {
		show := e.redactor(nil)
		e.write("*", fmt.Sprintf("%s (%s)", show.Text(err.Error()), took), show, nil, nil)
		return
	}
	first := fmt.Sprintf("%d %s (%s)", response.Status, http.StatusText(response.Status), took)
	e.write("<", first, e.redactor(response.Body), response.Header, response.Body)
}

func (e *loggedRequest) redactor(responseBody []byte) redact.Redactor {
	show := e.log.secrets.With(e.request.secrets, e.request.body, responseBody)
	show.ShowPersonal = e.log.showPersonal
	return show
}

func (e *loggedRequest) write(arrow, first string, show redact.Redactor, header http.Header, body []byte) {
	prefix := fmt.Sprintf("%s %d ", arrow, e.number)
	lines := []string{first}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, http.CanonicalHeaderKey(name)+": "+show.HeaderField(name, value))
		}
	}
	if len(body) > 0 {
		text := show.Body(header.Get("Content-Type"), body)
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
