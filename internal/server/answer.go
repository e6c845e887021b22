package server

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// reply sends a value as the operation's success.
func (c *call) reply(value any) error { return c.send(c.op.Success, value) }

func (c *call) send(status int, value any) error {
	return c.sendMade(status, func(b []byte) ([]byte, error) { return payments.AppendEncoded(b, value) })
}

// sendMade sends what encode adds to the room that it gets.
func (c *call) sendMade(status int, encode func(b []byte) ([]byte, error)) error {
	room := rooms.Get().(*room)
	defer rooms.Put(room)
	body, err := encode(room.bytes[:0])
	if err != nil {
		return err
	}
	if cap(body) <= maxKept {
		room.bytes = body // which may have become larger
	}
	return c.sendEncoded(status, body)
}

func (c *call) sendEncoded(status int, body []byte) error {
	c.w.Header()["Content-Type"] = jsonHeader
	return write(c.w, status, body)
}

// A room is where an answer is made, which is sent whole. It is used again.
type room struct{ bytes []byte }

var rooms = sync.Pool{New: func() any { return new(room) }}

// maxKept is the size of the largest answer whose room is kept; larger ones are rare.
const maxKept = 64 << 10

// Headers that many answers have. What a client may see is nobody else's to keep (RFC 9111 section 5.2.2.5), but for a
// state with an entity tag, which may be kept and asked for again (section 5.2.2.4).
var (
	jsonHeader = []string{mediaJSON}
	noStore    = []string{"no-store"}
	noCache    = []string{"no-cache"}
)

func write(w http.ResponseWriter, status int, body []byte) error {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	_, err := w.Write(body)
	if err != nil {
		return errGone
	}
	return nil
}

// errGone says that the client went away while it was answered: there is nobody to tell.
var errGone = errors.New("server: the client is gone")

// fail answers with a problem document.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	s.failAs(w, r, err, s.nameRequest(r))
}

// headerRequestID names the request in every answer; a problem document repeats it. headerWorld names the life of the world
// that an authenticated answer is of.
const (
	headerRequestID = "X-Request-Id"
	headerWorld     = "Payctl-World"
)

// nameRequest names a request that belongs to no world.
func (s *server) nameRequest(r *http.Request) string {
	return s.NewRequestID(r.Method + " " + r.URL.RequestURI())
}

// failAs is fail for a request that has a name.
func (s *server) failAs(w http.ResponseWriter, r *http.Request, err error, requestID string) {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	_, asked := errors.AsType[*injectedRefusal](err)
	switch {
	case ok && refusal.Problem.Kind() == payments.KindUnavailable && !asked:
		// The client is told nothing of the cause; whoever runs the service is.
		s.Log.ErrorContext(r.Context(), "unavailable", "method", r.Method, "path", loggable(r.URL.Path), "error", err)
	case ok:
	case errors.Is(err, errGone):
		return
	case errors.Is(err, context.Canceled) && r.Context().Err() != nil:
		if errors.Is(context.Cause(r.Context()), context.Canceled) {
			// net/http gives no cause: the client is gone. Whether there was an effect is not known, so no answer may say.
			panic(http.ErrAbortHandler)
		}
		refusal = payments.Refuse(payments.KindUnavailable, "The service is stopping.")
		refusal.RetryAfter = time.Second
	default:
		s.Log.ErrorContext(r.Context(), "internal error", "method", r.Method, "path", loggable(r.URL.Path), "error", err)
		refusal = payments.Refuse(payments.KindInternal, "The service failed.")
	}
	problem := refusal.Problem
	if problem.Type != blank {
		problem.Type = baseURL(r) + "/problems/" + string(problem.Kind())
	}
	problem.Instance = r.URL.EscapedPath()
	problem.RequestID = requestID
	s.audit(r).failed(&problem)
	body, err := payments.Encode(problem)
	if err != nil {
		s.Log.ErrorContext(r.Context(), "problem cannot be encoded", "error", err)
		return
	}
	header := w.Header()
	header.Set("Content-Type", mediaProblem)
	header.Set(headerRequestID, requestID)
	header["Cache-Control"] = noStore
	if refusal.Challenge != "" {
		header.Set("WWW-Authenticate", refusal.Challenge)
	}
	if len(refusal.Allow) > 0 {
		setAllow(header, refusal.Allow)
	}
	if refusal.RetryAfter > 0 {
		header.Set("Retry-After", strconv.Itoa(int((refusal.RetryAfter+time.Second-1)/time.Second)))
	}
	_ = write(w, problem.Status, body) // nobody is there any more to tell
}

func setAllow(header http.Header, methods []string) { header.Set("Allow", strings.Join(methods, ", ")) }

// baseURL is where the client reached this service; empty when it did not say (HTTP/1.0).
func baseURL(r *http.Request) string {
	if r.Host == "" {
		return ""
	}
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + r.Host
}
