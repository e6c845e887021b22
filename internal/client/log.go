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
	line    func(string)
	now     func() time.Time
	secrets *redact.Secrets

	requests atomic.Int64
	mu       sync.Mutex // the lines of one request or response are not interrupted by others
}

// request writes a request, and returns the function that writes its complete response, or the error if there is none. The
// number in front of the lines of a request is repeated in front of its response: calls run concurrently.
func (l *wireLog) request(r *request, httpRequest *http.Request) (ended func(*Response, error)) {
	if l == nil {
		return func(*Response, error) {}
	}
	number, began := l.requests.Add(1), l.now()
	write := func(arrow, first string, header http.Header, body, responseBody []byte) {
		l.write(fmt.Sprintf("%s %d ", arrow, number), l.secrets.With(r.secrets, r.body, responseBody), first, header, body)
	}
	write(">", httpRequest.Method+" "+httpRequest.URL.String(), httpRequest.Header, r.body, nil)
	return func(response *Response, err error) {
		took := l.now().Sub(began).Round(time.Microsecond)
		if err != nil {
			write("*", fmt.Sprintf("%s (%s)", err, took), nil, nil, nil)
			return
		}
		first := fmt.Sprintf("%d %s (%s)", response.Status, http.StatusText(response.Status), took)
		write("<", first, response.Header, response.Body, response.Body)
	}
}

func (l *wireLog) write(prefix string, show redact.Redactor, first string, header http.Header, body []byte) {
	lines := []string{show.URL(first)}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, http.CanonicalHeaderKey(name)+": "+show.HeaderField(name, value))
		}
	}
	if len(body) > 0 {
		text := show.Body(body)
		if len(text) > maxLogged {
			text = fmt.Sprintf("%s\n(%d of %d bytes)", strings.ToValidUTF8(text[:maxLogged], ""), maxLogged, len(text))
		}
		lines = append(lines, strings.Split(strings.TrimRight(text, "\r\n"), "\n")...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range lines {
		l.line(prefix + strings.TrimRight(line, "\r"))
	}
}
