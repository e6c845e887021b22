package server

import (
	"mime"
	"strconv"
	"strings"
)

const (
	mediaJSON    = "application/json"
	mediaProblem = "application/problem+json"
	mediaYAML    = "application/yaml"
	mediaForm    = "application/x-www-form-urlencoded"

	mediaEventStream = "text/event-stream"
)

// quality is how much an Accept header wants a media type, from 0, not at all, to 1: the most specific range that matches
// it decides (RFC 9110 section 12.5.1). An Accept header of nothing but what cannot be read wants everything alike.
func quality(accept, form string) float64 {
	best, quality, readable := -1, 0.0, false
	kind, _, _ := strings.Cut(form, "/")
	for _, part := range strings.Split(accept, ",") {
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		readable = true
		specificity := -1
		switch media {
		case form:
			specificity = 2
		case kind + "/*":
			specificity = 1
		case "*/*":
			specificity = 0
		}
		if specificity > best {
			best, quality = specificity, 1
			if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil && q >= 0 && q <= 1 { // NaN is neither
				quality = q
			}
		}
	}
	if !readable {
		return 1
	}
	return quality
}
