package payments

import (
	"slices"
	"strings"
	"time"
)

// PageQuery selects a page of a list. The zero value asks for the first page.
type PageQuery struct {
	// Limit is the most rows to return, 1 to LargestPage. Zero means 20. A page may have fewer rows, or none, although
	// others follow.
	Limit  int
	Cursor string
	// CreatedAfter and CreatedBefore select rows created after and before a time. Zero selects all.
	CreatedAfter, CreatedBefore time.Time
}

// Includes reports whether the query selects what was created at a time.
func (q PageQuery) Includes(created time.Time) bool {
	return (q.CreatedAfter.IsZero() || created.After(q.CreatedAfter)) &&
		(q.CreatedBefore.IsZero() || created.Before(q.CreatedBefore))
}

// AccountFilter selects accounts. Empty members do not filter.
type AccountFilter struct {
	PageQuery
	KYCStatuses []KYCStatus
	Email       string
	ExternalID  string
}

// Matches reports whether the filter selects an account. It ignores the case of e-mail addresses, and does not compare
// a masked or missing one.
func (f AccountFilter) Matches(a Account) bool {
	hidden := a.Email == "" || strings.Contains(a.Email, "*")
	return f.Includes(a.CreatedAt) && oneOf(a.KYCStatus, f.KYCStatuses) && equals(a.ExternalID, f.ExternalID) &&
		(f.Email == "" || hidden || strings.EqualFold(a.Email, f.Email))
}

// SavedContactFilter selects saved contacts. Empty members do not filter.
type SavedContactFilter struct {
	PageQuery
	AccountID  string
	ExternalID string
	Label      string
}

// Matches reports whether the filter selects a saved contact.
func (f SavedContactFilter) Matches(c SavedContact) bool {
	return f.Includes(c.CreatedAt) && equals(c.AccountID, f.AccountID) && equals(c.ExternalID, f.ExternalID) &&
		equals(c.Label, f.Label)
}

// TransferFilter selects transfers. Empty members do not filter.
type TransferFilter struct {
	PageQuery
	AccountID  string
	ContactID  string
	Route      string
	States     []TransferState
	Reference  string
	ExternalID string
	BatchID    string
}

// Matches reports whether the filter selects a transfer.
func (f TransferFilter) Matches(t Transfer) bool {
	return f.Includes(t.CreatedAt) && oneOf(t.State, f.States) && equals(t.AccountID, f.AccountID) &&
		equals(t.DestinationSavedContactID, f.ContactID) && equals(t.Route, f.Route) && equals(t.Reference, f.Reference) &&
		equals(t.ExternalID, f.ExternalID) && equals(t.BatchID, f.BatchID)
}

func equals(value, wanted string) bool { return wanted == "" || value == wanted }

func oneOf[T comparable](value T, wanted []T) bool {
	return len(wanted) == 0 || slices.Contains(wanted, value)
}
