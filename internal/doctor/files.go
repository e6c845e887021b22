package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
)

// A kept file or folder is one whose mode, owner and kind are looked at.
type kept struct {
	safefile.Place
	kind payments.Kind // of the problem when it is not safe
}

// kept lists what is kept on this machine, each once: the credentials' folder is usually the journal's as well.
func (e *examination) kept() []kept {
	var all []kept
	known := map[string]bool{}
	add := func(kind payments.Kind, places []safefile.Place) {
		for _, place := range places {
			if !known[place.Path] {
				known[place.Path] = true
				all = append(all, kept{place, kind})
			}
		}
	}
	if dir, err := config.Dir(e.Getenv); err == nil {
		add(payments.KindInvalidSettings, config.Places(dir))
	}
	if dir, err := config.StateDir(e.Getenv); err == nil {
		add(payments.KindCredential, credential.Places(dir))
	}
	if path, err := e.journalPath(); err == nil {
		add(payments.KindJournal, journal.Places(path))
	}
	return all
}

// files looks at who may read and replace what payctl keeps.
func (e *examination) files(context.Context) []Finding {
	var findings []Finding
	there := 0
	told := map[string]bool{} // what goes for all that is in a folder is told once
	for _, k := range e.kept() {
		finding, found := k.look()
		if found {
			there++
		}
		if finding.Result != "" && (finding.Advice == "" || !told[finding.Advice]) {
			told[finding.Advice] = true
			findings = append(findings, finding)
		}
		for above := filepath.Dir(k.Path); found && k.Folder && !told[above]; above = filepath.Dir(above) {
			told[above] = true
			findings = append(findings, open(above, k.Path)...)
		}
	}
	switch {
	case len(findings) > 0:
		return findings
	case there == 0:
		return one(ok(CheckFiles, "Nothing is kept on this machine yet."))
	case runtime.GOOS == "windows":
		return one(ok(CheckFiles, "Nothing is a link or of the wrong kind; who may read it, the folder's access list decides."))
	}
	return one(ok(CheckFiles, "Only you can read or change what payctl keeps (%d files and folders).", there))
}

// look finds what is wrong, if anything, and whether it is there at all.
func (k kept) look() (_ Finding, there bool) {
	info, err := os.Lstat(k.Path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return Finding{}, false
	}
	if err == nil {
		err = k.Check()
	}
	unsafe, isUnsafe := errors.AsType[*safefile.Error](err)
	switch {
	case isUnsafe:
		return failed(CheckFiles, k.kind, unsafe.Reason+".", cmp.Or(unsafe.Mend, unsafe.Next)), true
	case errors.Is(err, fs.ErrNotExist):
		return failed(CheckFiles, k.kind, k.Path+" is a symbolic link that leads nowhere.", "rm "+safefile.Quote(k.Path)), true
	case err != nil:
		return failed(CheckFiles, k.kind, payments.Sentence(k.Path+" cannot be looked at: "+reason(err).Error()), "see that you may enter the folder "+safefile.Quote(filepath.Dir(k.Path))), true
	case info.Mode()&fs.ModeSymlink != 0:
		return warning(CheckFiles, k.Path+" is a symbolic link: it is read, but payctl profile set writes nothing through it.",
			fmt.Sprintf("set %s to the real folder", config.EnvConfigDir)), true
	}
	return k.privacy(info.Mode().Perm()), true
}

// reason is an error of the file system without its path.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// open warns of a folder above one that is kept, in which everybody may put another in its place, or take it away with the
// journal in it.
func open(above, path string) []Finding {
	info, err := os.Stat(above)
	if runtime.GOOS == "windows" || err != nil || info.Mode().Perm()&everybodyWrites == 0 || info.Mode()&fs.ModeSticky != 0 {
		return nil
	}
	return one(warning(CheckFiles, fmt.Sprintf("Everybody can write to %s (mode %04o), and so take %s away.", above, info.Mode().Perm(), path), "chmod o-w "+safefile.Quote(above)))
}

const everybodyWrites fs.FileMode = 0o002

// privacy warns of what is used all the same, though others may look at it.
func (k kept) privacy(mode fs.FileMode) Finding {
	if runtime.GOOS == "windows" || k.Public || mode&safefile.Anybody == 0 {
		return Finding{}
	}
	right := "600"
	if k.Folder {
		right = "700"
	}
	return warning(CheckFiles, fmt.Sprintf("%s can be read by others than you (mode %04o).", k.Path, mode), "chmod "+right+" "+safefile.Quote(k.Path))
}
