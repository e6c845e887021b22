package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// A keptFile is a file or folder whose mode, owner and kind are checked.
type keptFile struct {
	securefile.Place
	kind payments.Kind // of the problem when it is not safe
}

// keptFiles lists what payctl keeps on this machine.
func (e *examination) keptFiles() (all []keptFile) {
	add := func(kind payments.Kind, places []securefile.Place) {
		for _, place := range places {
			all = append(all, keptFile{place, kind})
		}
	}
	if dir, err := settings.Dir(e.Getenv); err == nil {
		add(payments.KindInvalidSettings, settings.Places(dir))
	}
	if dir, err := settings.StateDir(e.Getenv); err == nil {
		add(payments.KindCredential, keystore.Places(dir))
		add(payments.KindJournal, journal.Places(journal.Path("", dir)))
	}
	return all
}

// files checks who can read and replace what payctl keeps.
func (e *examination) files(_ context.Context, c *check) {
	count := 0
	known, checked := map[string]bool{}, map[string]bool{}
	for _, k := range e.keptFiles() {
		info, err := os.Lstat(k.Path)
		if known[k.Path] || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		known[k.Path] = true // the folder of the credentials is the journal's as well
		count++
		if err == nil {
			err = k.Check()
		}
		k.report(c, info, err)
		for above := filepath.Dir(k.Path); k.Folder && !checked[above]; above = filepath.Dir(above) {
			checked[above] = true
			c.warnOfOthers(securefile.CheckAbove(above, k.Path))
		}
	}
	switch {
	case len(c.findings) > 0:
	case count == 0:
		c.ok("Nothing is kept on this machine yet.")
	case runtime.GOOS == "windows":
		c.ok("Only you and the administrators can read or change what payctl keeps (%d files and folders).", count)
	default:
		c.ok("Only you can read or change what payctl keeps (%d files and folders).", count)
	}
}

// report adds what is wrong with a file that exists. err is the error of its check.
func (k keptFile) report(c *check, info fs.FileInfo, err error) {
	unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
	pathError, isPathError := errors.AsType[*fs.PathError](err)
	switch {
	case isUnsafe && unsafe.Fix != "":
		c.fail(k.kind, "%s.", unsafe.Reason).Fix = unsafe.Fix
	case isUnsafe:
		c.fail(k.kind, "%s.", unsafe.Reason).Advice = unsafe.Next
	case errors.Is(err, fs.ErrNotExist):
		c.fail(k.kind, "%s is a symbolic link that leads nowhere.", k.Path).Advice = "put back the file that it leads to"
	case err != nil:
		if isPathError {
			err = pathError.Err // without the path
		}
		c.fail(k.kind, "%s", payments.Sentence(k.Path+" cannot be checked: "+err.Error())).
			Advice = shell.Hint("make sure that you may enter the folder FOLDER", shell.Values{"FOLDER": filepath.Dir(k.Path)})
	case info.Mode()&fs.ModeSymlink != 0:
		c.warn("%s is a symbolic link: it is read, but payctl profile set writes nothing through it.", k.Path).
			Advice = "set " + settings.EnvConfigDir + " to the real folder"
	default:
		c.warnOfOthers(securefile.CheckPrivate(k.Place))
	}
}

// warnOfOthers adds a warning about a file or folder that others can read or change. err is the error of its check; one
// that is not about that, such as that of a folder above that this user may not look at, adds nothing.
func (c *check) warnOfOthers(err error) {
	if open, ok := errors.AsType[*securefile.Error](err); ok {
		f := c.warn("%s.", open.Reason)
		if f.Fix = open.Fix; f.Fix == "" {
			f.Advice = open.Next
		}
	}
}
