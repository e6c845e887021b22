package transfer

import (
	"cmp"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/ui"
)

// A resolvedWrite is an entry of the journal as resolve prints it.
type resolvedWrite struct {
	Operation  string          `json:"operation"`
	Key        string          `json:"idempotencyKey"`
	Reference  string          `json:"reference,omitempty"`
	ExternalID string          `json:"externalId,omitempty"`
	BatchID    string          `json:"batchId,omitempty"`
	Outcome    journal.Outcome `json:"outcome"`
	Subject    string          `json:"subject,omitempty"`
	State      string          `json:"state,omitempty"`
	Problem    string          `json:"problemType,omitempty"`
	Detail     string          `json:"detail,omitempty"`
	Attempts   int             `json:"attempts"`
	Began      time.Time       `json:"began"`
	Changed    time.Time       `json:"changed"`
}

var resolveColumns = []ui.Column{
	{Header: "Operation"}, {Header: "Reference", Keep: true}, {Header: "Outcome", Keep: true}, {Header: "Subject"},
	{Header: "State"}, {Header: "Sent", Name: "began"}, {Header: "Detail"},
}

func newResolvedWrite(e journal.Entry) resolvedWrite {
	return resolvedWrite{
		Operation: e.Operation, Key: e.Key, Reference: e.Reference, ExternalID: e.ExternalID, BatchID: e.BatchID,
		Outcome: e.Outcome, Subject: e.Subject, State: e.State, Problem: e.Problem, Detail: e.Detail,
		Attempts: e.Attempts, Began: e.Began, Changed: e.Changed,
	}
}

func (w resolvedWrite) row() []ui.Cell {
	tone := ui.Warn
	switch w.Outcome {
	case journal.OutcomeDone:
		tone = ui.Good
	case journal.OutcomeRefused:
		tone = ui.Bad
	}
	return []ui.Cell{ui.Text(w.Operation), ui.Text(cmp.Or(w.Reference, w.ExternalID, w.Key)),
		ui.Toned(tone, string(w.Outcome)), ui.Optional(w.Subject), ui.Optional(w.State),
		ui.Text(cmdutil.Time(w.Began)), ui.Optional(w.Detail)}
}
