package watchui

import (
	"context"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Accounts are accounts with their identity checks.
var Accounts = &Resource{
	Noun: "Account", Nouns: "accounts", Title: "Identity checks",
	IDNames:   []string{"accountId", "subjectId", "account", "id"},
	EventType: payments.EventTypeKYCStatusChanged, Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
	Goal: string(payments.KYCStatusApproved), OneStatus: "STATUS", Statuses: "STATUSES",
	Operation: &contract.ListAccounts, Member: "kycStatus",
	CanReach: func(status, other string) bool { return payments.KYCStatus(status).CanReach(payments.KYCStatus(other)) },
	Status:   func(status string) ui.Cell { return cmdutil.KYCStatus(payments.KYCStatus(status)) },
	Turn:     func(status string) payments.Turn { return payments.KYCStatus(status).Turn() },
	Turns:    cmdutil.TurnsOfChecks,
	Find:     resource.AccountID,
	Steps:    kycSteps,
	Describe: func(record any, personal bool) string {
		account, _ := record.(payments.Account)
		if !personal {
			account = account.Masked()
		}
		return account.Name()
	},
	StateOf: func(e payments.Event) follow.State {
		to := cmdutil.Text(e.To)
		return follow.State{
			ID: e.SubjectID, Status: to, Since: e.OccurredAt, Reasons: e.Data.Reasons,
			Partial: HasReasons(payments.KYCStatus(to)),
		}
	},
	Read: readCheck, Complete: completeAccount,
}

// readCheck reads the identity check of an account.
func readCheck(ctx context.Context, service payments.Service, known follow.State) (follow.State, error) {
	read, err := service.GetKYCStatus(ctx, known.ID)
	k := read.Value
	return follow.State{
		ID: known.ID, Status: string(k.Status), Since: k.UpdatedAt, Until: k.Deadline(), Reasons: k.Reasons,
		Record: known.Record,
	}, err
}

// completeAccount reads an account, and its identity check if that tells more.
func completeAccount(ctx context.Context, service payments.Service, known follow.State) (follow.State, error) {
	if known.Record == nil {
		read, err := service.GetAccount(ctx, known.ID)
		if err != nil {
			return known, err
		}
		known.Record = RecordOfAccount(read.Value)
	}
	if HasReasons(payments.KYCStatus(known.Status)) {
		return readCheck(ctx, service, known)
	}
	return known, nil
}

// ListAccounts lists the accounts that a filter selects, as far as they tell of their checks.
func ListAccounts(service payments.Reads, filter payments.AccountFilter) List {
	return func(ctx context.Context, cursor string) (states []follow.State, next string, err error) {
		filter.PageQuery = payments.PageQuery{Limit: payments.LargestPage, Cursor: cursor}
		page, err := service.ListAccounts(ctx, filter)
		for _, a := range page.Data {
			states = append(states, follow.State{
				ID: a.ID, Status: string(a.KYCStatus), Since: a.UpdatedAt, Record: RecordOfAccount(a),
				Partial: HasReasons(a.KYCStatus),
			})
		}
		return states, cmdutil.Text(page.NextCursor), err
	}
}

// kycSteps are the commands for an identity check that waits for a person.
func kycSteps(status, id string, isReference bool) (steps []shell.Hint) {
	next, what := payments.KYCStatusApproved, "a reviewer at the service decides it"
	if payments.KYCStatus(status).TakesSubmission() {
		next, what = payments.KYCStatusPending, "what the applicant has to submit, and how"
	}
	steps = append(steps, shell.Payctl("kyc get --", id).With(what))
	if isReference {
		steps = append(steps, shell.Payctl("sandbox kyc --", id, string(next)).With("in place of the person"))
	}
	return steps
}

// HasReasons reports whether a status may have reasons or a deadline, which only the identity check tells.
func HasReasons(status payments.KYCStatus) bool {
	return !slices.Contains([]payments.KYCStatus{
		payments.KYCStatusNotStarted, payments.KYCStatusPending, payments.KYCStatusApproved,
	}, status)
}

// RecordOfAccount is what the live view knows of an account. It keeps no more than the list shows, since there may be
// 100,000 of them.
func RecordOfAccount(a payments.Account) payments.Account {
	return payments.Account{
		ID: a.ID, Type: a.Type, FirstName: short(a.FirstName), LastName: short(a.LastName), LegalName: short(a.LegalName),
		Email: short(a.Email), Country: short(a.Country), ExternalID: short(a.ExternalID),
	}
}

// short bounds a text that is kept for each of 100,000 rows, whatever the service sends.
func short(text string) string {
	const most = 256
	if len(text) <= most {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:most], ""))
}
