package e2e

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// difference shows where an output is not as on the page, without what may differ.
func (p *page) difference(page, printed []string) string {
	shown, next := p.shown, 0
	output := slices.Clone(printed)
	for i, line := range printed {
		for j := next; j < len(page); j++ {
			if found := matchLine(page[j], line, shown); found != nil && page[j] != "…" {
				output[i], shown, next = page[j], found, j+1
				break
			}
		}
	}
	text := func(lines []string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }
	return string(diff.Diff("page", text(page), "program", text(output)))
}

func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

var (
	// identifier is what differs in each run and stands for itself: an identifier, a key, a digest, or an address.
	identifier = regexp.MustCompile(`\b(?:acc|sct|trf|req|evt|bat|wld|rte|quo)_[0-9A-Za-z]{8,}` +
		`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}\b|\bpayctl-[0-9a-f]{32}\b|\b0x[0-9a-f]{40,}\b|#pages\.\S+|127\.0\.0\.1:\d{4,5}\b`)
	// varying is what differs in each run: a time, a date, a duration, a process id, a version.
	varying = regexp.MustCompile(`\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?` +
		`\d{4}-\d\d-\d\d(?:[T ]\d{1,2}(?::\d{1,2})*(?:\.\d+)?:?(?:Z| [+-]\d\d:\d\d)?)?` +
		`|\b\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?` +
		`|\b\d+(?:\.\d+)? ?(?:ns|µs|ms|s|m|h|d)\b|"pid":\d+|\bpayctl[ /](?:v?\d\S*|dev|test|\(devel\))` +
		`|\bgo1\.\d+(?:\.\d+)?|…|  +`)
)

// matchLines compares the output that a page shows with what was printed. It returns what each identifier of the page then
// stands for, or nil if they do not match.
func matchLines(page, printed []string, shown map[string]string) map[string]string {
	if len(page) == 0 {
		if len(printed) == 0 {
			return shown
		}
		return nil
	}
	if page[0] == "…" {
		for skip := 0; skip <= len(printed); skip++ {
			if found := matchLines(page[1:], printed[skip:], shown); found != nil {
				return found
			}
		}
		return nil
	}
	if len(printed) == 0 {
		return nil
	}
	shown = matchLine(page[0], printed[0], shown)
	if shown == nil {
		return nil
	}
	return matchLines(page[1:], printed[1:], shown)
}

// matchLine compares a line with one that was printed.
func matchLine(page, printed string, shown map[string]string) map[string]string {
	var pattern strings.Builder
	var bound []string
	literal := func(text string) { // with what varies in it
		at := 0
		for _, found := range varying.FindAllStringIndex(text, -1) {
			pattern.WriteString(regexp.QuoteMeta(text[at:found[0]]))
			switch part := text[found[0]:found[1]]; {
			case part == "…":
				pattern.WriteString(`.*?`)
			case part[0] == ' ':
				pattern.WriteString(`  +`)
			default:
				pattern.WriteString(`(?:` + varying.String() + `)`)
			}
			at = found[1]
		}
		pattern.WriteString(regexp.QuoteMeta(text[at:]))
	}
	at := 0
	for _, found := range identifier.FindAllStringIndex(page, -1) {
		literal(page[at:found[0]])
		id := page[found[0]:found[1]]
		if real := shown[id]; real != "" {
			pattern.WriteString(regexp.QuoteMeta(real))
		} else {
			bound = append(bound, id)
			pattern.WriteString(`(` + identifier.String() + `)`)
		}
		at = found[1]
	}
	literal(page[at:])
	found := regexp.MustCompile(`^` + pattern.String() + `$`).FindStringSubmatch(printed)
	if found == nil {
		return nil
	}
	shown = maps.Clone(shown)
	for i, id := range bound {
		if real := shown[id]; real != "" && real != found[i+1] {
			return nil
		}
		if strings.SplitAfter(id, "_")[0] != strings.SplitAfter(found[i+1], "_")[0] && strings.Contains(id, "_") {
			return nil
		}
		shown[id] = found[i+1]
	}
	return shown
}

// real is a command of the page with what was printed in place of what the page shows.
func (p *page) real(command string) string {
	return identifier.ReplaceAllStringFunc(strings.ReplaceAll(command, "/home/ada", p.home), func(id string) string {
		if real := p.shown[id]; real != "" {
			return real
		}
		return id
	})
}

// asShown is what was printed with what the page shows in its place.
func (p *page) asShown(output string) string {
	longestFirst := slices.SortedFunc(maps.Keys(p.shown), func(a, b string) int {
		return len(p.shown[b]) - len(p.shown[a])
	})
	for _, shown := range longestFirst { // as a table may cut an identifier
		output = strings.ReplaceAll(output, p.shown[shown], shown)
	}
	return output
}

// unknownIDs are the identifiers of a command that no output has had.
func (p *page) unknownIDs(command string) (unknown []string) {
	for _, id := range identifier.FindAllString(command, -1) {
		if p.shown[id] != "" || strings.Contains(id, ":") {
			continue
		}
		// With -update it is the latest one of its kind.
		at := -1
		for i, latest := range p.latest {
			if latest[:4] == id[:4] {
				at = i
			}
		}
		if at < 0 {
			unknown = append(unknown, id)
			continue
		}
		real := p.latest[at]
		delete(p.shown, real)
		p.shown[id], p.latest = real, slices.Delete(p.latest, at, at+1)
	}
	return unknown
}
