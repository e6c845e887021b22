// Package events is `payctl events`.
package events

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	return deps.Group("events", "Read what happened, in order", newList(d), newTail(d), newCursor(d))
}

// A selection is which part of the feed is read.
type selection struct {
	after string
	types []string
}

const beginning = "beginning"

func (s *selection) addTo(cmd *cobra.Command, from string) {
	cmd.Flags().StringVar(&s.after, "after", from, "begin after this `CURSOR`, which an event's id is too; or latest, or beginning")
	cmd.Flags().StringSliceVar(&s.types, "types", nil, "only these `TYPES`, such as kyc.statusChanged,transfer.stateChanged")
}

func (s *selection) filter() payments.EventFilter {
	filter := payments.EventFilter{After: s.after}
	if s.after == beginning {
		filter.After = ""
	}
	for _, name := range s.types {
		filter.Types = append(filter.Types, payments.EventType(strings.TrimSpace(name)))
	}
	return filter
}

// withNext says what to try where a cursor is no longer one of the feed: whoever followed it has missed changes.
func withNext(err error) error {
	if !payments.IsKind(err, payments.KindGone) {
		return err
	}
	return &deps.Hinted{Err: err, Next: "read the present states (payctl accounts list, payctl transfer list), then begin anew with --after latest"}
}

// entry is an event as it is printed: as every change is, and what else belongs to it.
type entry struct {
	Type       payments.EventType   `json:"type"`
	SubjectID  string               `json:"subjectId"`
	From       *string              `json:"from"`
	To         *string              `json:"to"`
	OccurredAt time.Time            `json:"occurredAt"`
	Reasons    []payments.KYCReason `json:"reasons"`
	ID         string               `json:"id"`
	Data       payments.EventData   `json:"data"`
}

func entryOf(e payments.Event) entry {
	reasons := e.Data.Reasons
	if reasons == nil {
		reasons = []payments.KYCReason{}
	}
	return entry{Type: e.Type, SubjectID: e.SubjectID, From: e.From, To: e.To, OccurredAt: e.OccurredAt, Reasons: reasons, ID: e.ID, Data: e.Data}
}

var columns = []term.Column{
	{Header: "When", Name: "occurredAt"}, {Header: "Type"}, {Header: "Subject", Name: "subjectId", Keep: true}, {Header: "From"}, {Header: "To"},
	{Header: "What", Name: "what"}, {Header: "Event", Name: "id"},
}

// cells shows an event in a row of a table.
func cells(e payments.Event) []term.Cell {
	return append(line(e), term.Text(e.ID))
}

// line shows an event as one line.
func line(e payments.Event) []term.Cell {
	from, to := term.Optional(""), term.Optional("")
	if e.From != nil {
		from = term.Text(*e.From)
	}
	if e.To != nil {
		to = state(e.Type, *e.To)
	}
	return []term.Cell{term.Toned(term.Dim, deps.Time(e.OccurredAt)), term.Text(string(e.Type)), term.Text(e.SubjectID),
		from, to, term.Text(what(e.Data))}
}

func state(kind payments.EventType, name string) term.Cell {
	switch kind {
	case payments.EventTypeKYCStatusChanged:
		return deps.KYCStatus(payments.KYCStatus(name))
	case payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged:
		return deps.TransferState(payments.TransferState(name))
	}
	return term.Text(name)
}

// what tells in a few words what a person wants to know beside the state.
func what(data payments.EventData) string {
	var parts []string
	for _, r := range data.Reasons {
		parts = append(parts, r.Text())
	}
	if data.Source != nil && data.Destination != nil {
		parts = append(parts, deps.Money(data.Source.Amount, data.Source.Currency)+" to "+deps.Money(data.Destination.Amount, data.Destination.Currency))
	}
	for _, text := range []string{data.FailureReason, data.ReturnCode, data.Label} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
