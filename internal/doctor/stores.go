package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// keyring checks whether the operating system's keyring can be used, if it is used.
func (e *examination) keyring(_ context.Context, c *check) {
	resolved, err := e.settings()
	switch {
	case err != nil:
		c.skip("It is not known whether it is used until the settings can be read.")
		return
	case resolved.HasCredentials():
		c.skip("It is not needed: the credentials come from the environment.")
		return
	case resolved.CredentialStore != settings.CredentialStoreKeyring:
		c.skip("It is not used: logins are stored in a file (%s).", resolved.Sources[settings.KeyCredentialStore])
		return
	}
	if _, err = e.login(); isKeyringTrouble(err) {
		c.storeFailure(err)
	} else {
		c.ok("It answers and is not locked.")
	}
}

// isKeyringTrouble reports whether an error is about the keyring and not about what is in it.
func isKeyringTrouble(err error) bool {
	return err != nil && !errors.Is(err, keystore.ErrNotFound) && !errors.Is(err, keystore.ErrCorrupt)
}

// storeFailure adds an error of a credential store.
func (c *check) storeFailure(err error) {
	problem, ok := errors.AsType[*keystore.Error](err)
	if !ok {
		c.fail(payments.KindCredential, "%s", payments.Sentence(err.Error()))
		return
	}
	var reasons []string // without the name of the store and the login
	for _, err := range problem.Unwrap() {
		reasons = append(reasons, err.Error())
	}
	f := c.fail(payments.KindCredential, "%s", payments.Sentence(strings.Join(reasons, ": ")))
	if errors.Is(err, keystore.ErrAbsent) {
		f.Fix = keystore.LogInToFile
		return
	}
	f.remedy(problem.Next())
}

// credentials reports whose credentials are used, from where, and whether they have expired.
func (e *examination) credentials(ctx context.Context, c *check) {
	resolved, err := e.settings()
	switch {
	case err != nil:
		c.skip("It is not known which are used until the settings can be read.")
		return
	case resolved.Token != "":
		c.ok("The token in %s is used.", settings.EnvToken)
		return
	case resolved.HasCredentials():
		c.ok("The client %s in %s is used.", resolved.ClientID, settings.EnvClientID)
		return
	}
	login, err := e.login()
	usesKeyring := resolved.CredentialStore == settings.CredentialStoreKeyring
	switch {
	case err == nil:
		e.expiry(c, resolved, login)
	case usesKeyring && !errors.Is(err, keystore.ErrCorrupt) && e.inFile(ctx, c, resolved):
	case usesKeyring && isKeyringTrouble(err):
		c.skip("It is not known whether you are logged in until the keyring can be read.")
	case errors.Is(err, keystore.ErrNotFound):
		c.fail(payments.KindCredential, "You are not logged in to %s with the profile %s (%s store).",
			resolved.Origin, resolved.Profile, resolved.CredentialStore).Fix = "payctl auth login"
	default:
		c.storeFailure(err)
	}
}

// inFile reports whether a login is in the file while the settings name the keyring, and adds a failure if so.
func (e *examination) inFile(ctx context.Context, c *check, resolved settings.Settings) bool {
	login, err := e.storedLogin(ctx, resolved, settings.CredentialStoreFile)
	if err != nil {
		return false
	}
	c.fail(payments.KindCredential, "The login of %s is in the file store, but the keyring is used (%s).",
		login.ClientID, resolved.Sources[settings.KeyCredentialStore]).
		Fix = shell.Hint("payctl profile set -- PROFILE credential_store file",
		shell.Values{"PROFILE": resolved.Profile})
	return true
}

// expiry reports when a stored login expires.
func (e *examination) expiry(c *check, resolved settings.Settings, login keystore.Login) {
	who := fmt.Sprintf("%s is logged in (%s store)", login.ClientID, resolved.CredentialStore)
	ends, now := payments.FormatTime(login.ExpiresAt), e.Now()
	switch {
	case login.ExpiresAt.IsZero():
		c.ok("%s; the service did not say until when.", who)
	case now.Before(login.ExpiresAt):
		c.ok("%s until %s.", who, ends)
	case login.ClientSecret != "":
		c.ok("%s; the token expired at %s, and the next command renews it.", who, ends)
	default:
		c.fail(payments.KindCredential, "%s, but the token expired at %s (%s ago), and no secret is stored to renew it.",
			who, ends, now.Sub(login.ExpiresAt).Round(time.Second)).Fix = "payctl auth login"
	}
}

// journalTimeout is how long the check of the journal may take: shorter than the examination, so that it names the
// reason.
const journalTimeout = 5 * time.Second

// journal checks whether writes can be recorded, and reports those whose outcome is not known.
func (e *examination) journal(ctx context.Context, c *check) {
	dir, err := settings.StateDir(e.Getenv)
	path := journal.Path("", dir)
	if err != nil {
		unknown, _ := errors.AsType[*settings.Error](err) // as all errors of StateDir but that of a lost working folder
		if unknown == nil {
			unknown = &settings.Error{Reason: err.Error(), Next: "set " + settings.EnvStateDir + " to a folder of your own"}
		}
		c.fail(payments.KindJournal, "%s Only commands that read work.", payments.Sentence(unknown.Problem())).
			Advice = unknown.Next
		return
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
		c.fail(payments.KindJournal, "%s", text).Advice = shell.Hint("make sure that you may write to PLACE, or set "+
			settings.EnvStateDir+" to another folder", shell.Values{"PLACE": at})
	case errors.Is(err, fs.ErrNotExist):
		c.ok("There is none yet; the first write creates it.")
	case errors.Is(err, journal.ErrUnsafe):
		c.skip("It is not opened until its file is safe to use.")
	case errors.Is(err, journal.ErrNewer):
		c.fail(payments.KindJournal, "A later version of payctl has written %s.", path).Advice = "install that version"
	case errors.Is(err, journal.ErrCorrupt):
		c.fail(payments.KindJournal, "%s is damaged.", path).Fix = securefile.MoveCommand(path)
	case errors.Is(err, context.DeadlineExceeded):
		c.fail(payments.KindTimeout, "%s could not be read in time.", path).Advice = "see whether another program holds it"
	case err != nil:
		c.fail(payments.KindJournal, "%s", payments.Sentence(err.Error())).
			Advice = shell.Hint("make sure that you may read and write FILE", shell.Values{"FILE": path})
	case state.Open > 0:
		c.warn("%s", unresolved).Fix = "payctl transfer resolve"
	default:
		c.ok("%s can be read (version %d); of %d writes none is unresolved.", path, state.Version, state.Writes)
	}
}
