package server

import "github.com/payctl/payctl/internal/contract"

// sandboxHandlers says which function answers which operation of the sandbox.
var sandboxHandlers = map[*contract.Operation]handler{
	&contract.GetSandboxClock:         (*call).getSandboxClock,
	&contract.SetSandboxClock:         (*call).setSandboxClock,
	&contract.AdvanceSandboxClock:     (*call).advanceSandboxClock,
	&contract.SetSandboxKYC:           (*call).setSandboxKYC,
	&contract.CreateSandboxDeposit:    (*call).createSandboxDeposit,
	&contract.SetSandboxTransferState: (*call).setSandboxTransferState,
	&contract.ListSandboxFaults:       (*call).listSandboxFaults,
	&contract.SetSandboxFaults:        (*call).setSandboxFaults,
	&contract.ClearSandboxFaults:      (*call).clearSandboxFaults,
	&contract.ListSandboxRequests:     (*call).listSandboxRequests,
	&contract.ClearSandboxRequests:    (*call).clearSandboxRequests,
	&contract.ResetSandbox:            (*call).resetSandbox,
	&contract.GetSandboxSnapshot:      (*call).getSandboxSnapshot,
	&contract.RestoreSandboxSnapshot:  (*call).restoreSandboxSnapshot,
}
