package payments

import "context"

// Sandbox is what only the reference service has: a test's hand on its own world.
type Sandbox interface {
	SandboxTime
	SandboxHands
}

// SandboxTime is the world's clock.
type SandboxTime interface {
	GetSandboxClock(context.Context) (SandboxClock, error)
	SetSandboxClock(context.Context, SandboxClockSettings) (SandboxClock, error)
	// AdvanceSandboxClock returns when everything that became due has happened.
	AdvanceSandboxClock(context.Context, SandboxAdvance, Idempotency) (Written[SandboxClock], error)
}

// SandboxHands makes happen by hand what happens by itself otherwise. A transition that the state machine does not have
// is refused as KindInvalidState.
type SandboxHands interface {
	SetSandboxKYC(ctx context.Context, accountID string, change SandboxKYC) (KYC, error)
	CreateSandboxDeposit(ctx context.Context, transferID string, deposit SandboxDeposit, key Idempotency) (Written[Transfer], error)
	SetSandboxTransferState(ctx context.Context, transferID string, change SandboxTransferState) (Transfer, error)
}
