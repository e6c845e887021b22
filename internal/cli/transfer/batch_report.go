package transfer

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/rowreport"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// A summary counts the outcomes of a batch.
type summary struct {
	BatchID string `json:"batchId"`
	Rows    int    `json:"rows"`
	Created int    `json:"created"`
	Refused int    `json:"refused"`
	Unknown int    `json:"unknown"`
	NotSent int    `json:"notSent"`
	// NotChecked counts the rows of which it is not known whether an earlier run has paid them.
	NotChecked int `json:"notChecked"`
	// PaidTwice are the references for which the service has several transfers.
	PaidTwice []batch.PaidTwice `json:"paidTwice,omitempty"`
	Totals    []batch.Total     `json:"totalsCreated"`

	counts *rowreport.Counts
	others map[string]int // rows that other files have paid before, by their names
}

// batchTotals are what a batch counts besides outcomes.
type batchTotals struct {
	amounts []batch.Total
	others  map[string]int
}

func (t *batchTotals) count(result *batch.Result) {
	if result.Exists() && result.Sum != nil {
		t.amounts = result.Sum.AddTo(t.amounts)
	}
	if result.EarlierBatch != "" {
		t.others[earlierFile(result.EarlierFile, result.EarlierBatch)]++
	}
}

func newSummary(batchID string, r *rowreport.Report, totals batchTotals, paidTwice []batch.PaidTwice) *summary {
	return &summary{
		BatchID: batchID, Rows: r.Rows, Created: r.Exist(), Refused: r.Of[batch.Refused], Unknown: r.Of[batch.Unknown],
		NotSent: r.Of[batch.NotSent], NotChecked: r.Of[batch.NotChecked], PaidTwice: paidTwice, Totals: totals.amounts,
		counts: &r.Counts, others: totals.others,
	}
}

// text counts the outcomes in a line. The note follows the number of created rows.
func (s *summary) text(note string) string {
	text := s.counts.String(batch.Created, batch.Refused, batch.Unknown, batch.NotSent)
	return strings.Replace(text, " created", " created"+note, 1)
}

// beforeNote follows the number of created rows: how many of them existed before; empty if none did.
func (s *summary) beforeNote() string {
	if s.counts.Before == 0 {
		return ""
	}
	return " (" + strconv.Itoa(s.counts.Before) + " of them before)"
}

// printSummaryLine prints the summary on standard error.
func printSummaryLine(d *cmdutil.Deps, report *rowreport.Report, s *summary) {
	text := s.text(s.beforeNote())
	for _, t := range s.Totals {
		text += "; " + money(t.Amount, t.AmountType, t.Currency)
	}
	d.Notef("%s%s (%s)", text, report.Speed(), s.BatchID)
	for _, other := range slices.Sorted(maps.Keys(s.others)) {
		d.Errorf("%s paid before by %s", cmdutil.Count(s.others[other], "row(s)"), other)
	}
	report.PrintRefusals()
}

func (s *summary) view() ui.View {
	unchecked := ""
	if s.NotChecked > 0 {
		unchecked = strconv.Itoa(s.NotChecked)
	}
	return slices.Concat(cmdutil.Field("Batch", s.BatchID),
		cmdutil.Field("Created", strconv.Itoa(s.Created)+s.beforeNote()),
		cmdutil.Field("Refused", strconv.Itoa(s.Refused)),
		cmdutil.Field("Unknown", strconv.Itoa(s.Unknown)), cmdutil.Field("Not sent", strconv.Itoa(s.NotSent)),
		cmdutil.Field("Not checked", unchecked),
		cmdutil.Field("Paid twice", paidTwiceLines(s.PaidTwice, len(s.PaidTwice))...),
		cmdutil.Field("Totals", totals(s.Totals)...))
}
