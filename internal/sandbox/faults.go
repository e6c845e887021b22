package sandbox

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/payments"
)

// faults are what goes wrong in one world. They are the process's own: neither the store nor a snapshot has them.
type faults struct {
	mu     sync.Mutex
	rules  []payments.SandboxFault
	random io.Reader
}

// restart puts the faults of a new life in place, with the randomness that probabilities are drawn from. Undo takes it back.
func (f *faults) restart(rules []payments.SandboxFault, random io.Reader) (undo func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	rulesBefore, randomBefore := f.rules, f.random
	f.rules, f.random = slices.Clone(rules), random
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.rules, f.random = rulesBefore, randomBefore
	}
}

// next decides what goes wrong with a request: for how long it is held back, and the fault; nil when there is none.
func (f *faults) next(operation string, takesToken bool) (delay time.Duration, fault *payments.SandboxFault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := 0; i < len(f.rules) && fault == nil; i++ {
		rule := f.rules[i]
		switch {
		case rule.Operation != payments.AnyOperation && rule.Operation != operation,
			rule.Action == payments.SandboxFaultActionExpiredToken && !takesToken,
			rule.Percent != 0 && f.percent() > rule.Percent:
			continue
		}
		if rule.Action == payments.SandboxFaultActionDelay {
			d, _ := payments.ParseDuration(rule.Delay) // it was checked
			delay += d
		} else {
			fault = &rule
		}
		if rule.Times > 0 {
			f.rules[i].Times--
			if f.rules[i].Times == 0 {
				f.rules = slices.Delete(f.rules, i, i+1)
				i--
			}
		}
	}
	return delay, fault
}

// percent is a random number from 1 to 100.
func (f *faults) percent() int {
	var bits [4]byte
	if _, err := io.ReadFull(f.random, bits[:]); err != nil {
		panic(err) // neither source of randomness fails; see crypto/rand.Read
	}
	return int(binary.BigEndian.Uint32(bits[:])%100) + 1
}

// NextFault decides what goes wrong with a request to an operation. TakesToken says that the operation is called with an
// access token.
func (w *World) NextFault(operation string, takesToken bool) (delay time.Duration, fault *payments.SandboxFault) {
	return w.faults.next(operation, takesToken)
}

// ListSandboxFaults implements payments.SandboxFaultInjection.
func (w *World) ListSandboxFaults(context.Context) (payments.SandboxFaults, error) {
	w.faults.mu.Lock()
	defer w.faults.mu.Unlock()
	return payments.SandboxFaults{Faults: append([]payments.SandboxFault{}, w.faults.rules...)}, nil
}

// SetSandboxFaults implements payments.SandboxFaultInjection.
func (w *World) SetSandboxFaults(ctx context.Context, wanted payments.SandboxFaults) (payments.SandboxFaults, error) {
	if fields := wanted.Check(); len(fields) > 0 {
		return payments.SandboxFaults{}, payments.Invalid(fields)
	}
	w.faults.mu.Lock()
	w.faults.rules = slices.Clone(wanted.Faults)
	w.faults.mu.Unlock()
	return w.ListSandboxFaults(ctx)
}

// ClearSandboxFaults implements payments.SandboxFaultInjection.
func (w *World) ClearSandboxFaults(context.Context) error {
	w.faults.mu.Lock()
	defer w.faults.mu.Unlock()
	w.faults.rules = nil
	return nil
}
