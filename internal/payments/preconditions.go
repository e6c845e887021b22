package payments

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/payments/pattern"
)

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

// entityTags is a list of entity tags (RFC 9110 section 8.8.3), in which elements may be empty (section 5.6.1.2), and
// entityTag is one of it.
const (
	entityTags = `^[, \t]*((W/)?"[^"]*"[ \t]*(,[, \t]*|$))*$`
	entityTag  = `(W/)?("[^"]*")`
)

// names reports whether a list of entity tags, or *, names a tag. A malformed list names none.
func names(list, tag string, weak bool) bool {
	if strings.Trim(list, " \t") == "*" {
		return true
	}
	if !pattern.Of(entityTags).MatchString(list) {
		return false
	}
	opaque, isWeak := strings.CutPrefix(tag, "W/")
	return slices.ContainsFunc(pattern.Of(entityTag).FindAllStringSubmatch(list, -1), func(found []string) bool {
		return found[2] == opaque && (weak || found[1] == "" && !isWeak)
	})
}
