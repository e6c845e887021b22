package payments

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Sandbox controls a world of the reference service, for tests. No other service has it.
type Sandbox interface {
	SandboxTime
	SandboxOverrides
	SandboxSnapshots
	SandboxFaultInjection
	SandboxRequestLog
}

// SandboxContent is the content of a world in the reference service's own format.
type SandboxContent = jsontext.Value

// SandboxTime is the world's clock.
type SandboxTime interface {
	GetSandboxClock(context.Context) (SandboxClock, error)
	SetSandboxClock(context.Context, SandboxClockSettings) (SandboxClock, error)
	// AdvanceSandboxClock returns when everything that became due has happened.
	AdvanceSandboxClock(context.Context, SandboxAdvance, Idempotency) (WriteResult[SandboxClock], error)
}

// SandboxOverrides forces outcomes that otherwise happen by themselves. A transition that the state machine does not have
// fails with KindInvalidState.
type SandboxOverrides interface {
	SetSandboxKYC(ctx context.Context, accountID string, change SandboxKYC) (KYC, error)
	CreateSandboxDeposit(ctx context.Context, transferID string, deposit SandboxDeposit, key Idempotency) (WriteResult[Transfer], error)
	SetSandboxTransferState(ctx context.Context, transferID string, change SandboxTransferState) (Transfer, error)
}

// SandboxSnapshots resets, saves and restores a world. Each reset and restore gives it a new instance id.
type SandboxSnapshots interface {
	ResetSandbox(context.Context) (SandboxWorld, error)
	GetSandboxSnapshot(context.Context) (SandboxSnapshot, error)
	RestoreSandboxSnapshot(context.Context, SandboxSnapshot) (SandboxWorld, error)
}

// SandboxFaultInjection manages the faults that the service injects.
type SandboxFaultInjection interface {
	ListSandboxFaults(context.Context) (SandboxFaults, error)
	// SetSandboxFaults replaces all faults.
	SetSandboxFaults(context.Context, SandboxFaults) (SandboxFaults, error)
	ClearSandboxFaults(context.Context) error
}

// SandboxRequestLog holds the requests that the client sent.
type SandboxRequestLog interface {
	ListSandboxRequests(context.Context, PageQuery) (SandboxRequestPage, error)
	ClearSandboxRequests(context.Context) error
}
