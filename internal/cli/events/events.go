// Package events has the commands of `payctl events`: list, tail and cursor.
package events

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Group("events", "Read the event feed", newList(d), newTail(d), newCursor(d))
}

// A selection is the flags that select the events to read.
type selection struct {
	after   string
	types   []payments.EventType
	subject string
}

const beginning = "beginning"

func (s *selection) addTo(cmd *cobra.Command, from string) {
	cmd.Flags().StringVar(&s.after, "after", from, "begin after this `CURSOR` or event id; or latest, or beginning")
	cmdutil.AddValues(cmd, &s.types, "types", "only these `TYPES`: "+strings.Join(types(), ", "))
	cmd.Flags().StringVar(&s.subject, "subject", "", "only about the account, contact or transfer with this `ID`")
}

// types are those that the contract has.
func types() []string { return contract.ListEvents.Enum("types") }

// filter returns what the flags select.
func (s *selection) filter() (payments.EventFilter, error) {
	filter := payments.EventFilter{After: s.after, Types: s.types, SubjectID: s.subject}
	if s.after == beginning {
		filter.After = ""
	}
	for _, name := range s.types {
		if err := cmdutil.CheckValue("--types", name, types()); err != nil {
			return filter, err
		}
	}
	return filter, nil
}

// selects reports whether a filter selects an event.
func selects(filter payments.EventFilter, e entry) bool {
	return (filter.SubjectID == "" || e.SubjectID == filter.SubjectID) &&
		(len(filter.Types) == 0 || slices.Contains(filter.Types, e.Type))
}

// entry is the printed form of an event. Its first fields are those of cmdutil.Change.
type entry struct {
	Type       payments.EventType   `json:"type"`
	SubjectID  string               `json:"subjectId"`
	From       *string              `json:"from"`
	To         *string              `json:"to"`
	OccurredAt time.Time            `json:"occurredAt"`
	Reasons    []payments.KYCReason `json:"reasons"`
	ID         string               `json:"id"`
	Data       payments.EventData   `json:"data"`
	Receiver   *forward.Receipt     `json:"receiver,omitzero"` // how it was acknowledged, where it was handed on
}

func entryOf(e payments.Event) entry {
	reasons := e.Data.Reasons
	if reasons == nil {
		reasons = []payments.KYCReason{}
	}
	return entry{
		Type: e.Type, SubjectID: e.SubjectID, From: e.From, To: e.To, OccurredAt: e.OccurredAt, Reasons: reasons,
		ID: e.ID, Data: e.Data,
	}
}

// columns are those of a list of events.
var columns = resource.Table[entry]{
	{
		Column: ui.Column{Header: "When", Name: "occurredAt"},
		Cell: func(e entry) ui.Cell {
			return ui.Cell{Text: cmdutil.Time(e.OccurredAt), Time: e.OccurredAt, Tone: ui.Dim}
		},
	},
	{Column: ui.Column{Header: "Type", Rank: 3, Least: 15}},
	{Column: ui.Column{Header: "Subject", Name: "subjectId", Keep: true, Ends: true}},
	{Column: ui.Column{Header: "From", Rank: 2}},
	{
		Column: ui.Column{Header: "To", Rank: 4},
		Cell: func(e entry) ui.Cell {
			if e.To == nil {
				return ui.Optional("")
			}
			return state(e.Type, *e.To)
		},
	}, {
		Column: ui.Column{Header: "What", Name: "what", Rank: 1, Least: 20},
		Cell:   func(e entry) ui.Cell { return ui.Text(what(e.Data)) },
	},
	{Column: ui.Column{Header: "Event", Name: "id", Whole: true}},
}

func state(kind payments.EventType, name string) ui.Cell {
	switch kind {
	case payments.EventTypeKYCStatusChanged:
		return cmdutil.KYCStatus(payments.KYCStatus(name))
	case payments.EventTypeTransferCreated, payments.EventTypeTransferStateChanged:
		return cmdutil.TransferState(payments.TransferState(name))
	}
	return ui.Text(name)
}

// what summarizes the data of an event in a few words.
func what(data payments.EventData) string {
	var parts []string
	for _, r := range data.Reasons {
		parts = append(parts, r.Text())
	}
	for _, code := range []string{data.FailureReason, data.ReturnCode} {
		if code != "" {
			parts = append(parts, payments.TransferReason(code).Text())
		}
	}
	if data.Source != nil && data.Destination != nil {
		parts = append(parts, cmdutil.Money(data.Source.Amount, data.Source.Currency)+" to "+
			cmdutil.Money(data.Destination.Amount, data.Destination.Currency))
	}
	if data.Label != "" {
		parts = append(parts, data.Label)
	}
	return strings.Join(parts, ", ")
}
