package server

import (
	"cmp"
	"errors"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

const (
	mediaJSON        = "application/json"
	mediaProblem     = "application/problem+json"
	mediaYAML        = "application/yaml"
	mediaForm        = "application/x-www-form-urlencoded"
	mediaEventStream = "text/event-stream"
)

// negotiate chooses the media type of the response. It refuses the request if its Accept header excludes all types of
// the operation (RFC 9110 section 12.5.1). A response without a body has no type. Problem documents are sent in any
// case (section 15.5.7). A 304 without a body needs no exception: a precondition counts only if the request would
// succeed (section 13.2.1).
func (x *exchange) negotiate() error {
	accepts, content := x.r.Header.Values("Accept"), x.op.ResponseFor(x.op.Success).Content
	if len(accepts) == 0 || len(content) == 0 {
		return nil
	}
	offered := make([]string, 0, 2) // the usual one or two types allocate nothing
	for _, media := range content {
		essence, _, _ := strings.Cut(media.Type, ";")
		offered = append(offered, essence)
	}
	accept, best := strings.Join(accepts, ","), 0.0
	for _, media := range offered {
		if q := quality(accept, media); q > best {
			best, x.media = q, media
		}
	}
	if best == 0 {
		return payments.NewProblem(payments.ProblemNotAcceptable,
			"The response exists as %s only.", strings.Join(offered, " and "))
	}
	return nil
}

// quality is the weight that an Accept header gives to a media type, from 0, not acceptable, to 1. The most specific
// matching range decides (RFC 9110 section 12.5.1). An unreadable Accept header accepts everything.
func quality(accept, media string) float64 {
	best, quality, readable := -1, 0.0, false
	kind, _, _ := strings.Cut(media, "/")
	for part := range strings.SplitSeq(accept, ",") {
		mediaRange, parameters, err := mime.ParseMediaType(part)
		if err != nil || !strings.Contains(mediaRange, "/") {
			continue
		}
		q, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64) // section 12.4.2
		if err != nil || !(0 <= q && q <= 1) {
			continue
		}
		readable = true
		if specificity := slices.Index([]string{"*/*", kind + "/*", media}, mediaRange); specificity > best {
			best, quality = specificity, q
		}
	}
	if !readable {
		return 1
	}
	return quality
}

// maxWait is how long a response may be held. The contract has the same bound.
const maxWait = 60 * time.Second

// preferWait reads the wait preference (RFC 7240 section 4.3). The first one counts. Zero means none, or an unreadable
// one.
func preferWait(headers []string) time.Duration {
	for preference := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		preference, _, _ = strings.Cut(preference, ";") // parameters follow
		name, value, _ := strings.Cut(preference, "=")
		if strings.EqualFold(strings.TrimSpace(name), "wait") {
			seconds, err := strconv.ParseUint(strings.Trim(value, " \t\""), 10, 32)
			if err != nil && !errors.Is(err, strconv.ErrRange) { // seconds is the largest if out of range
				return 0
			}
			return min(time.Duration(seconds)*time.Second, maxWait)
		}
	}
	return 0
}
