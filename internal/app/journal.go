package app

import (
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/journal"
	"github.com/payctl/payctl/internal/session"
)

// newJournal is the journal of what the settings' client writes to the settings' service.
func newJournal(d *deps.Deps, source func() (*session.Source, error)) (*journal.Scope, error) {
	settings, err := d.Settings()
	if err != nil {
		return nil, err
	}
	credentials, err := source()
	if err != nil {
		return nil, err
	}
	dir, err := config.StateDir(d.Getenv)
	if err != nil {
		return nil, err
	}
	return &journal.Scope{
		Path:    journal.Path(d.Options.Journal, dir),
		Service: serviceName(settings.BaseURL), Profile: settings.Profile,
		Client: credentials.ClientID, Now: d.Now, Patience: settings.Timeout,
	}, nil
}

// serviceName is the base URL of a service as the journal has it: without a port that goes without saying, so that all
// spellings of one service are one name.
func serviceName(base *url.URL) string {
	usual := map[string]string{"http": ":80", "https": ":443"}[base.Scheme]
	return strings.TrimSuffix(config.Origin(base), usual) + base.Path
}

// closeJournal closes the journal. A failure leaves entries open that need not be, which is worth a word and no more.
func closeJournal(d *deps.Deps, writes *journal.Scope) {
	if err := writes.Close(); err != nil {
		why := strings.ReplaceAll(err.Error(), "\n", "; ") // it may be several, a line each
		d.Warnf("%s. What was sent is not lost; payctl transfer settle finds out what became of it.", why)
		for _, next := range journalToMend(err) {
			d.Notef("  %s", next)
		}
	}
}
