package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/service"
)

// setPreconditions makes the operation check If-Match and, in a write, If-None-Match (RFC 9110 section 13.2.2).
func (x *exchange) setPreconditions() error {
	p := service.Preconditions{Match: x.r.Header["If-Match"]}
	if x.op.Method != http.MethodGet {
		p.NoneMatch = x.r.Header["If-None-Match"]
	}
	if p.Match != nil || p.NoneMatch != nil {
		x.ctx = service.WithPreconditions(x.ctx, p)
	}
	return nil
}

// readOptions reads If-None-Match, and Prefer: wait of operations that wait. The wait holds only a response that would
// be 304. Conditions by date are ignored: no resource has a date (RFC 9110 sections 13.1.3 and 13.1.4).
func (x *exchange) readOptions() service.ReadOptions {
	options := service.ReadOptions{ETag: strings.Join(x.r.Header["If-None-Match"], ",")}
	if options.ETag != "" && x.op.TakesPreferWait {
		options.Wait = x.beginWait()
	}
	return options
}

// beginWait returns how long the client wants to wait for a change. The wait ends early if the service stops.
func (x *exchange) beginWait() time.Duration {
	wait := preferWait(x.r.Header.Values("Prefer"))
	if wait > 0 {
		x.endWithService()
	}
	return wait
}

// finishWait prepares a response that may have been held. It fails if the token no longer works.
func (x *exchange) finishWait(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	if err := x.reauthorize(); err != nil {
		return err
	}
	x.w.Header().Set("Preference-Applied", "wait="+strconv.Itoa(int(wait/time.Second)))
	return nil
}

// replyRead answers a conditional read, unless there is an error.
func replyRead[T any](x *exchange, options service.ReadOptions, result service.State[T], err error) error {
	if err == nil {
		err = x.finishWait(options.Wait)
	}
	if err != nil {
		return err
	}
	header := x.w.Header()
	header.Set("ETag", result.ETag)
	header["Cache-Control"] = noCache
	if result.NotModified {
		x.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return x.reply(result.Value, nil)
}
