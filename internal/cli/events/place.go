package events

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/forward"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// openPlace opens the place of --resume at the settings' service.
func openPlace(ctx context.Context, d *cmdutil.Deps, name string) (*forward.Place, error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, err
	}
	dir, err := settings.StateDir(d.Getenv)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, "events")
	owner := forward.Owner{Name: name, Profile: resolved.Profile, Origin: resolved.Origin}
	place, err := forward.OpenPlace(ctx, folder, owner)
	if errors.Is(err, securefile.ErrLockHeld) {
		return nil, cmdutil.Usage("another payctl has the place %s of --resume", name).
			WithHint("end it, or give another name")
	}
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		return nil, cmdutil.Usage("the place to resume from cannot be read: %s", unsafe.Reason).WithHint(unsafe.Next)
	}
	if err != nil && !errors.Is(err, forward.ErrNotSaved) && ctx.Err() == nil {
		return nil, cmdutil.Usage("the place to resume from cannot be read: %v", err)
	}
	return place, cannotSave(err, folder)
}

// cannotSave adds the next step to the error of a place that cannot be written.
func cannotSave(err error, folder string) error {
	if !errors.Is(err, forward.ErrNotSaved) {
		return err
	}
	return cmdutil.Hint(err,
		shell.Hint("make sure that you may write to FOLDER and that there is room, have another folder used with "+
			settings.EnvStateDir+", or leave --resume out", shell.Values{"FOLDER": folder}))
}

// explainGone adds the next step to the error of a cursor that the feed no longer has: changes may have been missed.
func explainGone(err error, place *forward.Place) error {
	if !payments.IsKind(err, payments.KindGone) {
		return err
	}
	hint := "begin anew with --after latest"
	if place != nil {
		hint = shell.Hint("remove FILE to begin anew with --after latest", shell.Values{"FILE": place.Path})
	}
	return cmdutil.Hint(err, "read the present states (payctl accounts list, payctl transfer list), then "+hint)
}
