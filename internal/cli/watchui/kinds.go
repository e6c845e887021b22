package watchui

import (
	"context"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A Kind is a kind of subject that can be watched, such as accounts.
type Kind struct {
	// Noun is the singular, such as "Account", and Nouns the plural, such as "accounts".
	Noun, Nouns string
	// Title is the heading of the live view.
	Title string
	// IDNames are the names of columns and JSON members that hold an identifier, the most specific first.
	IDNames []string
	// EventType is the type of the changes that are printed.
	EventType payments.EventType
	Subjects  follow.Subjects
	// Goal is the status to wait for without --until.
	Goal string
	// OneStatus and Statuses are the placeholders of one status and of several in a usage.
	OneStatus, Statuses string
	// Operation and Member name the list operation's filter by status; the contract has the known statuses there.
	Operation, Member string

	CanReach  func(status, other string) bool
	HasPassed func(status, other string) bool // nil: a status does not count as reached once it has been passed
	// IsFinal reports whether a status never changes; nil: FinalGoal is no goal of these subjects.
	IsFinal func(status string) bool
	// Status returns a status in its colour.
	Status func(status string) ui.Cell
	// Words name a subject besides its identifier, in lines at a terminal; nil: the identifier is all.
	Words func(record follow.Record) []ui.Cell
	// Steps are the commands by which a subject that waits for a person goes on, or that show what it waits for.
	Steps func(status, id string, isReference bool) []string
	// Turn tells who has to act on a subject with this status, and Turns are all that may have to, the most urgent first.
	Turn  func(status string) payments.Turn
	Turns []payments.Turn
	// Columns are those of the live view.
	Columns []live.Column
	// Record reads what the live view shows of a subject besides its status and is missing in what is known, since the
	// event feed does not have it; known may be nil. It returns nil if it cannot be read. A nil function: there is nothing
	// to read.
	Record func(ctx context.Context, id string, known follow.Record) follow.Record
	// Lacks reports whether something is missing in what is known of a subject with a status.
	Lacks func(status string, known follow.Record) bool
	// Deadline is when a status ends at the latest, as far as a record knows, which may be nil; zero: never.
	Deadline func(status string, known follow.Record) time.Time
	// Why explains a status in words, as far as a record knows, which may be nil.
	Why func(status string, known follow.Record) string
	// HasPersonal reports that columns or details have personal data, and ShowPersonal that it is shown all the time.
	HasPersonal, ShowPersonal bool
	// Details reads everything about a subject.
	Details func(ctx context.Context, row live.Row) (live.Details, error)
	// Reply writes what a person is told about a subject, to be copied; with the name only if personal is set.
	Reply func(ctx context.Context, id string, personal bool) (string, error)
}

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
		Status:   func(status string) ui.Cell { return cmdutil.KYCStatus(payments.KYCStatus(status)) },
		Turn:     func(status string) payments.Turn { return payments.KYCStatus(status).Turn() },
		Turns:    payments.TurnsOfChecks,
		Steps:    kycSteps,
		Lacks:    lacksAccount,
		Deadline: accountDeadline,
		Why:      accountWhy,
		Subjects: follow.Subjects{
			Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
			Of: func(e payments.Event) follow.State {
				status := cmdutil.Text(e.To)
				return follow.State{
					ID: e.SubjectID, Status: status, Since: e.OccurredAt, Reasons: e.Data.Reasons, Record: &AccountRecord{
						ExternalID: e.Data.ExternalID, Status: payments.KYCStatus(status), Attempt: e.Data.Attempt,
						Why: follow.State{Reasons: e.Data.Reasons}.Why(), IsExplained: true,
					},
				}
			},
			Read: func(ctx context.Context, id string) (follow.State, error) {
				read, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
				k := read.Value
				return follow.State{
					ID: id, Status: string(k.Status), Since: k.UpdatedAt, Reasons: k.Reasons, Record: recordOfKYC(k),
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
		IsFinal:  func(state string) bool { return payments.TransferState(state).Final() },
		Status:   func(state string) ui.Cell { return cmdutil.TransferState(payments.TransferState(state)) },
		Turn:     func(state string) payments.Turn { return payments.TransferState(state).Turn() },
		Turns:    payments.TurnsOfTransfers,
		Steps:    transferSteps,
		Words:    transferWords,
		Deadline: transferDeadline,
		Why:      func(string, follow.Record) string { return "" },
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
