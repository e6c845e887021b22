package payments

import "strings"

// A Precondition is an If-Match header: a write needs a state that it names (RFC 9110 section 13.1.1). The empty one
// always holds.
type Precondition string

// Check returns an error if the precondition does not name the state with an entity tag. It compares strongly: a weak tag
// matches nothing.
func (p Precondition) Check(tag string) error {
	if p == "" || names(string(p), tag, false) {
		return nil
	}
	return NewProblem(KindPreconditionFailed, "The resource is in the state %s, which If-Match does not name.", tag)
}

// Matches reports whether ETag names an entity tag, by weak comparison (RFC 9110 section 13.1.2).
func (c ReadOptions) Matches(tag string) bool { return names(c.ETag, tag, true) }

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
