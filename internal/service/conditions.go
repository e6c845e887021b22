package service

import (
	"strconv"

	"github.com/payctl/payctl/internal/payments"
)

// read answers a conditional read of a value at a revision.
func read[T any](s *Service, w *work, value T, revision int, since payments.Condition) (payments.Reading[T], error) {
	tag := s.entityTag(w, revision)
	if err := since.Check(tag); err != nil {
		return payments.Reading[T]{}, err
	}
	if since.Matches(tag) {
		return payments.Reading[T]{ETag: tag, NotModified: true}, nil
	}
	return payments.Reading[T]{Value: value, ETag: tag}, nil
}

// permit refuses a write that is not wanted on a resource at a revision.
func (s *Service) permit(w *work, wanted payments.Precondition, revision int) error {
	return wanted.Check(s.entityTag(w, revision))
}

// entityTag names the state of a resource (RFC 9110 section 8.8.3). It names the life of the world too: in another one the same
// revision may be of another state.
func (s *Service) entityTag(w *work, revision int) string {
	return `"` + s.presentLife(w) + "-" + strconv.Itoa(revision) + `"`
}
