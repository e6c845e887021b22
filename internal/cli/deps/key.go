package deps

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/payments"
)

// Key is the --idempotency-key flag.
type Key struct{ given string }

// AddTo adds the flag.
func (k *Key) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.given, "idempotency-key", "", "send this `KEY`; the same key with the same content has one effect (default: a random key)")
}

// Given says whether the flag was given.
func (k *Key) Given() bool { return k.given != "" }

// Idempotency is the key to send: the given one, or a new random one, which is told so that the call can be repeated.
func (k *Key) Idempotency(d *Deps) payments.Idempotency {
	if k.given != "" {
		return payments.Idempotency{Key: k.given}
	}
	key := "payctl-" + rand.Text()
	if d.Options.Verbose {
		d.Notef("Idempotency key: %s", key)
	}
	return payments.Idempotency{Key: key}
}

// ReferenceKey is the key of an operation with a reference: the same on every machine.
func ReferenceKey(operation, reference string) payments.Idempotency {
	sum := sha256.Sum256([]byte(operation + "\n" + reference))
	return payments.Idempotency{Key: "payctl-" + hex.EncodeToString(sum[:16])}
}
