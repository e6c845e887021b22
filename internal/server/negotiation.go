package server

import (
	"cmp"
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

// negotiate chooses the media type of the response, or refuses the request if its Accept header excludes all that the
// operation has (RFC 9110 section 12.5.1). A response without a body has none to choose. Problem documents are sent
// whatever the client accepts (section 15.5.7). That a 304 would have no body does not matter, since a precondition
// counts only if the request would succeed without it (section 13.2.1).
func (x *exchange) negotiate() error {
	accepts, content := x.r.Header.Values("Accept"), x.op.ResponseFor(x.op.Success).Content
	if len(accepts) == 0 || len(content) == 0 {
		return nil
	}
	offered := make([]string, 0, 2) // so that the usual operation, with one or two, allocates nothing
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
		return payments.NewProblem(payments.KindNotAcceptable,
			"The response exists as %s only.", strings.Join(offered, " and "))
	}
	return nil
}

// quality is the weight that an Accept header gives to a media type, from 0, not acceptable, to 1: the most specific
// range that matches decides (RFC 9110 section 12.5.1). An Accept header in which nothing can be read accepts
// everything.
func quality(accept, media string) float64 {
	best, quality, readable := -1, 0.0, false
	kind, _, _ := strings.Cut(media, "/")
	for more := true; more; {
		var part string
		part, accept, more = cutUnquoted(accept, ',')
		mediaRange, parameters, ok := parseMediaType(part)
		if !ok {
			continue
		}
		q, valid := weight(parameters)
		if !valid {
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

// weight is the weight of a media range; without one it is 1 (RFC 9110 section 12.4.2).
func weight(parameters map[string]string) (q float64, valid bool) {
	q, err := strconv.ParseFloat(cmp.Or(parameters["q"], "1"), 64)
	return q, err == nil && 0 <= q && q <= 1
}

// parseMediaType reads a media type or range with its parameters (RFC 9110 section 8.3.1), of which some may be empty
// (section 5.6.6). The type and the names of parameters are in lower case. Of equal names the first one counts.
func parseMediaType(text string) (media string, parameters map[string]string, ok bool) {
	essence, rest, more := cutUnquoted(text, ';')
	media = strings.ToLower(strings.Trim(essence, " \t"))
	kind, subtype, found := strings.Cut(media, "/")
	if !found || !isToken(kind) || !isToken(subtype) {
		return "", nil, false
	}
	for more {
		var parameter string
		parameter, rest, more = cutUnquoted(rest, ';')
		if parameter = strings.Trim(parameter, " \t"); parameter == "" {
			continue
		}
		name, value, found := strings.Cut(parameter, "=")
		if inner, quoted := strings.CutPrefix(value, `"`); quoted {
			value, found = strings.CutSuffix(inner, `"`)
		} else {
			found = found && isToken(value)
		}
		if !found || !isToken(name) {
			return "", nil, false
		}
		if name = strings.ToLower(name); parameters[name] == "" {
			if parameters == nil {
				parameters = map[string]string{}
			}
			parameters[name] = value
		}
	}
	return media, parameters, true
}

// isToken reports whether a text is a token (RFC 9110 section 5.6.2).
func isToken(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		return !letter && (c < '0' || c > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", c)
	})
}

// maxWait is the longest that a response is held. The contract has the same bound.
const maxWait = 60 * time.Second

// preferWait reads the wait preference (RFC 7240 section 4.3). The first one counts; zero means none, or one that
// cannot be read.
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

// cutUnquoted is strings.Cut at a separator outside quoted strings (RFC 9110 section 5.6.4).
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
