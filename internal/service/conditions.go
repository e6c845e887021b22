package service

import (
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/payments/pattern"
)

// A WriteKey makes a write repeatable: the same key with the same body returns the first response again.
type WriteKey struct {
	// Key is the Idempotency-Key header's value; empty if there is none.
	Key string
	// Fingerprint identifies the request's content, as payments.FingerprintOf does.
	Fingerprint string
	// Precondition must hold before the write. It is not checked again when a response is replayed.
	Precondition Precondition
}

// Written is the outcome of a write.
type Written[T any] struct {
	Value T
	// Encoded is the value as payments.Encode writes it; empty if the write had no key.
	Encoded []byte
	// Replayed reports that the response is the first one to the key, sent again, or that the value existed before.
	Replayed bool
	// Existing reports that the value existed before the first request with the key: a creation found it by a unique member.
	Existing bool
}

// ReadOptions makes a read conditional. The zero ReadOptions asks unconditionally.
type ReadOptions struct {
	// ETag is the entity tag of the known state (RFC 9110 section 8.8.3).
	ETag string
	// Wait is how long the service may hold the response until the resource changes (RFC 7240 section 4.3), truncated
	// to seconds.
	Wait time.Duration
}

// State is the outcome of a conditional read.
type State[T any] struct {
	// Value is the resource; the zero value if NotModified.
	Value T
	ETag  string
	// NotModified reports that the resource is still in the state that ReadOptions named.
	NotModified bool
}

// A Precondition is an If-Match header: a write needs a state that it names (RFC 9110 section 13.1.1). The empty one
// always holds.
type Precondition string

// Check returns an error if the precondition does not name the state with an entity tag. It compares strongly: a weak tag
// matches nothing.
func (p Precondition) Check(tag string) error {
	if p == "" || names(string(p), tag, false) {
		return nil
	}
	return payments.NewProblem(payments.KindPreconditionFailed, "The resource is in the state %s, which If-Match does not name.", tag)
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
