package serve

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/ui"
)

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
			folder, file := args[0], args[1]
			if cmdutil.IsDatabaseURL(folder) {
				return cmdutil.Usage("FOLDER is a database, of which PostgreSQL's own program makes a backup").
					WithHint("pg_dump --format custom --file FILE URL")
			}
			printer, err := d.Printer(cmd.Context())
			if err != nil {
				return err
			}
			copied, err := refserver.Backup(cmd.Context(), folder, file)
			unusable, ok := errors.AsType[*refserver.DataError](err)
			switch {
			case ok:
				return unusableData(unusable, "name a folder of payctl serve --data")
			case cmd.Context().Err() != nil:
				return err
			case err != nil:
				return cmdutil.Unwritable("the backup", file, err)
			}
			return printer.Print(copied, func() ui.View {
				return ui.Details{
					{Label: "File", Cells: []ui.Cell{ui.Text(file)}},
					{Label: "Bytes", Cells: []ui.Cell{ui.Text(strconv.FormatInt(copied.Bytes, 10))}},
					{Label: "Worlds", Cells: []ui.Cell{ui.Text(strconv.Itoa(copied.Worlds))}},
					{Label: "Transfers", Cells: []ui.Cell{ui.Text(strconv.Itoa(copied.Transfers))}},
				}
			})
		},
	}
}
