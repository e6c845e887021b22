package transfer

import (
	"cmp"
	"time"

	"github.com/payctl/payctl/internal/cli/resource"
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

var resolveTable = resource.Table[resolvedWrite]{
	{Column: ui.Column{Header: "Operation"}},
	{Column: ui.Column{Header: "Reference", Keep: true}, Cell: func(w resolvedWrite) ui.Cell {
		return ui.Text(cmp.Or(w.Reference, w.ExternalID, w.Key))
	}},
	{Column: ui.Column{Header: "Outcome", Keep: true}, Cell: func(w resolvedWrite) ui.Cell {
		tones := map[journal.Outcome]ui.Tone{journal.OutcomeDone: ui.Good, journal.OutcomeRefused: ui.Bad}
		return ui.Toned(cmp.Or(tones[w.Outcome], ui.Warn), string(w.Outcome))
	}},
	{Column: ui.Column{Header: "Subject"}}, {Column: ui.Column{Header: "State"}},
	{Column: ui.Column{Header: "Sent", Name: "began"}}, {Column: ui.Column{Header: "Detail"}},
}

func newResolvedWrite(e journal.Entry) resolvedWrite {
	return resolvedWrite{
		Operation: e.Operation, Key: e.Key, Reference: e.Reference, ExternalID: e.ExternalID, BatchID: e.BatchID,
		Outcome: e.Outcome, Subject: e.Subject, State: e.State, Problem: e.Problem, Detail: e.Detail,
		Attempts: e.Attempts, Began: e.Began, Changed: e.Changed,
	}
}
