package app

import (
	"context"
	"errors"
	"io/fs"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
)

// backup copies the data of a folder of serve to a new file.
func backup(ctx context.Context, folder, file string) (cmdutil.Backup, error) {
	copied, err := refserver.Backup(ctx, folder, file)
	made := cmdutil.Backup{File: file, Bytes: copied.Bytes, Worlds: copied.Worlds, Transfers: copied.Transfers}
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
