package watchui

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// Accounts describes accounts with their identity checks to a watch of single ones, without columns and details.
func Accounts(service payments.Service) Kind {
	return Kind{
		Noun: "Account", Nouns: "accounts", Title: "Identity checks",
		IDNames:   []string{"accountId", "subjectId", "account", "id"},
		EventType: payments.EventTypeKYCStatusChanged,
		Goal:      string(payments.KYCStatusApproved), OneStatus: "STATUS", Statuses: "STATUSES",
		Operation: "listAccounts", Member: "kycStatus",
		CanReach: func(status, other string) bool {
			return payments.KYCStatus(status).CanReach(payments.KYCStatus(other))
		},
		Status:  func(status string) ui.Cell { return cmdutil.KYCStatus(payments.KYCStatus(status)) },
		Turn:    func(status string) payments.Turn { return payments.KYCStatus(status).Turn() },
		Turns:   cmdutil.TurnsOfChecks,
		Steps:   kycSteps,
		Merge:   mergeAccounts,
		Explain: explainCheck, Lacks: lacksAccount, Read: readAccount(service),
		Subjects: follow.Subjects{
			Events: []payments.EventType{payments.EventTypeKYCStatusChanged},
			Of: func(e payments.Event) follow.State {
				return follow.State{ID: e.SubjectID, Status: cmdutil.Text(e.To), Since: e.OccurredAt, Reasons: e.Data.Reasons}
			},
			Read: func(ctx context.Context, known follow.State) (follow.State, error) {
				read, err := service.GetKYCStatus(ctx, known.ID, payments.ReadOptions{})
				k, record := read.Value, accountOf(known.Record)
				record.Check = recordOfCheck(k)
				return follow.State{
					ID: known.ID, Status: string(k.Status), Since: k.UpdatedAt, Reasons: k.Reasons, Record: &record,
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
		steps = []string{shell.Hint("payctl kyc get -- ACCOUNT   (what the applicant has to submit, and how)",
			shell.Values{"ACCOUNT": id})}
	}
	if isReference {
		return append(steps, shell.Hint("payctl sandbox kyc -- ACCOUNT STATUS   (in place of the person)",
			shell.Values{"ACCOUNT": id, "STATUS": string(next)}))
	}
	if steps == nil {
		steps = []string{shell.Hint("payctl kyc get -- ACCOUNT   (a reviewer at the service decides it)",
			shell.Values{"ACCOUNT": id})}
	}
	return steps
}

// An AccountRecord is what the live view knows of an account besides the status of its identity check. It keeps no more
// than the list shows, since there may be 100,000 of them. It is not changed once it is made.
type AccountRecord struct {
	Name, Email, Country, ExternalID string // unmasked; no e-mail address: the account has not been read
	Type                             payments.AccountType

	Check CheckRecord // without a status: the identity check has not been read
}

// A CheckRecord is what the live view knows of an identity check while it has a status.
type CheckRecord struct {
	Status payments.KYCStatus
	// Deadline is that of the open requirement which ends first; zero: there is none.
	Deadline time.Time
	Why      string
}

// HasReasons reports whether a status may have reasons or a deadline, which only the identity check tells.
func HasReasons(status payments.KYCStatus) bool {
	return !slices.Contains([]payments.KYCStatus{
		payments.KYCStatusNotStarted, payments.KYCStatusPending, payments.KYCStatusApproved,
	}, status)
}

// RecordOfAccount is what an account tells.
func RecordOfAccount(a payments.Account) *AccountRecord {
	return &AccountRecord{
		Name: short(a.Name()), Email: short(a.Email), Country: short(a.Country), ExternalID: short(a.ExternalID),
		Type: a.Type,
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

// accountOf returns a record as that of an account, which is empty if nothing is known.
func accountOf(record any) AccountRecord {
	if r, _ := record.(*AccountRecord); r != nil {
		return *r
	}
	return AccountRecord{}
}

// recordOfCheck is what an identity check tells.
func recordOfCheck(k payments.KYC) CheckRecord {
	return CheckRecord{k.Status, k.Deadline(), follow.State{Reasons: k.Reasons}.Why()}
}

// mergeAccounts implements Kind.Merge. What is known of the identity check is that of the status before.
func mergeAccounts(record, earlier any) any {
	now, before := accountOf(record), accountOf(earlier)
	if now.Email != "" {
		return record
	}
	before.Check = now.Check // the account was read before, if at all
	return &before
}

// explainCheck implements Kind.Explain. The end of an approval is no deadline: nothing has to be done by then.
func explainCheck(status string, record any) (deadline time.Time, why string) {
	if check := accountOf(record).Check; string(check.Status) == status {
		return check.Deadline, check.Why
	}
	return time.Time{}, ""
}

// lacksAccount implements Kind.Lacks.
func lacksAccount(status string, record any) bool {
	r := accountOf(record)
	return r.Email == "" || HasReasons(payments.KYCStatus(status)) && string(r.Check.Status) != status
}

// readAccount returns what implements Kind.Read.
func readAccount(service payments.Service) func(context.Context, string, string, any) (any, error) {
	return func(ctx context.Context, id, status string, known any) (any, error) {
		record := accountOf(known)
		if record.Email == "" {
			read, err := service.GetAccount(ctx, id, payments.ReadOptions{})
			if err != nil {
				return nil, err
			}
			check := record.Check
			record = *RecordOfAccount(read.Value)
			record.Check = check
		}
		if lacksAccount(status, &record) {
			read, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
			if err != nil {
				return nil, err
			}
			record.Check = recordOfCheck(read.Value)
		}
		return &record, nil
	}
}
