package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// condition reads If-Match, If-None-Match, and Prefer: wait, which holds only an answer that would be 304. What goes by
// dates is ignored, as nothing has one (RFC 9110 sections 13.1.3 and 13.1.4).
func (c *call) condition() payments.Condition {
	p := c.precondition()
	condition := payments.Condition{ETag: p.NoneMatch, Match: p.Match}
	if condition.ETag != "" {
		condition.Wait = preferWait(c.r.Header.Values("Prefer"))
	}
	return condition
}

// precondition reads If-Match and If-None-Match.
func (c *call) precondition() payments.Precondition {
	return payments.Precondition{
		Match:     strings.Join(c.r.Header["If-Match"], ","),
		NoneMatch: strings.Join(c.r.Header["If-None-Match"], ","),
	}
}

// preferWait reads the wait preference (RFC 7240 section 4.3); the first one counts, one that cannot be read does not.
func preferWait(headers []string) time.Duration {
	for _, preference := range strings.Split(strings.Join(headers, ","), ",") {
		preference, _, _ = strings.Cut(preference, ";") // what follows are its parameters
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 32)
		if err != nil {
			return 0
		}
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	return 0
}

// replyReading answers a conditional read.
func replyReading[T any](c *call, reading payments.Reading[T], condition payments.Condition) error {
	header := c.w.Header()
	header.Set("ETag", reading.ETag)
	header["Cache-Control"] = noCache
	if condition.Wait > 0 {
		header.Set("Preference-Applied", "wait="+strconv.Itoa(int(condition.Wait/time.Second)))
	}
	if reading.NotModified {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return c.reply(reading.Value)
}

// replyWritten answers a write. Where its answer has not been encoded yet, encode does that: by a function, since a value as
// large as a transfer would be copied into an interface.
func replyWritten[T any](c *call, written *payments.Written[T], encode func([]byte) []byte, location string) error {
	if written.Replayed {
		c.w.Header().Set("Idempotency-Replayed", "true")
	}
	if location != "" {
		c.w.Header().Set("Location", location)
	}
	if written.Answer != nil {
		return c.sendEncoded(c.op.Success, written.Answer)
	}
	return c.sendMade(c.op.Success, func(b []byte) ([]byte, error) { return encode(b), nil })
}
