package store

import (
	"context"

	"github.com/payctl/payctl/internal/payments"
)

// KeptRequests is how many entries the request log of a world keeps, the latest ones.
const KeptRequests = 1000

// A RequestLog holds what clients asked for, by worlds and by the instances of a world. It is no part of the worlds:
// it has no transactions, and a store in memory keeps it for as long as the process lives.
type RequestLog interface {
	// LogRequest adds an entry and gives it a number that is greater than those of all entries before it. Whoever calls
	// Requests after it has returned finds the entry.
	LogRequest(ctx context.Context, world, instance string, entry payments.SandboxRequest) error
	// Requests returns the entries of an instance, the latest first.
	Requests(ctx context.Context, world, instance string) ([]payments.SandboxRequest, error)
	// ClearRequests removes the entries of a world.
	ClearRequests(ctx context.Context, world string) error
}
