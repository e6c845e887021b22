package server

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/suggest"
)

func (x *exchange) handleGetSandboxClock() error {
	return x.reply(x.session.Sandbox.GetSandboxClock(x.ctx))
}

func (x *exchange) handleSetSandboxClock() error {
	settings, err := decode(x, x.session.Checks.CheckSandboxClockSettings)
	if err != nil {
		return err
	}
	return x.reply(x.session.Sandbox.SetSandboxClock(x.ctx, settings))
}

func (x *exchange) handleAdvanceSandboxClock() error {
	advance, key, err := decodeWrite[payments.SandboxAdvance](x, nil)
	if err != nil {
		return err
	}
	clock, err := x.session.Sandbox.AdvanceSandboxClock(x.ctx, advance, key)
	return replyWrite(x, &clock, "", err)
}

func (x *exchange) handleSetSandboxKYC() error {
	change, err := decode[payments.SandboxKYC](x, nil)
	if err != nil {
		return err
	}
	return x.reply(x.session.Sandbox.SetSandboxKYC(x.ctx, x.r.PathValue("accountId"), change))
}

func (x *exchange) handleCreateSandboxDeposit() error {
	deposit, key, err := decodeWrite[payments.SandboxDeposit](x, nil)
	if err != nil {
		return err
	}
	transfer, err := x.session.Sandbox.CreateSandboxDeposit(x.ctx, x.r.PathValue("transferId"), deposit, key)
	return replyWrite(x, &transfer, "", err)
}

func (x *exchange) handleSetSandboxTransferState() error {
	change, err := decode[payments.SandboxTransferState](x, nil)
	if err != nil {
		return err
	}
	return x.reply(x.session.Sandbox.SetSandboxTransferState(x.ctx, x.r.PathValue("transferId"), change))
}

func (x *exchange) handleResetSandbox() error {
	if _, err := x.readUnusedBody(); err != nil {
		return err
	}
	return x.replyWorld(x.session.Sandbox.ResetSandbox(x.ctx))
}

func (x *exchange) handleGetSandboxSnapshot() error {
	snapshot, err := x.session.Sandbox.GetSandboxSnapshot(x.ctx)
	if err != nil {
		return err
	}
	x.setWorldHeader(snapshot.Instance) // the world may have been reset since the request began
	text, err := payments.Encode(snapshot)
	if err != nil {
		return err
	}
	if most := x.server.config.Bounds.SnapshotBytes; int64(len(text)) > most {
		return payments.NewProblem(payments.KindConflict,
			"A snapshot of this world would have %d bytes; one of more than %d cannot be restored.", len(text), most)
	}
	if err := x.hold(int64(len(text))); err != nil {
		return err
	}
	return x.send(http.StatusOK, jsonHeader, text)
}

func (x *exchange) handleRestoreSandboxSnapshot() error {
	if err := x.keepBody(); err != nil {
		return err
	}
	if err := x.waitForTurn(x.server.snapshots); err != nil {
		return err
	}
	snapshot, err := decode(x, x.session.Checks.CheckSandboxSnapshot)
	if err != nil {
		return err
	}
	return x.replyWorld(x.session.Sandbox.RestoreSandboxSnapshot(x.ctx, snapshot))
}

// replyWorld answers with a new instance of the world, which is the one that the response is about.
func (x *exchange) replyWorld(world payments.SandboxWorld, err error) error {
	if err == nil {
		x.setWorldHeader(world.Instance)
	}
	return x.reply(world, err)
}

func (x *exchange) handleListSandboxRequests() error {
	return x.reply(x.session.Sandbox.ListSandboxRequests(x.ctx, parsePageQuery(x.r.URL.Query())))
}

func (x *exchange) handleClearSandboxRequests() error {
	return x.replyNoContent(x.session.Sandbox.ClearSandboxRequests(x.ctx))
}

func (x *exchange) handleListSandboxFaults() error {
	return x.reply(x.session.Sandbox.ListSandboxFaults(x.ctx))
}

func (x *exchange) handleSetSandboxFaults() error {
	faults, err := decode(x, checkFaults)
	if err != nil {
		return err
	}
	if fields := checkFaults(faults); len(fields) > 0 {
		return payments.NewValidationProblem(fields)
	}
	return x.reply(x.session.Sandbox.SetSandboxFaults(x.ctx, faults))
}

func (x *exchange) handleClearSandboxFaults() error {
	return x.replyNoContent(x.session.Sandbox.ClearSandboxFaults(x.ctx))
}

// checkFaults finds contradictions in faults, and faults of operations that can have none.
func checkFaults(faults payments.SandboxFaults) payments.FieldErrors {
	fields := faults.Check()
	for i, fault := range faults.Faults {
		if err := CheckFaultOperation(fault); err != nil {
			field := fmt.Sprintf("faults[%d].operation", i)
			fields.Add(field, "The "+field+" field "+err.Error()+".")
		}
	}
	return fields
}

// unknownOperation is the error of an operation that the contract does not have, with the one that was probably meant.
func unknownOperation(name string) error {
	var known []string
	for _, op := range contract.Operations {
		if !op.IsSandbox() && op.Access != contract.Open {
			known = append(known, op.ID)
		}
	}
	if guess := suggest.Guess(name, known); guess != "" {
		return errors.New("names no operation; did you mean " + guess + "? /openapi.yaml lists the operationIds")
	}
	return errors.New("names no operation; /openapi.yaml lists the operationIds")
}

// CheckFaultOperation checks that the fault can happen to its operation. The error begins with a verb, such as "names
// no operation".
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
