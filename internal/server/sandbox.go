package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

func (x *exchange) resetSandbox() error {
	return x.replyWorld(x.session.World.ResetSandbox(x.ctx))
}

func (x *exchange) getSandboxSnapshot() error {
	snapshot, err := x.session.World.GetSandboxSnapshot(x.ctx)
	if err != nil {
		return err
	}
	x.setWorldHeader(snapshot.Instance) // the world may have been reset since the request began
	text, err := payments.Encode(snapshot)
	if err != nil {
		return err
	}
	if most := x.server.config.Bounds.SnapshotBytes; int64(len(text)) > most {
		return payments.NewProblem(payments.ProblemConflict,
			"A snapshot of this world would have %d bytes; one of more than %d cannot be restored.", len(text), most)
	}
	return x.send(http.StatusOK, jsonHeader, text)
}

func (x *exchange) restoreSandboxSnapshot() error {
	snapshot, err := decode[payments.SandboxSnapshot](x, nil)
	if err != nil {
		return err
	}
	return x.replyWorld(x.session.World.RestoreSandboxSnapshot(x.ctx, snapshot))
}

// replyWorld answers with a new instance of the world, and names it in the header.
func (x *exchange) replyWorld(world payments.SandboxWorld, err error) error {
	if err == nil {
		x.setWorldHeader(world.Instance)
	}
	return x.reply(world, err)
}

// setFaults refuses contradictory faults, and faults of operations that cannot have any.
//
//nolint:revive // the table of handlers needs the signature of a method of World
func setFaults(world World, ctx context.Context, faults payments.SandboxFaults) (payments.SandboxFaults, error) {
	fields := faults.Check()
	for i, fault := range faults.Faults {
		if err := CheckFaultOperation(fault); err != nil {
			field := fmt.Sprintf("faults[%d].operation", i)
			fields.Add(field, "The "+field+" field "+err.Error()+".")
		}
	}
	if len(fields) > 0 {
		return faults, payments.NewValidationProblem(fields)
	}
	return world.SetSandboxFaults(ctx, faults)
}

// CheckFaultOperation checks that the fault can happen to its operation. The error begins with a verb.
func CheckFaultOperation(fault payments.SandboxFault) error {
	if fault.Operation == payments.AnyOperation {
		return nil
	}
	op := contract.Find(fault.Operation)
	switch {
	case op == nil:
		return unknownOperation(fault.Operation)
	case op.IsSandbox() || op.Access == contract.Open:
		return errors.New("names an operation that belongs to no client's world")
	case op.Access == contract.Basic && fault.Action == payments.SandboxFaultActionExpiredToken:
		return errors.New("names an operation that takes no token")
	}
	return nil
}

// unknownOperation is the error of an unknown operation. It suggests a similar one.
func unknownOperation(name string) error {
	var known []string
	for _, op := range contract.Operations {
		if !op.IsSandbox() && op.Access != contract.Open {
			known = append(known, op.ID)
		}
	}
	if guess := textutil.Guess(name, known); guess != "" {
		return errors.New("names no operation; did you mean " + guess + "? /openapi.yaml lists the operationIds")
	}
	return errors.New("names no operation; /openapi.yaml lists the operationIds")
}
