package service

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/store"
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
func (s *Service) presentLife(w *work) (name string, err error) {
	world, err := w.Worlds().Get(store.WorldID)
	if errors.Is(err, store.ErrNotFound) {
		world, err = &store.World{}, nil // one that was never entered has one life
	}
	if err != nil {
		return "", err
	}
	known := s.life.Load()
	if known == nil || known.instance != world.Instance {
		known = &life{world.Instance, lifeName(world.Instance)}
		s.life.Store(known)
	}
	return known.name, nil
}
