package importui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/importer"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// A summary counts the outcomes of an import.
type summary struct {
	Rows       int `json:"rows"`
	Created    int `json:"created"`
	Existed    int `json:"existed"`
	Different  int `json:"different"`
	Refused    int `json:"refused"`
	Unknown    int `json:"unknown"`
	NotChecked int `json:"notChecked"`
}

// tallies are what the progress counts. Rows that were not checked have not ended.
var tallies = []cmdutil.Tally{
	{Name: string(importer.Created), Tone: ui.Good}, {Name: string(importer.Existed), Tone: ui.Good},
	{Name: string(importer.Different), Tone: ui.Staff}, {Name: string(payments.Unknown), Tone: ui.Staff},
	{Name: string(payments.Refused), Tone: ui.Bad},
}

func count(results []importer.Result) summary {
	s := summary{Rows: len(results)}
	for i := range results {
		switch results[i].Outcome {
		case importer.Created:
			s.Created++
		case importer.Existed:
			s.Existed++
		case importer.Different:
			s.Different++
		case payments.Refused:
			s.Refused++
		case payments.Unknown:
			s.Unknown++
		default:
			s.NotChecked++
		}
	}
	return s
}

// exist is how many rows exist as the file has them.
func (s summary) exist() int { return s.Created + s.Existed }

// String counts the outcomes in words.
func (s summary) String() string {
	text := fmt.Sprintf("%d created, %d existed, %d different, %d refused, %d unknown",
		s.Created, s.Existed, s.Different, s.Refused, s.Unknown)
	if s.NotChecked > 0 {
		text += fmt.Sprintf(", %d not checked", s.NotChecked)
	}
	return text
}

func (s summary) view() ui.View {
	return ui.Details{{Label: "Rows", Cells: []ui.Cell{ui.Text(fmt.Sprint(s.Rows))}},
		{Label: "Outcomes", Cells: []ui.Cell{ui.Text(s.String())}}}
}

// failed returns the error of an import some of whose rows do not exist. Cause is what stopped it before its end; nil if
// every row was sent.
func failed(s summary, cause error) error {
	e := &cmdutil.Error{
		Kind: cmdutil.KindBatchFailed, Title: "Not every row exists.", Cause: cause,
		Detail: "of " + cmdutil.Count(s.Rows, "row(s)") + ": " + s.String(),
	}
	switch {
	case s.Unknown > 0:
		e.Code = cmdutil.ExitOutcomeUnknown
	case cause == nil:
		e.Code = cmdutil.ExitRowsRefused
	}
	if cause != nil {
		e.Detail += ": " + cause.Error()
	}
	if s.Refused > 0 {
		e.Next = append(e.Next, "correct the refused rows and run the same command again: what exists is not created again")
	}
	if s.Different > 0 {
		e.Next = append(e.Next, "correct the rows that are different, or change what exists, with its update command: the report "+
			"names it and where they differ")
	}
	if s.Unknown+s.NotChecked > 0 {
		e.Next = append(e.Next, "run the same command again: what exists is not created again")
	}
	if s.Unknown > 0 {
		e.Next = append(e.Next, "payctl transfer resolve")
	}
	return e
}

// A report shows the progress of an import and what became of its rows.
type report struct {
	d       *cmdutil.Deps
	columns []string // of the input
	table   []string // those that a table shows
	planned bool     // nothing is sent
	file    *cmdutil.ReportFile
}

// create creates the file of --report, if there is one. It must not be the file of the rows.
func (r *report) create(ctx context.Context, path, rows string) (err error) {
	switch {
	case path == "":
		return nil
	case cmdutil.IsSameFile(rows, path):
		return cmdutil.Usage("--report %s is the file of the rows, which it would overwrite", path)
	}
	r.file, err = cmdutil.CreateReport(ctx, path)
	if err != nil && ctx.Err() == nil {
		err = cmdutil.Unwritable("the report", path, err)
	}
	return err
}

// discard removes a file that was not kept.
func (r *report) discard() {
	if r.file != nil {
		r.file.Discard()
	}
}

// print prints the results: to the file, with the summary in its place, or else with the printer.
func (r *report) print(printer *ui.Printer, results []importer.Result) error {
	if r.file == nil {
		return r.write(printer, results)
	}
	to, err := r.file.Printer()
	if err == nil {
		err = r.write(to, results)
	}
	if err != nil {
		return err
	}
	counts := count(results)
	done := counts.Rows - counts.Unknown - counts.NotChecked
	if err := r.file.Keep(done == counts.Rows || r.file.EarlierCount(importer.CountEstablished) <= done); err != nil {
		return err
	}
	return printer.Print(counts, counts.view)
}

func (r *report) write(printer *ui.Printer, results []importer.Result) error {
	names := slices.Concat(r.columns, importer.ReportColumns)
	switch {
	case r.planned:
		names = r.columns
	case printer.Format() == ui.FormatTable:
		names = slices.Concat([]string{"external_id"}, r.table, []string{"outcome", "id", "status", "detail"})
		names = slices.DeleteFunc(names, func(name string) bool { return isEmpty(results, name) })
	}
	columns := make([]ui.Column, len(names))
	for i, name := range names {
		columns[i] = ui.Column{
			Header: strings.ReplaceAll(name, "_", " "), Name: name, Rank: slices.Index(ranks, name),
			Keep: name == "external_id" || name == "outcome", Ends: name == "external_id", Whole: name == "id",
		}
	}
	stream := printer.Stream(columns)
	stream.Advice = "use a wider terminal or -o csv"
	var page cmdutil.Rows
	for i := range results {
		cells := make([]ui.Cell, len(names))
		for k, name := range names {
			cells[k] = ui.Text(results[i].Cell(name))
		}
		page.Add(results[i].Fields(), cells)
	}
	return cmp.Or(stream.WritePage(page.Values, page.Cells), stream.Close())
}

// ranks are the columns that a narrow table leaves out last, the most important one at the end.
var ranks = []string{"status", "id", "detail", "external_id", "outcome"}

// isEmpty reports whether no result has a text in a column.
func isEmpty(results []importer.Result, column string) bool {
	return !slices.ContainsFunc(results, func(r importer.Result) bool { return r.Cell(column) != "" })
}
