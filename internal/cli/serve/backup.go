package serve

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

func newBackup(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "backup FOLDER FILE",
		Short: "Copy the data of a folder to a file",
		Long: `Copy the data of a folder of serve --data to a new file. Servers may go on using the folder: the copy is one state of all its worlds,
from after the command began. The file is an SQLite database, and all that is needed. Only you can read it.

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
			made, err := d.Backup(cmd.Context(), args[0], args[1])
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
