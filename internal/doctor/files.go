package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
)

// A kept file or folder is one whose mode, owner and kind are looked at.
type kept struct {
	path   string
	folder bool
	kind   payments.Kind // of the problem when it is not safe
	// refused are the mode bits with which it must not be used, loose those that it should not have.
	refused, loose fs.FileMode
	linked         bool // may be a link
}

// files looks at who may read and replace what payctl keeps.
func (e *examination) files(context.Context) []Finding {
	var all []kept
	if dir, err := config.Dir(e.Getenv); err == nil {
		all = append(all,
			kept{path: dir, folder: true, kind: payments.KindInvalidSettings, refused: safefile.Writers, loose: safefile.Writers, linked: true},
			kept{path: filepath.Join(dir, config.FileName), kind: payments.KindInvalidSettings, refused: safefile.Writers, loose: safefile.Anybody, linked: true})
	}
	if dir, err := config.StateDir(e.Getenv); err == nil {
		all = append(all,
			kept{path: dir, folder: true, kind: payments.KindCredential, refused: safefile.Writers, loose: safefile.Anybody, linked: true},
			kept{path: filepath.Join(dir, "credentials.json"), kind: payments.KindCredential, refused: safefile.Anybody},
			kept{path: filepath.Join(dir, "owners"), folder: true, kind: payments.KindCredential, refused: safefile.Writers, loose: safefile.Anybody})
	}
	if path, err := e.journalPath(); err == nil {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			all = append(all, kept{path: path + suffix, kind: payments.KindJournal, refused: safefile.Anybody})
		}
	}
	var findings []Finding
	there := 0
	for _, k := range all {
		finding, found := k.look()
		if found {
			there++
		}
		if finding.Result != "" {
			findings = append(findings, finding)
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
	info, err := os.Lstat(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Finding{}, false
	}
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if !k.linked {
			return failed(CheckFiles, k.kind, k.path+" is a symbolic link, through which nothing is read or written.", "rm "+safefile.Quote(k.path)), true
		}
		info, err = os.Stat(k.path)
		if errors.Is(err, fs.ErrNotExist) {
			return failed(CheckFiles, k.kind, k.path+" is a symbolic link that leads nowhere.", "rm "+safefile.Quote(k.path)), true
		}
	}
	switch {
	case err != nil:
		return failed(CheckFiles, k.kind, sentence(err.Error()), "see that you may enter the folder "+safefile.Quote(filepath.Dir(k.path))), true
	case k.folder && !info.IsDir():
		return failed(CheckFiles, k.kind, k.path+" is in the place of a folder.", "mv "+safefile.Quote(k.path)+" "+safefile.Quote(k.path+".bad")), true
	case !k.folder && !info.Mode().IsRegular():
		return failed(CheckFiles, k.kind, k.path+" is not a regular file.", "mv "+safefile.Quote(k.path)+" "+safefile.Quote(k.path+".bad")), true
	}
	if owner, foreign := foreignOwner(info); foreign {
		return failed(CheckFiles, k.kind, fmt.Sprintf("%s belongs to user %d and not to you.", k.path, owner), `sudo chown "$(id -u)" `+safefile.Quote(k.path)), true
	}
	mode := info.Mode().Perm()
	if runtime.GOOS == "windows" || mode&(k.refused|k.loose) == 0 {
		return k.link(), true
	}
	mend := "chmod 600 " + safefile.Quote(k.path)
	if k.folder {
		mend = "chmod 700 " + safefile.Quote(k.path)
	}
	what := "be read"
	if mode&safefile.Writers != 0 {
		what = "be changed"
	}
	text := fmt.Sprintf("%s can %s by others than you (mode %04o).", k.path, what, mode)
	if mode&k.refused != 0 {
		return failed(CheckFiles, k.kind, text, mend), true
	}
	return warning(CheckFiles, text, mend), true
}

// link warns of a configuration that can be read through a link, but not written.
func (k kept) link() Finding {
	if info, err := os.Lstat(k.path); err != nil || info.Mode()&fs.ModeSymlink == 0 || filepath.Base(k.path) != config.FileName {
		return Finding{}
	}
	return warning(CheckFiles, k.path+" is a symbolic link: it is read, but payctl profile set writes nothing through it.",
		fmt.Sprintf("set %s to the real folder", config.EnvConfigDir))
}
