package payments

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Sandbox is what only the reference service has: a test's hand on its own world.
type Sandbox interface {
	SandboxTime
	SandboxHands
	SandboxLives
}

// SandboxContent is what a world holds, in the reference service's own form.
type SandboxContent = jsontext.Value

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

// SandboxLives begin anew. Each new life of a world has an instance id of its own.
type SandboxLives interface {
	ResetSandbox(context.Context) (SandboxWorld, error)
	GetSandboxSnapshot(context.Context) (SandboxSnapshot, error)
	RestoreSandboxSnapshot(context.Context, SandboxSnapshot) (SandboxWorld, error)
}
