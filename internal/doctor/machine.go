package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// config checks the configuration file.
func (e *examination) config(context.Context) findings {
	file, err := e.file()
	if err != nil {
		return badSettings(err, shell.Hint{})
	}
	if _, err := os.Stat(file.Path()); errors.Is(err, fs.ErrNotExist) {
		return ok("There is no %s; the built-in profile %s is used.", file.Path(), settings.DefaultProfile)
	}
	all := ok("%s can be read; its profiles: %s.", file.Path(), strings.Join(file.Profiles(), ", "))
	for _, name := range file.Profiles() {
		if err := file.Broken(name); err != nil {
			reason := strings.TrimSuffix(err.Error(), "; correct it in an editor")
			all = append(all, warn(shell.Note("correct it in an editor"), "%s", payments.Sentence(reason))...)
		}
	}
	return all
}

// profile reports the service, and the setting that chooses it.
func (e *examination) profile(context.Context) findings {
	resolved, err := e.settings()
	if errors.Is(err, errUnknown) {
		return skip("The profile is unknown until the configuration can be read.")
	}
	if err != nil {
		return badSettings(err, shell.Payctl("profile show"))
	}
	return ok("%s (%s) at %s (%s).", resolved.Profile, resolved.Sources[settings.KeyProfile],
		resolved.BaseURL, resolved.Sources[settings.KeyBaseURL])
}

// badSettings is the finding for an error of the settings. otherwise is the hint if the error has none.
func badSettings(err error, otherwise shell.Hint) findings {
	bad, isOwn := errors.AsType[*settings.Error](err)
	if !isOwn {
		bad = &settings.Error{Reason: err.Error()}
	}
	if !bad.Next.IsZero() {
		otherwise = bad.Next
	}
	return fail(payments.ProblemInvalidSettings, otherwise, "%s", payments.Sentence(bad.Problem()))
}

// files checks who can read and replace payctl's files.
func (e *examination) files(context.Context) (all findings) {
	known := map[string]bool{} // credentials and journal are in the same folder
	look := func(kind payments.ProblemType, rules []securefile.FileRule) {
		for _, rule := range rules {
			err := rule.Check()
			if known[rule.Path] || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			}
			known[rule.Path] = true
			open, isOpen := errors.AsType[*securefile.Error](securefile.CheckPrivate(rule))
			unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
			switch {
			case isUnsafe:
				all = append(all, fail(kind, unsafe.Next, "%s.", unsafe.Reason)...)
			case err != nil:
				all = append(all, fail(kind, shell.Note("make sure that you may enter its folder"), "%s",
					payments.Sentence("the permissions cannot be checked: "+err.Error()))...)
			case isOpen:
				all = append(all, warn(open.Next, "%s.", open.Reason)...)
			}
		}
	}
	if dir, err := settings.Dir(e.Getenv); err == nil {
		look(payments.ProblemInvalidSettings, settings.FileRules(dir))
	}
	if dir, err := settings.StateDir(e.Getenv); err == nil {
		look(payments.ProblemCredential, keystore.FileRules(dir))
		look(payments.ProblemJournal, journal.FileRules(journal.Path(dir)))
	}
	switch {
	case len(all) > 0:
		return all
	case len(known) == 0:
		return ok("payctl has no files on this machine yet.")
	}
	return ok("Only you can read or change payctl's %d files and folders.", len(known))
}

// badStore is the finding for an error of a credential store.
func badStore(err error) findings {
	problem, isOwn := errors.AsType[*keystore.Error](err)
	if !isOwn {
		return fail(payments.ProblemCredential, shell.Hint{}, "%s", payments.Sentence(err.Error()))
	}
	remedy := problem.Next()
	if errors.Is(err, keystore.ErrAbsent) {
		remedy = keystore.LogInToFile()
	}
	return fail(payments.ProblemCredential, remedy, "%s", payments.Sentence(problem.Err.Error()))
}

// credentials reports the credentials, their source, and whether they have expired.
func (e *examination) credentials(ctx context.Context) findings {
	resolved, err := e.settings()
	switch {
	case err != nil:
		return skip("The credentials are unknown until the settings can be read.")
	case resolved.Token != "":
		return ok("The token in %s is used.", settings.EnvToken)
	case resolved.HasCredentials():
		return ok("The client %s in %s is used.", resolved.ClientID, settings.EnvClientID)
	}
	login, err := e.login()
	switch {
	case err == nil:
		return e.expiry(resolved, login)
	case errors.Is(err, keystore.ErrNotFound):
		return fail(payments.ProblemCredential, shell.Payctl("auth login"),
			"You are not logged in to %s with the profile %s (%s store).",
			resolved.Origin, resolved.Profile, resolved.CredentialStore)
	}
	return badStore(err)
}

// expiry reports when a stored login expires.
func (e *examination) expiry(resolved settings.Settings, login keystore.Login) findings {
	who := fmt.Sprintf("%s is logged in (%s store)", login.ClientID, resolved.CredentialStore)
	ends := payments.FormatTime(login.ExpiresAt)
	switch {
	case login.ExpiresAt.IsZero():
		return ok("%s; the service did not say until when.", who)
	case e.Now().Before(login.ExpiresAt):
		return ok("%s until %s.", who, ends)
	case login.ClientSecret != "":
		return ok("%s; the token expired at %s, and the next command renews it.", who, ends)
	}
	return fail(payments.ProblemCredential, shell.Payctl("auth login"),
		"%s, but the token expired at %s, and no secret is stored to renew it.", who, ends)
}

// journalTimeout bounds the check of the journal. It is shorter than examinationTimeout, so that the finding has the
// reason.
const journalTimeout = 5 * time.Second

// journal checks whether writes can be recorded, and counts those with an unknown outcome.
func (e *examination) journal(ctx context.Context) findings {
	dir, err := settings.StateDir(e.Getenv)
	if err != nil {
		return badSettings(err, shell.Hint{})
	}
	path := journal.Path(dir)
	ctx, cancel := context.WithTimeout(ctx, journalTimeout)
	defer cancel()
	writes, open, err := journal.Count(ctx, path)
	if err == nil {
		err = writable(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := creatable(dir); err != nil {
			return fail(payments.ProblemJournal, shell.Note("set "+settings.EnvStateDir+" to another folder"),
				"There is no journal, and it cannot be created: %v.", err)
		}
		return ok("There is no journal yet; the first write creates it.")
	case errors.Is(err, journal.ErrUnsafe):
		return skip("The journal is not opened until its file is safe to use.")
	case errors.Is(err, journal.ErrNewer):
		return fail(payments.ProblemJournal, shell.Note("install that version"),
			"A later version of payctl has written %s.", path)
	case errors.Is(err, journal.ErrCorrupt):
		return fail(payments.ProblemJournal, shell.Note("move it away, and look for open writes among the service's "+
			"transfers: without it a line may pay again"), "%s is damaged.", path)
	case err != nil:
		return fail(payments.ProblemJournal, shell.Note("make sure that you may read and write %s, or set "+
			settings.EnvStateDir+" to another folder", path), "%s", payments.Sentence(err.Error()))
	case open > 0:
		return warn(shell.Payctl("transfer resolve"), "The outcome of %d of %d writes is unknown: "+
			"they may have taken effect, or are being sent now.", open, writes)
	}
	return ok("%s can be read; 0 of %d writes are unresolved.", path, writes)
}

// creatable returns an error if files cannot be created in a folder, or if the folder is missing and cannot be made.
func creatable(folder string) error {
	err := securefile.CheckFolder(folder)
	for above := filepath.Dir(folder); errors.Is(err, fs.ErrNotExist) && above != folder; above = filepath.Dir(folder) {
		folder = above
		_, err = os.Stat(folder)
	}
	if err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".payctl-")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// writable returns an error if a file cannot be written to.
func writable(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return file.Close()
}
