package service

import (
	"crypto/sha256"
	"encoding/base32"
	"strconv"
	"strings"
)

// instanceNameLength is the length of the short name of a world's instance, in event cursors and entity tags.
const instanceNameLength = 16

// An instanceName is an instance id with its short name: 80 bits of its hash in base 32.
type instanceName struct{ id, name string }

// instanceName returns the short name of the world's instance. It keeps the last one.
func (s *Service) instanceName(w *work) string {
	known := s.instance.Load()
	if known == nil || known.id != w.world.Instance {
		sum := sha256.Sum256([]byte(w.world.Instance))
		name := strings.ToLower(base32.HexEncoding.EncodeToString(sum[:instanceNameLength*5/8]))
		known = &instanceName{w.world.Instance, name}
		s.instance.Store(known)
	}
	return known.name
}

// entityTag returns the entity tag of a resource at a revision of one or more numbers (RFC 9110 section 8.8.3). It
// includes the world's instance, because the same revision in another instance may be another state.
func (s *Service) entityTag(w *work, revision ...int) string {
	tag := `"` + s.instanceName(w)
	for _, number := range revision {
		tag += "-" + strconv.Itoa(number)
	}
	return tag + `"`
}
