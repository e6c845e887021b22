package payments

import "strings"

// A Precondition must hold for a resource before a write changes it. The zero Precondition always holds.
type Precondition struct {
	// Match is an If-Match header: the write needs a state that it names (RFC 9110 section 13.1.1).
	Match string
	// NoneMatch is an If-None-Match header: the write needs a state that it does not name (section 13.1.2).
	NoneMatch string
}

// Check returns an error if the precondition does not hold for the state with an entity tag. If-Match is evaluated
// first (RFC 9110 section 13.2.2).
func (p Precondition) Check(tag string) error {
	if err := checkMatch(p.Match, tag); err != nil {
		return err
	}
	if p.NoneMatch != "" && names(p.NoneMatch, tag, true) {
		return NewProblem(KindPreconditionFailed, "The resource is in the state %s, which If-None-Match excludes.", tag)
	}
	return nil
}

// Check returns an error if If-Match does not name the state with an entity tag.
func (c ReadOptions) Check(tag string) error { return checkMatch(c.Match, tag) }

// Matches reports whether ETag names an entity tag, by weak comparison (RFC 9110 section 13.1.2).
func (c ReadOptions) Matches(tag string) bool { return names(c.ETag, tag, true) }

// checkMatch compares strongly: a weak tag matches nothing (RFC 9110 section 13.1.1).
func checkMatch(match, tag string) error {
	if match == "" || names(match, tag, false) {
		return nil
	}
	return NewProblem(KindPreconditionFailed, "The resource is in the state %s, which If-Match does not name.", tag)
}

// names reports whether a list of entity tags (RFC 9110 section 8.8.3), or *, names a tag. Empty elements are ignored
// (section 5.6.1.2). A malformed list names none.
func names(list, tag string, weak bool) (found bool) {
	if strings.Trim(list, " \t") == "*" {
		return true
	}
	for rest := list; ; {
		rest = strings.TrimLeft(rest, ", \t")
		if rest == "" {
			return found
		}
		known, marked := strings.CutPrefix(rest, "W/")
		quoted, isTag := strings.CutPrefix(known, `"`)
		opaque, after, ended := strings.Cut(quoted, `"`)
		rest = strings.TrimLeft(after, " \t")
		if !isTag || !ended || rest != "" && rest[0] != ',' {
			return false
		}
		if `"`+opaque+`"` == strings.TrimPrefix(tag, "W/") && (weak || !marked && !strings.HasPrefix(tag, "W/")) {
			found = true
		}
	}
}
