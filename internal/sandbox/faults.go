package sandbox

import (
	"context"
	"encoding/binary"
	"io"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// NextFault returns how long to delay a request to an operation, and the other fault that it meets, if any. takesToken
// reports whether the operation needs an access token. NextFault writes to the store only if the request uses up a
// fault's Times. The error is the store's.
func (w *World) NextFault(
	ctx context.Context, operation string, takesToken bool,
) (delay time.Duration, fault *payments.SandboxFault, err error) {
	faults := w.record.Load().Faults
	counts := func(f payments.SandboxFault) bool { return f.Times > 0 && concerns(f, operation, takesToken) }
	if !slices.ContainsFunc(faults, counts) {
		delay, fault, _ = meetFaults(faults, operation, takesToken, &w.faultRandom)
		return delay, fault, nil
	}
	err = w.changeRecord(ctx, func(_ store.Tx, record *store.World) (changed bool, err error) {
		var left []payments.SandboxFault
		delay, fault, left = meetFaults(record.Faults, operation, takesToken, &w.faultRandom)
		changed = !slices.Equal(left, record.Faults)
		record.Faults = left
		return changed, nil
	})
	return delay, fault, err
}

// concerns reports whether a fault applies to an operation. A fault of all operations spares the request for a token:
// without one nobody could clear it.
func concerns(f payments.SandboxFault, operation string, takesToken bool) bool {
	return (f.Operation == operation || f.Operation == payments.AnyOperation && takesToken) &&
		(takesToken || f.Action != payments.SandboxFaultActionExpiredToken)
}

// meetFaults tries faults in order, up to the first one that is not a delay. It adds up delays, to at most
// payments.MaxFaultDelay. left are the remaining faults, with their Times counted down.
func meetFaults(
	faults []payments.SandboxFault, operation string, takesToken bool, random io.Reader,
) (delay time.Duration, met *payments.SandboxFault, left []payments.SandboxFault) {
	for i, fault := range faults {
		if !concerns(fault, operation, takesToken) || fault.Percent != 0 && percent(random) > fault.Percent {
			left = append(left, fault)
			continue
		}
		switch fault.Times {
		case 0: // any number of times
			left = append(left, fault)
		case 1:
		default:
			counted := fault
			counted.Times--
			left = append(left, counted)
		}
		if fault.Action != payments.SandboxFaultActionDelay {
			return delay, &fault, append(left, faults[i+1:]...)
		}
		d, _ := payments.ParseDuration(fault.Delay) // checked when the fault was set
		delay = min(delay+d, payments.MaxFaultDelay)
	}
	return delay, nil, left
}

// percent returns a random number from 1 to 100.
func percent(random io.Reader) int {
	var bits [4]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		panic(err) // neither kind of stream fails; see crypto/rand.Read
	}
	return int(binary.BigEndian.Uint32(bits[:])%100) + 1
}

// ListSandboxFaults implements payments.Sandbox.
func (w *World) ListSandboxFaults(ctx context.Context) (list payments.SandboxFaults, err error) {
	record, err := w.storedRecord(ctx)
	if err == nil {
		list.Faults = append([]payments.SandboxFault{}, record.Faults...)
	}
	return list, err
}

// SetSandboxFaults implements payments.Sandbox.
func (w *World) SetSandboxFaults(ctx context.Context, wanted payments.SandboxFaults) (payments.SandboxFaults, error) {
	if fields := wanted.Check(); len(fields) > 0 {
		return payments.SandboxFaults{}, payments.NewValidationProblem(fields)
	}
	err := w.changeRecord(ctx, func(_ store.Tx, record *store.World) (changed bool, err error) {
		record.Faults = slices.Clone(wanted.Faults)
		return true, nil
	})
	return payments.SandboxFaults{Faults: append([]payments.SandboxFault{}, wanted.Faults...)}, err
}

// ClearSandboxFaults implements payments.Sandbox.
func (w *World) ClearSandboxFaults(ctx context.Context) error {
	_, err := w.SetSandboxFaults(ctx, payments.SandboxFaults{})
	return err
}
