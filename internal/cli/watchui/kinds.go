package watchui

import (
	"context"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Accounts describes accounts with their identity checks to a watch of single ones, without names and details.
func Accounts(service payments.KYCChecks) Kind {
	return Kind{
		Noun: "Account", Nouns: "accounts", Title: "Identity checks",
		IDNames:   []string{"accountId", "subjectId", "account", "id"},
		EventType: payments.EventTypeKYCStatusChanged,
		Goal:      string(payments.KYCStatusApproved), OneStatus: "STATUS", Statuses: "STATUSES",
		Operation: "listAccounts", Member: "kycStatus",
		CanReach: func(status, other string) bool {
			return payments.KYCStatus(status).CanReach(payments.KYCStatus(other))
		},
		Status:     func(status string) ui.Cell { return cmdutil.KYCStatus(payments.KYCStatus(status)) },
		Turn:       func(status string) payments.Turn { return payments.KYCStatus(status).Turn() },
		Applicant:  "applicant",
		OnlyPerson: func(status string) bool { return payments.KYCStatus(status).TakesSubmission() },
		Steps:      kycSteps,
		Lacks:      lacksAccount,
		Deadline:   accountDeadline,
		Subjects: follow.Subjects{
			Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
			Of: func(e payments.Event) follow.State {
				status := cmdutil.Text(e.To)
				return follow.State{
					ID: e.SubjectID, Status: status, Since: e.OccurredAt, Reasons: e.Data.Reasons, Record: &AccountRecord{
						ExternalID: e.Data.ExternalID, Status: payments.KYCStatus(status), Attempt: e.Data.Attempt,
					},
				}
			},
			Read: func(ctx context.Context, id string) (follow.State, error) {
				read, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
				k := read.Value
				return follow.State{
					ID: id, Status: string(k.Status), Since: k.UpdatedAt, Reasons: k.Reasons, Record: RecordOfKYC(k),
				}, err
			},
		},
	}
}

// kycSteps are the commands for an identity check that waits for a person.
func kycSteps(status, id string, isReference bool) []string {
	var steps []string
	next := payments.KYCStatusApproved
	if payments.KYCStatus(status).TakesSubmission() {
		next = payments.KYCStatusPending
		steps = []string{shell.Hint("payctl kyc get -- ACCOUNT   (what the account holder has to submit, and how)",
			shell.Values{"ACCOUNT": id})}
	}
	if isReference {
		return append(steps, shell.Hint("payctl sandbox kyc -- ACCOUNT STATUS   (in place of the person)",
			shell.Values{"ACCOUNT": id, "STATUS": string(next)}))
	}
	if steps == nil {
		steps = []string{shell.Hint("payctl kyc get -- ACCOUNT   (a person at the service decides it)",
			shell.Values{"ACCOUNT": id})}
	}
	return steps
}

// Transfers describes transfers to a watch of single ones, without details.
func Transfers(service payments.Transfers) Kind {
	return Kind{
		Noun: "Transfer", Nouns: "transfers", Title: "Transfers",
		IDNames:   []string{"transferId", "transfer_id", "subjectId", "transfer", "id"},
		EventType: payments.EventTypeTransferStateChanged,
		Goal:      string(payments.TransferStatePaymentProcessed), OneStatus: "STATE", Statuses: "STATES",
		Operation: "listTransfers", Member: "state",
		CanReach: func(state, other string) bool {
			return payments.TransferState(state).CanReach(payments.TransferState(other))
		},
		HasPassed: func(state, other string) bool {
			return payments.TransferState(state).HasPassed(payments.TransferState(other))
		},
		IsFinal:    func(state string) bool { return payments.TransferState(state).Final() },
		Status:     func(state string) ui.Cell { return cmdutil.TransferState(payments.TransferState(state)) },
		Turn:       func(state string) payments.Turn { return payments.TransferState(state).Turn() },
		Applicant:  "payer",
		OnlyPerson: func(string) bool { return false },
		Steps:      transferSteps,
		Words:      transferWords,
		Deadline:   transferDeadline,
		Subjects: follow.Subjects{
			Events: []payments.EventType{payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged},
			Of: func(e payments.Event) follow.State {
				state := follow.State{
					ID: e.SubjectID, Status: cmdutil.Text(e.To), Since: e.OccurredAt, Record: recordOfEvent(e.Data),
				}
				state.Reasons = failureReasons(e.Data.FailureReason, e.Data.ReturnCode)
				return state
			},
			Read: func(ctx context.Context, id string) (follow.State, error) {
				read, err := service.GetTransfer(ctx, id, payments.ReadOptions{})
				state := StateOfTransfer(read.Value)
				state.ID = id
				return state, err
			},
		},
	}
}

// transferSteps are the commands for a transfer that waits for a person.
func transferSteps(state, id string, isReference bool) []string {
	if payments.TransferState(state) == payments.TransferStateAwaitingFunds {
		steps := []string{shell.Hint("payctl transfer get -- TRANSFER   (where to send the deposit, and how much)",
			shell.Values{"TRANSFER": id})}
		if isReference {
			steps = append(steps, shell.Hint("payctl sandbox deposit -- TRANSFER AMOUNT   (makes the deposit)",
				shell.Values{"TRANSFER": id}))
		}
		return steps
	}
	if isReference {
		return []string{shell.Hint("payctl sandbox transfer -- TRANSFER funds_received   (in place of the person)",
			shell.Values{"TRANSFER": id})}
	}
	return []string{shell.Hint("payctl transfer get -- TRANSFER   (a person at the service reviews it)",
		shell.Values{"TRANSFER": id})}
}

// StateOfTransfer is the state of a transfer as a watch knows it.
func StateOfTransfer(t payments.Transfer) follow.State {
	return follow.State{
		ID: t.ID, Status: string(t.State), Since: t.UpdatedAt, Record: recordOfTransfer(t),
		Reasons: failureReasons(cmdutil.Text(t.FailureReason), cmdutil.Text(t.ReturnCode)),
	}
}

// failureReasons returns why a transfer has failed, in the form of the reasons of any change.
func failureReasons(reason, returnCode string) (reasons []payments.KYCReason) {
	for _, code := range []string{reason, returnCode} {
		if code != "" {
			reasons = append(reasons, payments.TransferReason(code))
		}
	}
	return reasons
}
