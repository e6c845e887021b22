package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// maxWait is the longest that an answer is held.
const maxWait = 60 * time.Second

// condition reads If-None-Match, and Prefer: wait, which holds only an answer that would be 304.
func (c *call) condition() payments.Condition {
	condition := payments.Condition{ETag: strings.Join(c.r.Header.Values("If-None-Match"), ",")}
	if condition.ETag != "" {
		condition.Wait = preferWait(c.r.Header.Values("Prefer"))
	}
	return condition
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
	header.Set("Cache-Control", "no-cache")
	if condition.Wait > 0 {
		header.Set("Preference-Applied", "wait="+strconv.Itoa(int(condition.Wait/time.Second)))
	}
	if reading.NotModified {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return c.reply(reading.Value)
}

// replyWritten answers a write.
func replyWritten[T any](c *call, written payments.Written[T], location string) error {
	if written.Replayed {
		c.w.Header().Set("Idempotency-Replayed", "true")
	}
	if location != "" {
		c.w.Header().Set("Location", location)
	}
	if written.Answer != nil {
		return c.sendEncoded(c.op.Success, written.Answer)
	}
	return c.reply(written.Value)
}
