// Package cmdutil has what commands share. Deps are the streams, settings and services of one run. Other files have
// input and output, questions, flags, errors with their exit codes, and how values are shown to a person.
package cmdutil

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/client/redact"
	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// Deps are the dependencies of commands. The functions make what they return when they are first called, so a command
// pays only for what it uses. Commands change nothing here.
type Deps struct {
	*ui.Streams
	Getenv func(string) string
	Now    func() time.Time
	Build  Build
	// Args are the arguments of the program.
	Args []string
	// Secrets are all credentials that the program has seen.
	Secrets *redact.Secrets
	// Options are the global flags.
	Options *Options

	// Config reads the configuration file.
	Config func() (*settings.File, error)
	// Settings are the global flags, the environment, the profile and the defaults, in that order of precedence.
	Settings func() (settings.Settings, error)
	// Logins is the credential store that the settings name.
	Logins func() (keystore.Store, error)
	// Payments is the service at the settings' base URL, called with the login's credentials. Its writes are recorded
	// in the journal, which is opened when it is first used.
	Payments func() (payments.Service, error)
	// Connect returns that service with other calls.
	Connect func(Calls) (*outbox.Outbox, error)
	// Client is the client of that service and of its sandbox. NewClient makes one of any service without credentials.
	Client    func() (*client.Client, error)
	NewClient func(settings.Settings) (*client.Client, error)

	ahead atomic.Int64 // how many nanoseconds the service's clock is ahead of this machine's
}

// Calls is how the calls of a service are made.
type Calls struct {
	// Timeout bounds one call with its retries. Zero means as the settings have it.
	Timeout time.Duration
	// Pace is called before each request and delays it. Nil means that none is delayed.
	Pace func(context.Context) error
}

// SetServiceTime records the time that a response of the service tells, cut to the second.
func (d *Deps) SetServiceTime(date time.Time) {
	ahead := date.Sub(d.Now()) + time.Second/2
	if ahead.Abs() < 2*time.Second { // the response may have taken so long
		ahead = 0
	}
	d.ahead.Store(int64(ahead))
}

// ServiceNow is the present time by the service's clock, as far as a response has told it. Ages and deadlines are by
// this clock: that of a sandbox can be moved.
func (d *Deps) ServiceNow() time.Time { return d.Now().Add(d.ServiceAhead()) }

// ServiceAhead is how far the service's clock is ahead of this machine's, as far as a response has told it.
func (d *Deps) ServiceAhead() time.Duration { return time.Duration(d.ahead.Load()) }

// ServiceLabel names the profile and the host of the service, and what wins over the profile.
func (d *Deps) ServiceLabel() string {
	resolved, err := d.Settings()
	if err != nil {
		return ""
	}
	label := resolved.Profile + " at " + resolved.BaseURL.Host
	if resolved.Overridden != "" {
		label += " (" + settings.EnvBaseURL + ")"
	}
	return label
}

// Options are the global flags.
type Options struct {
	Profile, BaseURL, CACert, CredentialStore string
	Output, JQ                                string
	NoColor, Quiet, Verbose, Yes              bool
	Timeout                                   time.Duration
	Retries                                   int
	AllowInsecureHTTP                         bool
	// Curl shows the first call as a curl command line and sends nothing.
	Curl bool
	// Given reports whether a flag is on the command line.
	Given func(flag string) bool
}

// Build identifies the build of the program.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}
