package payments

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Sandbox controls a world of the reference service, for tests. No other service has it.
type Sandbox interface {
	SandboxControls
	// AdvanceSandboxClock returns after all due steps.
	AdvanceSandboxClock(context.Context, SandboxAdvance, Idempotency) (WriteResult[SandboxClock], error)
	CreateSandboxDeposit(
		ctx context.Context, transferID string, deposit SandboxDeposit, key Idempotency,
	) (WriteResult[Transfer], error)
}

// SandboxControls are the calls of the sandbox that are the same on both sides of the wire. Forced states fail with
// ProblemInvalidState if the state machine has no such transition.
type SandboxControls interface {
	GetSandboxClock(context.Context) (SandboxClock, error)
	SetSandboxClock(context.Context, SandboxClockSettings) (SandboxClock, error)
	SetSandboxKYC(ctx context.Context, accountID string, change SandboxKYC) (KYC, error)
	SetSandboxTransferState(ctx context.Context, transferID string, change SandboxTransferState) (Transfer, error)

	// Each reset and restore gives the world a new instance id.

	ResetSandbox(context.Context) (SandboxWorld, error)
	GetSandboxSnapshot(context.Context) (SandboxSnapshot, error)
	RestoreSandboxSnapshot(context.Context, SandboxSnapshot) (SandboxWorld, error)

	ListSandboxFaults(context.Context) (SandboxFaults, error)
	// SetSandboxFaults replaces all faults.
	SetSandboxFaults(context.Context, SandboxFaults) (SandboxFaults, error)
	ClearSandboxFaults(context.Context) error

	// ListSandboxRequests lists the requests that the client sent.
	ListSandboxRequests(context.Context, PageQuery) (SandboxRequestPage, error)
	ClearSandboxRequests(context.Context) error

	// ListSandboxPages lists the web pages of worlds, the client's own first.
	ListSandboxPages(context.Context) (SandboxPages, error)
}

// SandboxContent is the content of a world in the reference service's own format.
type SandboxContent = jsontext.Value

// RequestContent is the content of a request and its response.
type RequestContent struct {
	Query          string // the parameters of the contract
	Sent, Received []byte // the bodies
}

// MaxShownBody is the most bytes of a body that a request log shows.
const MaxShownBody = 4 << 10

// AddTo adds the content to an entry of a request log: only JSON, without secrets.
func (c RequestContent) AddTo(r *SandboxRequest) {
	shown := func(body jsontext.Value) string {
		if len(body) == 0 || len(body) > MaxShownBody || !body.IsValid() {
			return ""
		}
		return string(WithoutSecrets(body))
	}
	r.Query, r.RequestBody, r.ResponseBody = c.Query, shown(c.Sent), shown(c.Received)
}
