package client

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/payments"
)

// maxLogged is how much of one body the log shows, in bytes: about a page of transfers.
const maxLogged = 4 << 10

// A wireLog writes what is sent and received, masked. The nil wireLog writes nothing.
type wireLog struct {
	line   func(string)
	number func() int64 // of the next request
	mu     sync.Mutex   // keeps the lines of one request or response together
}

// logRequest writes a request, and returns a function that writes its response or error. Calls run concurrently, so all
// lines of a call begin with its number.
func (c *Client) logRequest(r *request, httpRequest *http.Request) (ended func(*payments.Response, error)) {
	if c.log == nil {
		return func(*payments.Response, error) {}
	}
	number, began, mask := c.log.number(), c.config.Now(), c.mask(r)
	write := func(arrow, first string, header http.Header, body string) {
		c.log.write(fmt.Sprintf("%s %d ", arrow, number), mask, first, header, body)
	}
	write(">", httpRequest.Method+" "+mask.URL(httpRequest.URL.String()), httpRequest.Header,
		mask.Show(r.body, redact.Resource))
	return func(response *payments.Response, err error) {
		took := c.config.Now().Sub(began).Round(time.Microsecond)
		if err != nil {
			write("*", fmt.Sprintf("%s (%s)", mask.Text(err.Error()), took), nil, "")
			return
		}
		first := fmt.Sprintf("%d %s (%s)", response.Status, http.StatusText(response.Status), took)
		header := response.Header
		if r.returnsToken { // a header may repeat the token, which is not in Secrets yet
			header = http.Header{"Content-Type": header["Content-Type"], "Date": header["Date"]}
		}
		write("<", first, header, mask.Show(response.Body, r.shows(response.Status)))
	}
}

func (l *wireLog) write(prefix string, mask redact.Mask, first string, header http.Header, body string) {
	lines := []string{first}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			lines = append(lines, http.CanonicalHeaderKey(name)+": "+mask.HeaderField(name, value))
		}
	}
	if len(body) > maxLogged {
		body = fmt.Sprintf("%s\n(%d of %d bytes)", strings.ToValidUTF8(body[:maxLogged], ""), maxLogged, len(body))
	}
	if body != "" {
		lines = append(lines, strings.Split(strings.TrimRight(body, "\r\n"), "\n")...)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range lines {
		l.line(prefix + strings.TrimRight(line, "\r"))
	}
}
