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
	for more := true; more; {
		var part string
		part, accept, more = cutUnquoted(accept, ',')
		media, parameters, err := mime.ParseMediaType(part)
		if err != nil {
			continue
		}
		q, valid := weight(parameters)
		if !valid {
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
			best, quality = specificity, q
		}
	}
	if !readable {
		return 1
	}
	return quality
}

// weight is the weight of a media range, which is 1 where it says nothing (RFC 9110 section 12.4.2).
func weight(parameters map[string]string) (q float64, valid bool) {
	text, given := parameters["q"]
	if !given {
		return 1, true
	}
	if len(text) > 1 && text[0] == '.' {
		text = "0" + text // as Java's own client has written it for decades
	}
	integer, fraction, _ := strings.Cut(text, ".")
	if integer != "0" && integer != "1" || len(fraction) > 3 || strings.Trim(fraction, "0123456789") != "" {
		return 0, false
	}
	q, err := strconv.ParseFloat(text, 64)
	return q, err == nil && q <= 1
}
