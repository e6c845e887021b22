package client

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Quota is what a service announces about its rate limit.
type Quota struct {
	Most   int // requests in a window, at least 1
	Window time.Duration
	Left   int // requests that are allowed at present
}

// mostQuota bounds the numbers of a quota: as many seconds are still a time.Duration.
const mostQuota = 1_000_000_000

// parseQuota reads the fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers), such as
// "default";q=100;w=60 and "default";r=50;t=30. It reads neither several policies nor another version of the draft, and
// then ok is false: such a limit is met when the service answers 429.
func parseQuota(header http.Header) (q Quota, ok bool) {
	policy, limit := header.Get("RateLimit-Policy"), header.Get("RateLimit")
	most, hasMost := parameter(policy, "q")
	window, hasWindow := parameter(policy, "w")
	left, hasLeft := parameter(limit, "r")
	if !hasMost || !hasWindow || !hasLeft || most < 1 || window < 1 || strings.Contains(policy+limit, ",") {
		return Quota{}, false
	}
	return Quota{Most: most, Window: time.Duration(window) * time.Second, Left: min(left, most)}, true
}

// parameter returns a parameter of an item that is a whole number (RFC 9651 section 3.3).
func parameter(item, name string) (value int, ok bool) {
	for part := range strings.SplitSeq(item, ";") {
		key, text, _ := strings.Cut(strings.TrimSpace(part), "=")
		if key != name {
			continue
		}
		value, err := strconv.Atoi(text)
		return value, err == nil && value >= 0 && value <= mostQuota
	}
	return 0, false
}
