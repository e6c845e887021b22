package watchui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

// An AccountRecord is what the live view knows of an account besides the status of its identity check. It keeps no more
// than the list shows, since there may be 100,000 of them. It is not changed once it is made.
type AccountRecord struct {
	Name, Email, Country, ExternalID string // unmasked; no e-mail address: the account has not been read
	Type                             payments.AccountType
	Created                          time.Time

	// Status is the one to which the rest belongs; empty: nothing of it is known.
	Status  payments.KYCStatus
	Attempt int
	// Deadline is that of the open requirement which ends first; zero: there is none. IsChecked reports whether it is
	// known.
	Deadline  time.Time
	IsChecked bool
	// Why has the reasons in words. IsExplained reports whether they are known; there may be none.
	Why         string
	IsExplained bool
}

// withoutReasons are the statuses that never have reasons.
var withoutReasons = []payments.KYCStatus{
	payments.KYCStatusNotStarted, payments.KYCStatusPending, payments.KYCStatusApproved,
}

// HasReasons reports whether a status may have reasons.
func HasReasons(status payments.KYCStatus) bool { return !slices.Contains(withoutReasons, status) }

// short bounds a text that is kept for each of 100,000 rows, whatever the service sends.
func short(text string) string {
	const most = 256
	if len(text) <= most {
		return text
	}
	return strings.Clone(strings.ToValidUTF8(text[:most], ""))
}

// RecordOfAccount is what an account tells.
func RecordOfAccount(a payments.Account) *AccountRecord {
	return &AccountRecord{
		Name: short(a.Name()), Email: short(a.Email), Country: short(a.Country), ExternalID: short(a.ExternalID),
		Type: a.Type, Created: a.CreatedAt,
		Status: a.KYCStatus,
	}
}

// recordOfKYC is what an identity check tells.
func recordOfKYC(k payments.KYC) *AccountRecord {
	return &AccountRecord{
		Status: k.Status, Attempt: k.Attempt, Deadline: k.Deadline(), IsChecked: true,
		Why: follow.State{Reasons: k.Reasons}.Why(), IsExplained: true,
	}
}

// Over implements follow.Record.
func (r *AccountRecord) Over(earlier follow.Record) follow.Record {
	merged, before := *r, earlier.(*AccountRecord)
	if merged.Email == "" {
		merged.Name, merged.Email, merged.Country, merged.Type = before.Name, before.Email, before.Country, before.Type
		merged.Created = before.Created
		merged.ExternalID = cmp.Or(merged.ExternalID, before.ExternalID)
	}
	if merged.Status == "" || merged.Status == before.Status && !merged.IsChecked {
		merged.Status, merged.Deadline, merged.IsChecked = before.Status, before.Deadline, before.IsChecked
	}
	if merged.Status == before.Status && !merged.IsExplained {
		merged.Why, merged.IsExplained = before.Why, before.IsExplained
	}
	merged.Attempt = cmp.Or(merged.Attempt, before.Attempt)
	return &merged
}

// lacksAccount reports whether the account is not known, or the reasons of its status, or the deadline of what the
// applicant has to submit.
func lacksAccount(status string, known follow.Record) bool {
	r, _ := known.(*AccountRecord)
	if r == nil || r.Email == "" {
		return true
	}
	present, isPresent := payments.KYCStatus(status), string(r.Status) == status
	return present.TakesSubmission() && !(isPresent && r.IsChecked) || HasReasons(present) && !(isPresent && r.IsExplained)
}

// accountWhy has the reasons of a status in words, as far as a record knows them.
func accountWhy(status string, known follow.Record) string {
	if r, _ := known.(*AccountRecord); r != nil && string(r.Status) == status {
		return r.Why
	}
	return ""
}

// accountDeadline is by when the applicant has to act. The end of an approval is none: nothing has to be done by then.
func accountDeadline(status string, known follow.Record) time.Time {
	if r, _ := known.(*AccountRecord); r != nil && string(r.Status) == status {
		return r.Deadline
	}
	return time.Time{}
}

// ReadAccount reads what is missing in what is known of an account; nil if it cannot be read.
func ReadAccount(ctx context.Context, service payments.Service, id string, known follow.Record) follow.Record {
	read, _ := known.(*AccountRecord)
	if read == nil || read.Email == "" {
		account, err := service.GetAccount(ctx, id, payments.ReadOptions{})
		if err != nil {
			return nil
		}
		read, _ = follow.Newest(RecordOfAccount(account.Value), known).(*AccountRecord)
	}
	if lacksAccount(string(read.Status), read) {
		check, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
		if err != nil {
			return nil
		}
		read, _ = recordOfKYC(check.Value).Over(read).(*AccountRecord)
	}
	return read
}
