package rowsui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// tallies are what the progress counts. Rows that were not reached have not ended.
var tallies = []cmdutil.Tally{
	{Name: string(batch.Created), Tone: ui.Good}, {Name: string(batch.Existed), Tone: ui.Good},
	{Name: string(batch.Different), Tone: ui.Reviewer}, {Name: string(effect.Unknown), Tone: ui.Reviewer},
	{Name: string(effect.Refused), Tone: ui.Bad},
}

// A report is what became of every row of a file.
type report struct {
	d       *cmdutil.Deps
	out     *ui.Printer // of the command
	columns []ui.Column
	// failedOnly shows only the rows that do not exist or have a detail.
	failedOnly bool
	// refused are the rows that --skip-invalid has left out, and summary is the path of --summary.
	refused []*batch.Row
	summary string
	// wait waits for what the rows have created and sets its states. Nil means there is nothing to wait for.
	wait func() error
}

// write writes rows. A table of failed rows has no header if there are none.
func (r *report) write(to *ui.Printer, rows []*batch.Row) error {
	if r.failedOnly {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row *batch.Row) bool { return row.Exists() && row.Detail == "" })
		if len(rows) == 0 {
			return nil
		}
	}
	stream := to.Stream(r.columns)
	stream.Advice = "use a wider terminal or -o csv"
	for _, row := range rows {
		texts, cells := map[string]string{}, make([]ui.Cell, len(r.columns))
		for _, cell := range row.Cells() {
			texts[cell.Column] = cell.Text
		}
		for i := range r.columns {
			cells[i] = ui.Text(texts[r.columns[i].Name])
		}
		if err := stream.Write(row, cells); err != nil {
			return err
		}
	}
	return stream.Close()
}

// send sends the rows and reports them to a file, or as the output if path is empty. Rows that were not reached when
// ctx ended are reported too. The error says that not every row exists, and why.
func (r *report) send(ctx context.Context, sender *batch.Sender, rows []*batch.Row, path string) (err error) {
	to, keep := r.out, func() error { return nil }
	if path != "" {
		file, err := cmdutil.CreateReportFile(path)
		if err != nil {
			return cmdutil.Unwritable("the report", err)
		}
		defer file.Discard()
		if to, err = file.Printer(); err != nil {
			return err
		}
		keep = file.Keep
	}
	keepSummary := func(*summary) error { return nil }
	if r.summary != "" {
		file, err := cmdutil.CreateReportFile(r.summary)
		if err != nil {
			return cmdutil.Unwritable("the summary", err)
		}
		defer file.Discard()
		keepSummary = func(s *summary) error {
			text, err := json.Marshal(s.forPrograms(), json.Deterministic(true), jsontext.WithIndent("  "))
			_, _ = file.Write(append(text, '\n')) // Keep returns its error
			return cmp.Or(err, file.Keep())
		}
	}
	stopNotice := context.AfterFunc(ctx, func() {
		r.d.Notef("Finishing the rows that are being sent; no others are sent. " +
			"Ctrl-C again leaves at once, and their outcome is then unknown.")
	})
	line := cmdutil.StartProgress(r.d, len(rows), "", tallies...)
	defer line.Stop() // also if it panics
	sender.Begin, sender.Trouble, sender.Pause = line.Begin, line.Trouble, line.Pause
	sender.Ended = func(row *batch.Row) { line.Add(string(row.Outcome), 1, !row.ExistedBefore()) }
	sendErr := sender.Run(ctx, rows)
	stopNotice()
	line.Stop()
	rows = slices.Concat(rows, r.refused)
	slices.SortStableFunc(rows, func(a, b *batch.Row) int { return a.Line - b.Line })
	s := summarize(rows, sender)
	s.tell(r.d, path)
	var waitErr error
	if r.wait != nil && (sendErr == nil || errors.Is(sendErr, batch.ErrUnchecked)) {
		waitErr = r.wait()
	}
	if err = r.write(to, rows); err == nil {
		err = keep()
	}
	s = summarize(rows, sender) // with the states of the wait
	if err == nil && s.batchID != "" && r.out.Format() == ui.FormatNDJSON {
		err = r.out.Print([]any{map[string]any{"summary": s.forPrograms()}}, nil)
	}
	if err == nil {
		err = keepSummary(s)
	}
	switch {
	case s.of[batch.Created]+s.of[batch.Existed] < len(rows), len(s.paidTwice) > 0, s.failing > 0:
		if err != nil {
			sendErr = errors.Join(sendErr, fmt.Errorf("the report cannot be written: %w", err))
		}
		failed := s.failed(sendErr)
		if waitErr != nil {
			failed.Detail += "\n" + waitErr.Error()
		}
		return failed
	case errors.Is(sendErr, batch.ErrUnchecked):
		unchecked := &cmdutil.Error{
			Code: cmdutil.ExitOutcomeUnknown, ProblemType: cmdutil.ProblemBatchFailed,
			Title: "Every row is done, and perhaps paid twice.", Cause: sendErr,
		}
		return errors.Join(unchecked.WithNote("run the same command again, which checks it"), waitErr, err)
	}
	return cmp.Or(waitErr, cmdutil.OutputFailed(err, "every row is done"))
}
