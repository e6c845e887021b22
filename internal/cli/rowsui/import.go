package rowsui

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/rowreport"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/ui"
)

// importConcurrency is how many rows of an import are sent at once: few enough for any service.
const importConcurrency = 4

// ImportHelp is the part of a command's help that imports have in common.
const ImportHelp = `The column external_id is required: it is your own name for the row, different in every row, and makes the row
repeatable. Columns have the names of the members, as external_id or externalId, and metadata.NAME for your own data.
If the file has other names, give --map, and for what is the same in all rows --set.

payctl checks the whole file before it sends anything, and reports every error with line and column. Each row is then
created once. If the import stops, for whatever reason, run the same command again, here or on another machine: a row
that exists is not created again. A row whose external id exists with other content is reported as different; nothing
is changed.

The report has a line for each row, in the order of the file, with outcome (created, existed, different, refused,
unknown or not_checked), id, status, problem_type, detail, created_at and made (now or before). --report writes it to
a file.`

// ImportExitCodes is the part of a command's help that explains how it exits.
const ImportExitCodes = `Exit codes: 0 every row exists, 10 the outcome of some rows is unknown (run the same command again), 13 some rows
were refused or are different, 9 the service could not be reached, 2 nothing was sent because of the file.`

// ImportOptions are the flags of a command that imports.
type ImportOptions struct {
	Flags
	showPII bool
}

// AddTo adds the flags. Constant is an example of --set.
func (o *ImportOptions) AddTo(d *cmdutil.Deps, cmd *cobra.Command, constant string) {
	o.Flags.AddTo(cmd, constant, importConcurrency)
	cmdutil.AddShowPII(d, cmd, &o.showPII)
}

// An Import is what one command does with its rows.
type Import[T any] struct {
	Kind batch.Kind[T]
	// Columns are the columns of the input that a table shows behind external_id.
	Columns []string
	// Prepare completes the requests with what the service knows, and adds errors of rows; it may be nil.
	Prepare func(context.Context, *outbox.Outbox, *batch.Import[T]) error
	// CallTimeout bounds one call; zero: as the settings have it.
	CallTimeout time.Duration
	// Wait waits for those of the results that exist and sets their statuses; nil: there is nothing to wait for.
	Wait func(context.Context, *outbox.Outbox, []batch.Result) error
}

// RunImport imports a file and reports every row.
func RunImport[T any](ctx context.Context, d *cmdutil.Deps, o *ImportOptions, path string, im Import[T]) error {
	if err := o.Check(path); err != nil {
		return err
	}
	if o.showPII {
		im.Kind.Shown = func(request T) any { return request }
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	service, err := d.Connect(cmdutil.ClientOptions{Timeout: im.CallTimeout})
	if err != nil {
		return err
	}
	file, err := readImport(ctx, d, o, path, im.Kind)
	if err != nil {
		return err
	}
	if len(file.First) == 0 && im.Prepare != nil {
		if err := im.Prepare(ctx, service, file); err != nil {
			return err
		}
	}
	if len(file.First) > 0 {
		return d.RowErrors(path, file.Errors, "nothing was sent")
	}
	if o.DryRun {
		d.Notef("Nothing was sent. Without --dry-run, %s would be, unless they exist.", cmdutil.Count(len(file.Rows), "row(s)"))
		return rowreport.PrintPlanned(printer, importColumns(file.Columns), file.Jobs())
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	r, err := rowreport.NewReport(ctx, d, printer, o.Report, len(file.Rows))
	if err != nil {
		return err
	}
	defer r.Discard()
	r.Holds = true
	sender := o.Sender(d, resolved.Timeout)
	sender.Outbox = service
	sendErr := sender.Run(ctx, file.Jobs(), r)
	r.Stop()
	r.Complete(len(file.Rows))
	counts := importSummary(&r.Counts)
	d.Notef("%s", counts)
	r.PrintRefusals()
	var waitErr error
	if im.Wait != nil && sendErr == nil {
		waitErr = im.Wait(ctx, service, r.Held)
	}
	names := slices.Concat(file.Columns, batch.ImportColumns)
	if r.IsTable() {
		names = slices.Concat([]string{"external_id"}, im.Columns, []string{"outcome", "id", "status", "detail"})
		names = slices.DeleteFunc(names, func(name string) bool { return isEmpty(r.Held, name) })
	}
	r.Columns = importColumns(names)
	reportErr := r.Finish(printer.With(context.WithoutCancel(ctx)), counts, counts.view)
	switch {
	case counts.Created+counts.Existed < counts.Rows:
		if reportErr != nil {
			d.Warnf("the report cannot be written: %v", reportErr)
		}
		if waitErr != nil {
			d.Warnf("%v", waitErr)
		}
		return importFailed(counts, sendErr)
	case waitErr != nil:
		return waitErr
	}
	return cmdutil.OutputFailed(reportErr, "every row exists")
}

// readImport reads the file of an import.
func readImport[T any](
	ctx context.Context, d *cmdutil.Deps, o *ImportOptions, path string, kind batch.Kind[T],
) (*batch.Import[T], error) {
	mapping, err := o.Mapping.Read(kind.Members())
	if err != nil {
		return nil, err
	}
	from, err := d.OpenInput(ctx, path)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	file, err := batch.ReadImport(ctx, cmdutil.InputName(path), from, mapping, kind)
	if errors.Is(err, rows.ErrUnusable) {
		err = cmdutil.Usage("%v", err)
	}
	if err == nil {
		d.NoteUnused(file.Unused)
	}
	return file, err
}

// importColumns are columns of a report. A narrow table leaves out first what is no name, outcome or detail.
func importColumns(names []string) []ui.Column {
	ranks := []string{"status", "id", "detail", "external_id", "outcome"}
	columns := make([]ui.Column, len(names))
	for i, name := range names {
		columns[i] = ui.Column{
			Header: strings.ReplaceAll(name, "_", " "), Name: name, Rank: slices.Index(ranks, name),
			Keep: name == "external_id" || name == "outcome", Ends: name == "external_id", Whole: name == "id",
		}
	}
	return columns
}

// isEmpty reports whether no result has a text in a column.
func isEmpty(results []batch.Result, column string) bool {
	return !slices.ContainsFunc(results, func(r batch.Result) bool { return r.Cell(column) != "" })
}

// A summary counts the outcomes of an import.
type summary struct {
	Rows       int `json:"rows"`
	Created    int `json:"created"`
	Existed    int `json:"existed"`
	Different  int `json:"different"`
	Refused    int `json:"refused"`
	Unknown    int `json:"unknown"`
	NotChecked int `json:"notChecked"`

	text string
}

func importSummary(c *rowreport.Counts) *summary {
	return &summary{
		Rows: c.Rows, Created: c.Of[batch.Created], Existed: c.Of[batch.Existed], Different: c.Of[batch.Different],
		Refused: c.Of[batch.Refused], Unknown: c.Of[batch.Unknown], NotChecked: c.Of[batch.NotChecked],
		text: c.String(batch.Created, batch.Existed, batch.Different, batch.Refused, batch.Unknown),
	}
}

// String counts the outcomes in words.
func (s *summary) String() string { return s.text }

func (s *summary) view() ui.View {
	return slices.Concat(cmdutil.Field("Rows", strconv.Itoa(s.Rows)), cmdutil.Field("Outcomes", s.text))
}

// importFailed returns the error of an import some of whose rows do not exist. Cause is what stopped it before its end; nil
// if every row was sent.
func importFailed(s *summary, cause error) error {
	e := &cmdutil.Error{
		Kind: cmdutil.KindBatchFailed, Title: "Not every row exists.", Cause: cause,
		Detail: "of " + cmdutil.Count(s.Rows, "row(s)") + ": " + s.text,
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
