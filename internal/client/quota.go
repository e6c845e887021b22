package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// noteQuota passes on what a service announces about its rate limit in the fields RateLimit-Policy and RateLimit
// (draft-ietf-httpapi-ratelimit-headers), such as "default";q=100;w=60 and "default";r=50;t=30. It reads neither several
// policies nor another version of the draft: such a limit is met when the service answers 429.
func (c *Client) noteQuota(header http.Header) {
	policy, limit := header.Get("RateLimit-Policy"), header.Get("RateLimit")
	if c.config.Limited == nil || strings.Contains(policy+limit, ",") {
		return
	}
	most, window, left := parameter(policy, "q"), parameter(policy, "w"), parameter(limit, "r")
	if most > 0 && window > 0 && left >= 0 {
		c.config.Limited(most, time.Duration(window)*time.Second, min(left, most))
	}
}

// parameter returns a parameter of an item that is a whole number (RFC 9651 section 3.3), below what is still a
// time.Duration of seconds; -1 if there is none.
func parameter(item, name string) int {
	for part := range strings.SplitSeq(item, ";") {
		if text, is := strings.CutPrefix(strings.TrimSpace(part), name+"="); is {
			if value, err := strconv.ParseUint(text, 10, 30); err == nil {
				return int(value)
			}
		}
	}
	return -1
}
