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

// config checks the configuration file and every profile in it: those that are not in use will be some day.
func (e *examination) config(context.Context) (all findings) {
	file, err := e.file()
	if err != nil {
		return badSettings(err, "")
	}
	if err := file.Nowhere(); err != nil {
		return skip("%s", payments.Sentence(err.Problem()+": flags and variables have to name the service"))
	}
	if _, err := os.Stat(file.Path()); errors.Is(err, fs.ErrNotExist) {
		all = ok("There is no %s; the built-in profile %s is used.", file.Path(), settings.DefaultProfile)
	} else {
		all = ok("%s can be read; its profiles: %s.", file.Path(), strings.Join(file.Profiles(), ", "))
	}
	for _, name := range file.Profiles() {
		url, _ := file.Value(name, settings.KeyBaseURL)
		if url == "" {
			all = append(all, warn(setBaseURL(name, ""), "The profile %s has no base URL.", name)...)
		} else if base, err := settings.ParseBaseURL(url); err == nil && base.Scheme == "http" && !settings.IsLoopback(base) {
			all = append(all, warn(setBaseURL(name, "https://"+base.Host+base.Path),
				"The profile %s uses plain http to %s, so that the network can read its credentials.", name, base.Host)...)
		}
	}
	return all
}

// profile reports which service is used, and which setting decides that.
func (e *examination) profile(context.Context) findings {
	resolved, err := e.settings()
	if errors.Is(err, errUnknown) {
		return skip("The profile is not known until the configuration can be read.")
	}
	if err != nil {
		return badSettings(err, "run: payctl profile show")
	}
	decides := ""
	from := resolved.Sources[settings.KeyBaseURL]
	if from != resolved.Sources[settings.KeyProfile] && !strings.HasPrefix(string(from), "profile ") {
		decides = " (" + string(from) + ")"
	}
	return ok("%s (%s) at %s%s.", resolved.Profile, resolved.Sources[settings.KeyProfile], resolved.BaseURL, decides)
}

// setBaseURL is the command that sets the base URL of a profile, to one that the user has to fill in if it is empty.
func setBaseURL(profile, url string) string {
	return shell.Hint("run: payctl profile set -- PROFILE base_url URL", shell.Values{"PROFILE": profile, "URL": url})
}

// badSettings is an error of the settings. otherwise is the remedy of one that has none.
func badSettings(err error, otherwise string) findings {
	bad, isOwn := errors.AsType[*settings.Error](err)
	if !isOwn {
		bad = &settings.Error{Reason: err.Error()}
	}
	return fail(payments.KindInvalidSettings, cmp.Or(command(bad.Fix), bad.Next, otherwise), "%s", payments.Sentence(bad.Problem()))
}

// command is the remedy that a command is; empty if it is.
func command(fix string) string {
	if fix == "" {
		return ""
	}
	return "run: " + fix
}

// files checks who can read and replace what payctl keeps on this machine.
func (e *examination) files(context.Context) (all findings) {
	known, count := map[string]bool{}, 0 // the folder of the credentials is the journal's as well
	look := func(kind payments.Kind, places []securefile.Place) {
		for _, place := range places {
			info, err := os.Lstat(place.Path)
			if known[place.Path] || errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
				continue
			}
			known[place.Path] = true
			count++
			if err == nil {
				err = place.Check()
			}
			all = append(all, placeFindings(place, kind, info, err)...)
			for above := filepath.Dir(place.Path); place.Folder && !known["above "+above]; above = filepath.Dir(above) {
				known["above "+above] = true
				all = append(all, openToOthers(securefile.CheckAbove(above, place.Path))...)
			}
		}
	}
	if dir, err := settings.Dir(e.Getenv); err == nil {
		look(payments.KindInvalidSettings, settings.Places(dir))
	}
	if dir, err := settings.StateDir(e.Getenv); err == nil {
		look(payments.KindCredential, keystore.Places(dir))
		look(payments.KindJournal, journal.Places(journal.Path("", dir)))
	}
	who := "you"
	if runtime.GOOS == "windows" {
		who = "you and the administrators"
	}
	switch {
	case len(all) > 0:
		return all
	case count == 0:
		return ok("Nothing is kept on this machine yet.")
	}
	return ok("Only %s can read or change what payctl keeps (%d files and folders).", who, count)
}

// placeFindings are what is wrong with a file or folder that exists. err is the error of its check.
func placeFindings(place securefile.Place, kind payments.Kind, info fs.FileInfo, err error) findings {
	unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
	switch {
	case isUnsafe:
		return fail(kind, cmp.Or(command(unsafe.Fix), unsafe.Next), "%s.", unsafe.Reason)
	case errors.Is(err, fs.ErrNotExist):
		return fail(kind, "put back the file that it leads to", "%s is a symbolic link that leads nowhere.", place.Path)
	case err != nil:
		if of, isPath := errors.AsType[*fs.PathError](err); isPath {
			err = of.Err // without the path
		}
		enter := shell.Hint("make sure that you may enter the folder FOLDER", shell.Values{"FOLDER": filepath.Dir(place.Path)})
		return fail(kind, enter, "%s", payments.Sentence(place.Path+" cannot be checked: "+err.Error()))
	case info.Mode()&fs.ModeSymlink != 0:
		return warn("set "+settings.EnvConfigDir+" to the real folder",
			"%s is a symbolic link: it is read, but payctl profile set writes nothing through it.", place.Path)
	}
	return openToOthers(securefile.CheckPrivate(place))
}

// openToOthers is a warning about a file or folder that others can read or change. err is the error of its check; one
// that is not about that, such as that of a folder above that this user may not look at, is no finding.
func openToOthers(err error) findings {
	open, isOpen := errors.AsType[*securefile.Error](err)
	if !isOpen {
		return nil
	}
	return warn(cmp.Or(command(open.Fix), open.Next), "%s.", open.Reason)
}

// keyring checks whether the operating system's keyring can be used, if it is used.
func (e *examination) keyring(context.Context) findings {
	resolved, err := e.settings()
	switch {
	case err != nil:
		return skip("It is not known whether it is used until the settings can be read.")
	case resolved.HasCredentials():
		return skip("It is not needed: the credentials come from the environment.")
	case resolved.CredentialStore != settings.CredentialStoreKeyring:
		return skip("It is not used: logins are stored in a file (%s).", resolved.Sources[settings.KeyCredentialStore])
	}
	if _, err = e.login(); isKeyringTrouble(err) {
		return badStore(err)
	}
	return ok("It answers and is not locked.")
}

// isKeyringTrouble reports whether an error is about the keyring and not about what is in it.
func isKeyringTrouble(err error) bool {
	return err != nil && !errors.Is(err, keystore.ErrNotFound) && !errors.Is(err, keystore.ErrCorrupt)
}

// badStore is an error of a credential store.
func badStore(err error) findings {
	problem, isOwn := errors.AsType[*keystore.Error](err)
	if !isOwn {
		return fail(payments.KindCredential, "", "%s", payments.Sentence(err.Error()))
	}
	remedy := problem.Next()
	if errors.Is(err, keystore.ErrAbsent) {
		remedy = "run: " + keystore.LogInToFile
	}
	return fail(payments.KindCredential, remedy, "%s", payments.Sentence(problem.Err.Error()))
}

// credentials reports whose credentials are used, from where, and whether they have expired.
func (e *examination) credentials(ctx context.Context) findings {
	resolved, err := e.settings()
	switch {
	case err != nil:
		return skip("It is not known which are used until the settings can be read.")
	case resolved.Token != "":
		return ok("The token in %s is used.", settings.EnvToken)
	case resolved.HasCredentials():
		return ok("The client %s in %s is used.", resolved.ClientID, settings.EnvClientID)
	}
	login, err := e.login()
	if err == nil {
		return e.expiry(resolved, login)
	}
	if resolved.CredentialStore == settings.CredentialStoreKeyring && !errors.Is(err, keystore.ErrCorrupt) {
		if inFile, lost := e.storedLogin(ctx, resolved, settings.CredentialStoreFile); lost == nil {
			use := shell.Hint("run: payctl profile set -- PROFILE credential_store file", shell.Values{"PROFILE": resolved.Profile})
			return fail(payments.KindCredential, use, "The login of %s is in the file store, but the keyring is used (%s).",
				inFile.ClientID, resolved.Sources[settings.KeyCredentialStore])
		}
		if isKeyringTrouble(err) {
			return skip("It is not known whether you are logged in until the keyring can be read.")
		}
	}
	if errors.Is(err, keystore.ErrNotFound) {
		return fail(payments.KindCredential, "run: payctl auth login", "You are not logged in to %s with the profile %s (%s store).",
			resolved.Origin, resolved.Profile, resolved.CredentialStore)
	}
	return badStore(err)
}

// expiry reports when a stored login expires.
func (e *examination) expiry(resolved settings.Settings, login keystore.Login) findings {
	who := fmt.Sprintf("%s is logged in (%s store)", login.ClientID, resolved.CredentialStore)
	ends, now := payments.FormatTime(login.ExpiresAt), e.Now()
	switch {
	case login.ExpiresAt.IsZero():
		return ok("%s; the service did not say until when.", who)
	case now.Before(login.ExpiresAt):
		return ok("%s until %s.", who, ends)
	case login.ClientSecret != "":
		return ok("%s; the token expired at %s, and the next command renews it.", who, ends)
	}
	return fail(payments.KindCredential, "run: payctl auth login",
		"%s, but the token expired at %s (%s ago), and no secret is stored to renew it.",
		who, ends, now.Sub(login.ExpiresAt).Round(time.Second))
}

// journalTimeout is how long the check of the journal may take: shorter than the examination, so that it names the
// reason.
const journalTimeout = 5 * time.Second

// journal checks whether writes can be recorded, and reports those whose outcome is not known.
func (e *examination) journal(ctx context.Context) findings {
	dir, err := settings.StateDir(e.Getenv)
	path := journal.Path("", dir)
	if err != nil {
		unknown, _ := errors.AsType[*settings.Error](err) // as all errors of StateDir but that of a lost working folder
		if unknown == nil {
			unknown = &settings.Error{Reason: err.Error(), Next: "set " + settings.EnvStateDir + " to a folder of your own"}
		}
		return fail(payments.KindJournal, unknown.Next, "%s Only commands that read work.", payments.Sentence(unknown.Problem()))
	}
	ctx, cancel := context.WithTimeout(ctx, journalTimeout)
	defer cancel()
	state, err := journal.Inspect(ctx, path)
	unresolved := fmt.Sprintf("The outcome of %d of %d writes is not known: "+
		"they may have taken effect, or are being sent now.", state.Open, state.Writes)
	switch at := unwritable(path); {
	case at != "" && (err == nil || errors.Is(err, fs.ErrNotExist)):
		text := fmt.Sprintf("Nothing can be written to %s, where each write is recorded before it is sent: "+
			"only commands that read work.", at)
		if state.Open > 0 {
			text += " " + unresolved
		}
		return fail(payments.KindJournal, shell.Hint("make sure that you may write to PLACE, or set "+
			settings.EnvStateDir+" to another folder", shell.Values{"PLACE": at}), "%s", text)
	case errors.Is(err, fs.ErrNotExist):
		return ok("There is none yet; the first write creates it.")
	case errors.Is(err, journal.ErrUnsafe):
		return skip("It is not opened until its file is safe to use.")
	case errors.Is(err, journal.ErrNewer):
		return fail(payments.KindJournal, "install that version", "A later version of payctl has written %s.", path)
	case errors.Is(err, journal.ErrCorrupt):
		return fail(payments.KindJournal, "run: "+securefile.MoveCommand(path), "%s is damaged.", path)
	case errors.Is(err, context.DeadlineExceeded):
		return fail(payments.KindTimeout, "see whether another program holds it", "%s could not be read in time.", path)
	case err != nil:
		return fail(payments.KindJournal,
			shell.Hint("make sure that you may read and write FILE", shell.Values{"FILE": path}), "%s", payments.Sentence(err.Error()))
	case state.Open > 0:
		return warn("run: payctl transfer resolve", "%s", unresolved)
	}
	return ok("%s can be read (version %d); of %d writes none is unresolved.", path, state.Version, state.Writes)
}

// unwritable returns what a journal needs but this user cannot write to: its file, a companion file of SQLite, or, where
// such a file does not exist, its folder. It is empty if there is no such obstacle.
func unwritable(path string) string {
	for _, place := range []string{path, path + "-wal", path + "-shm"} {
		for isAbsent(place) && place != filepath.Dir(place) {
			place = filepath.Dir(place)
		}
		if !mayWrite(place) {
			return place
		}
	}
	return ""
}

func isAbsent(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}
