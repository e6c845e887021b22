// Package rowsui is what the commands share that send a request for every row of a file: their flags, and whole
// imports of accounts and contacts.
package rowsui

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/wait"
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
	f.StringVar(&o.Report, "report", "", "write the report to `FILE`: NDJSON if it ends in .ndjson, else CSV")
	f.BoolVar(&o.DryRun, "dry-run", false, "check the file and show what would be sent, and send nothing")
}

// Check returns an error if a flag has a value that cannot be, or if the report would overwrite the file of the rows.
func (o *Flags) Check(rows string) error {
	switch {
	case o.Concurrency < 1 || o.Concurrency > maxConcurrency:
		return cmdutil.Usage("--concurrency must be 1 to %d", maxConcurrency)
	case o.Report != "" && cmdutil.IsSameFile(rows, o.Report):
		return cmdutil.Usage("--report %s is the file of the rows, which it would overwrite", o.Report)
	}
	return nil
}

// Sender returns a sender of rows. A call takes no longer than timeout.
func (o *Flags) Sender(d *cmdutil.Deps, timeout time.Duration) *batch.Sender {
	return &batch.Sender{
		Concurrency: o.Concurrency, Patience: patience, RowTimeout: 3 * timeout, Now: d.Now, Sleep: wait.Sleep,
	}
}
