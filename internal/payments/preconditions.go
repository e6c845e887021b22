package payments

import "strings"

// A Precondition is what must hold of a resource for a write to be done. The zero Precondition asks for nothing.
type Precondition struct {
	// Match is an If-Match header: the write is done only on a state that it names (RFC 9110 section 13.1.1).
	Match string
	// NoneMatch is an If-None-Match header: the write is done only on a state that it does not name (section 13.1.2).
	NoneMatch string
}

// Check refuses a write on a state with an entity tag, in the order of RFC 9110 section 13.2.2.
func (p Precondition) Check(tag string) error {
	if err := checkMatch(p.Match, tag); err != nil {
		return err
	}
	if p.NoneMatch != "" && names(p.NoneMatch, tag, true) {
		return Refuse(KindPreconditionFailed, "The resource is in the state %s, which If-None-Match excludes.", tag)
	}
	return nil
}

// Check refuses a read of a state that the condition's If-Match does not name.
func (c Condition) Check(tag string) error { return checkMatch(c.Match, tag) }

// Matches says whether the condition names an entity tag, by weak comparison (RFC 9110 section 13.1.2).
func (c Condition) Matches(tag string) bool { return names(c.ETag, tag, true) }

// checkMatch compares strongly: a weak tag matches nothing (RFC 9110 section 13.1.1).
func checkMatch(match, tag string) error {
	if match == "" || names(match, tag, false) {
		return nil
	}
	return Refuse(KindPreconditionFailed, "The resource is in the state %s, which If-Match does not name.", tag)
}

// names says whether a list of entity tags (RFC 9110 section 8.8.3), or *, names a tag. What cannot be read names nothing.
func names(list, tag string, weak bool) bool {
	list = strings.Trim(list, " \t")
	if list == "*" {
		return true
	}
	for list != "" {
		known, marked := strings.CutPrefix(list, "W/")
		opaque, rest := quoted(known)
		if opaque == "" {
			return false
		}
		if opaque == strings.TrimPrefix(tag, "W/") && (weak || !marked && !strings.HasPrefix(tag, "W/")) {
			return true
		}
		rest = strings.TrimLeft(rest, " \t")
		if rest != "" && rest[0] != ',' {
			return false
		}
		list = strings.TrimLeft(rest, ", \t")
	}
	return false
}

// quoted cuts an opaque tag, with its quotation marks, from the begin of a text; empty when there is none.
func quoted(text string) (tag, rest string) {
	if text == "" || text[0] != '"' {
		return "", text
	}
	if end := strings.IndexByte(text[1:], '"'); end >= 0 {
		return text[:end+2], text[end+2:]
	}
	return "", text
}
