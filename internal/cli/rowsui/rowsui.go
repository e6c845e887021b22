// Package rowsui is what the commands share that send a request for every row of a file: their flags, the report of what
// became of each row, and whole imports of accounts and contacts.
package rowsui

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/reportfile"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

const (
	maxConcurrency = 64
	// patience is how long a service that cannot be reached is tried again: about as long as a restart takes.
	patience = time.Minute
)

// Flags are those of every command that sends the rows of a file.
type Flags struct {
	Mapping     cmdutil.Mapping
	Concurrency int
	Report      string
	DryRun      bool
}

// AddTo adds the flags. Constant is an example of --set.
func (o *Flags) AddTo(cmd *cobra.Command, constant string, concurrency int) {
	f := cmd.Flags()
	o.Mapping.AddTo(cmd, constant)
	f.IntVar(&o.Concurrency, "concurrency", concurrency, "send `N` rows at once, 1 to 64")
	f.StringVar(&o.Report, "report", "", "write the report to `FILE`, NDJSON or CSV by its ending")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would be sent, and send nothing")
}

// Check returns an error if a flag has a value that cannot be, or if the report would overwrite the file of the rows.
func (o *Flags) Check(rows string) error {
	switch {
	case o.Concurrency < 1 || o.Concurrency > maxConcurrency:
		return cmdutil.Usage("--concurrency must be 1 to %d", maxConcurrency)
	case o.Report != "" && reportfile.IsSame(rows, o.Report):
		return cmdutil.Usage("--report %s is the file of the rows, which it would overwrite", o.Report)
	}
	return nil
}

// Sender returns a sender of rows. A call takes no longer than timeout.
func (o *Flags) Sender(service *outbox.Outbox, timeout time.Duration) *batch.Sender {
	return &batch.Sender{Outbox: service, Concurrency: o.Concurrency, Patience: patience, RowTimeout: 3 * timeout}
}

// Columns are columns of a report. A narrow table leaves out first what is no name, outcome or detail.
func Columns(names []string) []ui.Column {
	ranks := []string{"status", "id", "detail", "external_id", "outcome"}
	columns := make([]ui.Column, len(names))
	for i, name := range names {
		columns[i] = ui.Column{
			Header: strings.ReplaceAll(name, "_", " "), Name: name, Rank: slices.Index(ranks, name), Right: name == "amount",
			Keep: name == "external_id" || name == "outcome", Ends: name == "external_id", Whole: name == "id",
		}
	}
	return columns
}

// WaitFor waits for what rows have created, without the identifiers in created, and sets the state that each then has.
func WaitFor(
	ctx context.Context, d *cmdutil.Deps, w *watchui.Wait, service payments.Service, created watchui.Created, all []*batch.Row,
) error {
	rows := map[string]*batch.Row{}
	for _, row := range all {
		if row.Exists() && rows[row.ID] == nil {
			rows[row.ID] = row
			created.IDs = append(created.IDs, row.ID)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	created.Counted = true
	summary, err := w.Run(ctx, d, service, created)
	d.Notef("%d of %s reached %s, %d failed", len(summary.Reached),
		cmdutil.Count(len(rows), strings.ToLower(created.Kind.Noun)+"(s)"), w.Until(), len(summary.Failed))
	for _, one := range slices.Concat(summary.Reached, summary.Failed, summary.Waiting) {
		rows[one.ID].State = cmp.Or(one.Status, rows[one.ID].State)
	}
	for _, one := range summary.Failed {
		rows[one.ID].Detail = cmp.Or(one.Why, "it ended as "+one.Status)
	}
	return err
}
