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
	rest := strings.Join(headers, ",")
	for more := true; more; {
		var preference string
		preference, rest, more = cutUnquoted(rest, ',')
		preference, _, _ = cutUnquoted(preference, ';') // what follows are its parameters
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "wait") {
			continue
		}
		value = strings.TrimSpace(value)
		if len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		seconds, err := strconv.ParseUint(value, 10, 32)
		if err != nil {
			return 0
		}
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	return 0
}

// cutUnquoted is strings.Cut at a separator that stands in no quoted string (RFC 9110 section 5.6.4).
func cutUnquoted(text string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++ // what it escapes ends nothing
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// held says that an answer may have been held, before it is sent. Nothing is told to a token that works no longer by then.
func (c *call) held(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	if err := c.reauthorize(); err != nil {
		return err
	}
	c.w.Header().Set("Preference-Applied", "wait="+strconv.Itoa(int(wait/time.Second)))
	return nil
}

// replyReading answers a conditional read.
func replyReading[T any](c *call, reading payments.Reading[T], condition payments.Condition) error {
	if err := c.held(condition.Wait); err != nil {
		return err
	}
	header := c.w.Header()
	header.Set("ETag", reading.ETag)
	header["Cache-Control"] = noCache
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
