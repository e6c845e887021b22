package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/settings"
)

// newJournal makes the journal of the writes with some credentials, in the state folder.
// Where there is no such folder, reads work and writes fail.
func newJournal(d *cmdutil.Deps, credentials *auth.Source) *journal.Journal {
	dir, err := settings.StateDir(d.Getenv)
	resolved := credentials.Settings
	return &journal.Journal{
		Path: journal.Path(dir), Missing: err,
		Service: serviceName(resolved.BaseURL),
		Client:  credentials.ClientID, Now: d.Now, LockTimeout: resolved.Timeout,
		Limits: journal.Limits{Payment: resolved.LimitPayment, Day: resolved.LimitDay},
	}
}

// serviceName is the base URL of a service as the journal records it: without the default port, so that all spellings
// of one service have one name.
func serviceName(base *url.URL) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[base.Scheme]
	return strings.TrimSuffix(settings.Origin(base), usual) + base.Path
}

// closeJournal closes the journal. A failure leaves entries open whose outcome is known, which is worth no more than
// a warning.
func closeJournal(d *cmdutil.Deps, writes *journal.Journal) {
	if err := writes.Close(); err != nil {
		why := strings.ReplaceAll(err.Error(), "\n", "; ") // joined errors have a line each
		d.Warnf("%s. What was sent is not lost; payctl transfer resolve finds out what became of it.", why)
		for _, next := range nextForJournal(err) {
			d.Notef("  %s", next)
		}
	}
}
