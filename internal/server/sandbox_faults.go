package server

import (
	"fmt"
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (c *call) listSandboxFaults() error {
	faults, err := c.session.Sandbox.ListSandboxFaults(c.r.Context())
	if err != nil {
		return err
	}
	return c.reply(faults)
}

func (c *call) setSandboxFaults() error {
	wanted, err := decode(c, checkFaults)
	if err != nil {
		return err
	}
	if fields := checkFaults(wanted); len(fields) > 0 {
		return payments.Invalid(fields)
	}
	faults, err := c.session.Sandbox.SetSandboxFaults(c.r.Context(), wanted)
	if err != nil {
		return err
	}
	return c.reply(faults)
}

// checkFaults finds what does not go together in faults, and those of operations that can have none.
func checkFaults(wanted payments.SandboxFaults) payments.FieldErrors {
	fields := wanted.Check()
	for i, fault := range wanted.Faults {
		if reason := Unfaultable(fault); reason != "" {
			field := fmt.Sprintf("faults[%d].operation", i)
			fields.Add(field, "The "+field+" field "+reason+".")
		}
	}
	return fields
}

// Unfaultable says why no fault can happen to the operation that a fault names; empty when one can.
func Unfaultable(fault payments.SandboxFault) string {
	if fault.Operation == payments.AnyOperation {
		return ""
	}
	op := contract.Find(fault.Operation)
	switch {
	case op == nil:
		return "names no operation; the operationIds stand in /openapi.yaml"
	case op.IsSandbox() || op.Access == contract.Open:
		return "names an operation that belongs to no client's world"
	case op.Access == contract.Basic && fault.Action == payments.SandboxFaultActionExpiredToken:
		return "names an operation that takes no token"
	}
	return ""
}

func (c *call) clearSandboxFaults() error {
	if err := c.session.Sandbox.ClearSandboxFaults(c.r.Context()); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
