package journal

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/payctl/payctl/internal/payments"
)

// An identity is a write's name in the journal: what a service scopes idempotency keys by, and the key.
type identity [16]byte

func identify(intent payments.Intent) identity {
	hash := sha256.New()
	for _, part := range []string{intent.Service, intent.Client, intent.Operation, intent.Key} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		hash.Write(length[:])
		hash.Write([]byte(part))
	}
	return identity(hash.Sum(nil)[:len(identity{})])
}
