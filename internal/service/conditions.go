package service

import (
	"context"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// A WriteKey makes a write repeatable: the same key with the same body returns the first response again.
type WriteKey struct {
	// Key is the Idempotency-Key header's value, or "".
	Key string
	// Fingerprint identifies the request's content, as payments.FingerprintOf does.
	Fingerprint string
}

// Written is the outcome of a write.
type Written[T any] struct {
	Value T
	// ETag is the entity tag of the resource after the write, or "" if it has none.
	ETag string
	// Encoded is the value as payments.Encode writes it, if the write had a key.
	Encoded []byte
	// Replayed reports that the response repeats the first one to the key, or that the value existed before.
	Replayed bool
	// Existing reports that a creation found the value by a unique member.
	Existing bool
}

// ReadOptions makes a read conditional. The zero ReadOptions is unconditional.
type ReadOptions struct {
	// ETag is the entity tag of the known state (RFC 9110 section 8.8.3).
	ETag string
	// Wait is how long the response may be held until the resource changes (RFC 7240 section 4.3), in whole seconds.
	Wait time.Duration
}

// State is the outcome of a conditional read.
type State[T any] struct {
	// Value is the resource. It is zero if NotModified.
	Value T
	ETag  string
	// NotModified reports that the resource is still in the state that ReadOptions named.
	NotModified bool
}

// Matches reports whether ETag names an entity tag, by weak comparison (RFC 9110 section 13.1.2).
func (c ReadOptions) Matches(tag string) bool { return names(c.ETag, tag, true) }

// Preconditions are the fields If-Match and If-None-Match of a request (RFC 9110 section 13.1). Nil means that the
// field is missing.
type Preconditions struct{ Match, NoneMatch []string }

type preconditionsKey struct{}

// WithPreconditions returns the context of a request with preconditions. The transaction of the request checks them,
// but not for a replayed response.
func WithPreconditions(ctx context.Context, p Preconditions) context.Context {
	return context.WithValue(ctx, preconditionsKey{}, p)
}

// require returns an error unless the preconditions of the request allow an entity tag. If-Match compares strongly: a
// weak tag matches nothing.
func (w *work) require(tag string) error {
	match, noneMatch := w.preconditions.Match, w.preconditions.NoneMatch
	problem := func(reason string) error {
		return payments.NewProblem(payments.ProblemPreconditionFailed, "The resource is in the state %s, which %s.",
			tag, reason)
	}
	switch {
	case match != nil && !names(strings.Join(match, ","), tag, false):
		return problem("If-Match does not name")
	case noneMatch != nil && names(strings.Join(noneMatch, ","), tag, true):
		return problem("If-None-Match names")
	}
	return nil
}

// names reports whether a list of entity tags (RFC 9110 section 8.8.3), or *, has a tag. Elements may be empty (section
// 5.6.1.2). A malformed list has none.
func names(list, tag string, weak bool) bool {
	if strings.Trim(list, " \t") == "*" {
		return true
	}
	opaque, isWeak := strings.CutPrefix(tag, "W/")
	found := false
	for rest := strings.TrimLeft(list, ", \t"); rest != ""; rest = strings.TrimLeft(rest, ", \t") {
		text, weakly := strings.CutPrefix(rest, "W/")
		inner, opened := strings.CutPrefix(text, `"`)
		end := strings.IndexByte(inner, '"')
		if !opened || end < 0 {
			return false
		}
		found = found || text[:end+2] == opaque && (weak || !weakly && !isWeak)
		rest = strings.TrimLeft(inner[end+1:], " \t")
		if rest != "" && rest[0] != ',' {
			return false
		}
	}
	return found
}
