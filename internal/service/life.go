package service

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// life is a life of the world by its two names: its instance id, and a shorter one that cursors and entity tags have.
type life struct{ instance, name string }

const lifeNameLength = 16

// lifeName is the short name of a life of the world: 80 bits of the hash of its instance id.
func lifeName(instance string) string {
	sum := sha256.Sum256([]byte(instance))
	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:lifeNameLength*5/8]))
}

// presentLife is the short name of the life that a transaction sees. It is made once for each life.
func (s *Service) presentLife(w *work) string {
	known := s.life.Load()
	if known == nil || known.instance != w.world.Instance {
		known = &life{w.world.Instance, lifeName(w.world.Instance)}
		s.life.Store(known)
	}
	return known.name
}
