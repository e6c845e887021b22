package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/settings"
)

// newJournal makes the journal in the state folder, for writes with these credentials. Without a state folder, reads
// work and writes fail.
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

// serviceName is the base URL of a service without the default port, so that all spellings have one name in the
// journal.
func serviceName(base *url.URL) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[base.Scheme]
	return strings.TrimSuffix(settings.Origin(base), usual) + base.Path
}

// closeJournal closes the journal. A failure is a warning: it only leaves entries open whose outcome is known.
func closeJournal(d *cmdutil.Deps, writes *journal.Journal) {
	if err := writes.Close(); err != nil {
		why := strings.ReplaceAll(err.Error(), "\n", "; ") // joined errors are on lines of their own
		d.Warnf("%s. Nothing that was sent is lost: payctl transfer resolve finds its outcome.", why)
		for _, next := range nextForJournal(err) {
			d.Notef("  %s", next)
		}
	}
}
