package app

import (
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/contract"
)

// mappable lists the operations that a profile may map to another method and path: those that a service other than the
// reference service may have elsewhere.
func mappable() []deps.Operation {
	var operations []deps.Operation
	for _, op := range contract.Operations {
		if op.Origin == contract.Assumed && op.Access == contract.Bearer && !op.IsSandbox() {
			operations = append(operations, deps.Operation{ID: op.ID, Method: op.Method, Path: op.Path, Summary: op.Summary})
		}
	}
	return operations
}
