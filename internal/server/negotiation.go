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
)

// acceptable says whether an Accept header allows a media type: the most specific range that matches it decides
// (RFC 9110 section 12.5.1). An Accept header of nothing but what cannot be read allows everything.
func acceptable(accept, form string) bool {
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
			if q, err := strconv.ParseFloat(parameters["q"], 64); err == nil {
				quality = q
			}
		}
	}
	return !readable || best >= 0 && quality > 0
}
