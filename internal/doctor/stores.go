package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
)

// keyring tells whether the operating system's keyring can be used, where it is.
func (e *examination) keyring(context.Context) []Finding {
	settings, err := e.settings()
	switch {
	case err != nil:
		return one(skipped(CheckKeyring, "Whether it is used cannot be told before the settings can be read."))
	case settings.HasCredentials():
		return one(skipped(CheckKeyring, "The credentials come from the environment, and no store is asked."))
	case settings.CredentialStore != config.CredentialStoreKeyring:
		return one(skipped(CheckKeyring, "It is not used: credentials are kept in a file (%s).", settings.Sources["credential_store"]))
	}
	_, err = e.login()
	if err == nil || !isKeyringTrouble(err) {
		return one(ok(CheckKeyring, "It answers and is not locked."))
	}
	text, mend := ofStore(err)
	return one(failed(CheckKeyring, payments.KindCredential, text, mend))
}

// isKeyringTrouble says whether an error is about the keyring and not about what is in it.
func isKeyringTrouble(err error) bool {
	return !errors.Is(err, credential.ErrNotFound) && !errors.Is(err, credential.ErrCorrupt)
}

// ofStore is an error of a store in words, and what mends it.
func ofStore(err error) (text, mend string) {
	problem, ok := errors.AsType[*credential.Error](err)
	if !ok {
		return payments.Sentence(err.Error()), ""
	}
	switch {
	case problem.Kind == nil && problem.Cause != nil:
		text = problem.Cause.Error()
	case problem.Cause != nil:
		text = problem.Kind.Error() + ": " + problem.Cause.Error()
	case problem.Kind != nil:
		text = problem.Kind.Error()
	}
	if problem.Kind == credential.ErrNotFound { //nolint:errorlint // Kind is one of these values itself, never wrapped
		return payments.Sentence(text), "payctl auth login"
	}
	return payments.Sentence(text), problem.Next()
}

// credentials tells whose credentials there are, where, and whether they have run out.
func (e *examination) credentials(ctx context.Context) []Finding {
	settings, err := e.settings()
	switch {
	case err != nil:
		return one(skipped(CheckCredentials, "Which are meant cannot be told before the settings can be read."))
	case settings.Token != "":
		return one(ok(CheckCredentials, "A token of the environment (%s) is used.", config.EnvToken))
	case settings.HasCredentials():
		return one(ok(CheckCredentials, "The client %s of the environment (%s) is used.", settings.ClientID, config.EnvClientID))
	}
	login, err := e.login()
	if err == nil {
		return one(e.lifetime(settings, login))
	}
	if settings.CredentialStore == config.CredentialStoreKeyring && isKeyringTrouble(err) {
		if elsewhere := e.inFile(ctx, settings); elsewhere != nil {
			return elsewhere
		}
		return one(skipped(CheckCredentials, "Whether somebody is logged in cannot be told without the keyring."))
	}
	if errors.Is(err, credential.ErrNotFound) {
		if settings.CredentialStore == config.CredentialStoreKeyring {
			if elsewhere := e.inFile(ctx, settings); elsewhere != nil {
				return elsewhere
			}
		}
		text := fmt.Sprintf("Nobody is logged in to %s with the profile %s (%s store).", settings.Origin, settings.Profile, settings.CredentialStore)
		return one(failed(CheckCredentials, payments.KindCredential, text, "payctl auth login"))
	}
	text, mend := ofStore(err)
	return one(failed(CheckCredentials, payments.KindCredential, text, mend))
}

// inFile finds a login that was kept in a file while the settings name the keyring; nil when there is none.
func (e *examination) inFile(ctx context.Context, settings config.Settings) []Finding {
	login, err := e.stored(ctx, settings, config.CredentialStoreFile)
	if err != nil {
		return nil
	}
	text := fmt.Sprintf("The login of %s is in the file store, but the keyring is what is used (%s).", login.ClientID, settings.Sources["credential_store"])
	return one(failed(CheckCredentials, payments.KindCredential, text, "payctl profile set "+settings.Profile+" credential_store file"))
}

// lifetime tells of a stored login how long it lasts.
func (e *examination) lifetime(settings config.Settings, login credential.Login) Finding {
	whose := fmt.Sprintf("%s is logged in (%s store)", login.ClientID, settings.CredentialStore)
	now := e.Now()
	switch {
	case login.ExpiresAt.IsZero():
		return ok(CheckCredentials, "%s; the service did not say until when.", whose)
	case now.Before(login.ExpiresAt):
		return ok(CheckCredentials, "%s until %s.", whose, moment(login.ExpiresAt))
	case login.ClientSecret != "":
		return ok(CheckCredentials, "%s; the token ended at %s, and the next command renews it.", whose, moment(login.ExpiresAt))
	}
	text := fmt.Sprintf("%s, but the token ended at %s (%s ago), and no secret is stored to renew it.",
		whose, moment(login.ExpiresAt), now.Sub(login.ExpiresAt).Round(time.Second))
	return failed(CheckCredentials, payments.KindCredential, text, "payctl auth login")
}

// journalTime is how long a look at the journal may take.
const journalTime = 5 * time.Second

// journal tells whether writes can be put down, and which have an outcome that is not known.
func (e *examination) journal(ctx context.Context) []Finding {
	path, err := e.journalPath()
	if err != nil {
		return one(failed(CheckJournal, payments.KindJournal, payments.Sentence(err.Error()), "set "+config.EnvConfigDir+" to a folder of your own"))
	}
	ctx, cancel := context.WithTimeout(ctx, journalTime)
	defer cancel()
	state, err := journal.Inspect(ctx, path)
	switch at := unwritable(path); {
	case at != "" && (err == nil || errors.Is(err, fs.ErrNotExist)):
		text := fmt.Sprintf("Nothing can be written to %s, where each write is put down before it is sent: what only reads works, and nothing else.", at)
		if state.Open > 0 {
			text += " " + openWrites(state)
		}
		return one(failed(CheckJournal, payments.KindJournal, text, "make sure that you may write to "+safefile.Quote(at)+", or set "+config.EnvConfigDir+" to another folder"))
	case errors.Is(err, fs.ErrNotExist):
		return one(ok(CheckJournal, "There is none yet; the first write makes it."))
	case errors.Is(err, journal.ErrUnsafe):
		return one(skipped(CheckJournal, "It is not opened before its file is safe to use."))
	case errors.Is(err, journal.ErrNewer):
		return one(failed(CheckJournal, payments.KindJournal, "A later version of payctl has written "+path+".", "install that version"))
	case errors.Is(err, journal.ErrCorrupt):
		return one(failed(CheckJournal, payments.KindJournal, path+" is damaged.", "mv "+safefile.Quote(path)+" "+safefile.Quote(path+".bad")))
	case errors.Is(err, context.DeadlineExceeded):
		return one(failed(CheckJournal, payments.KindTimeout, path+" could not be read in time.", "see whether another program holds it"))
	case err != nil:
		return one(failed(CheckJournal, payments.KindJournal, payments.Sentence(err.Error()), "see that you may read and write "+safefile.Quote(path)))
	case state.Open > 0:
		return one(warning(CheckJournal, openWrites(state), "payctl transfer settle"))
	}
	return one(ok(CheckJournal, "%s can be read (version %d); of %d writes none is open.", path, state.Version, state.Writes))
}

func openWrites(state journal.State) string {
	return fmt.Sprintf("The outcome of %d of %d writes is not known: they may have taken effect, or are being sent now.", state.Open, state.Writes)
}
