package serve

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/ui"
)

// A backup is a copy of the data of a folder of serve.
type backup struct {
	File      string `json:"file"`
	Bytes     int64  `json:"bytes"`
	Worlds    int    `json:"worlds"`
	Transfers int    `json:"transfers"`
}

func newBackup(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FOLDER FILE",
		Short: "Copy the data of a folder to a file",
		Long: `Copy the data of a folder of serve --data to a new file. Servers may go on using the folder: the
copy is one state of all its worlds, from after the command began. The file is an SQLite database,
and all that is needed. Only you can read it.

To restore a backup, put it into an empty folder, as payctl.db, and serve that folder.

What serve --database keeps in PostgreSQL is copied by PostgreSQL's own programs, such as pg_dump.`,
		Example: `  payctl serve backup data backup.db
  mkdir restored && cp backup.db restored/payctl.db && payctl serve --data restored`,
		Args: cmdutil.Args("FOLDER", "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmdutil.IsDatabaseURL(args[0]) {
				return cmdutil.Usage("FOLDER is a database, of which PostgreSQL's own program makes a backup").
					WithHint("pg_dump --format custom --file FILE --schema NAME URL")
			}
			printer, err := d.Printer(cmd.Context())
			if err != nil {
				return err
			}
			made, err := copyData(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			return printer.Print(made, func() ui.View {
				field := func(label, text string) ui.Field {
					return ui.Field{Label: label, Cells: []ui.Cell{ui.Text(text)}}
				}
				return ui.Details{
					field("File", made.File), field("Size", cmdutil.Count(int(made.Bytes), "bytes")),
					field("Worlds", strconv.Itoa(made.Worlds)), field("Transfers", strconv.Itoa(made.Transfers)),
				}
			})
		},
	}
}

// copyData copies the data of a folder of serve to a new file.
func copyData(ctx context.Context, folder, file string) (backup, error) {
	copied, err := refserver.Backup(ctx, folder, file)
	made := backup{File: file, Bytes: copied.Bytes, Worlds: copied.Worlds, Transfers: copied.Transfers}
	if err == nil || ctx.Err() != nil {
		return made, err
	}
	if unusable, ok := errors.AsType[*refserver.DataError](err); ok {
		return made, unusableData(unusable, "name a folder of payctl serve --data")
	}
	failed := cmdutil.Unwritable("the backup", file, err)
	if errors.Is(err, fs.ErrExist) {
		failed = cmdutil.Usage("the file %s exists, and a backup replaces nothing", file).WithHint("name a new file")
	}
	return made, failed
}
