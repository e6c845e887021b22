// Package deps is what every command is given and what all commands do alike. Nothing in it is made before a command
// asks for it, so that a command pays only for what it uses.
package deps

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/doctor"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/session"
	"github.com/payctl/payctl/internal/term"
)

// Deps is what commands are made with.
type Deps struct {
	*term.Streams
	Getenv func(string) string
	Now    func() time.Time
	Build  Build
	// Redact takes the credentials that have come by out of a text.
	Redact func(text string) string
	// Options are the global flags.
	Options *Options
	// ExitCodes is the table of exit codes, for the help.
	ExitCodes []ExitCode
	// Mappable lists the operations that a profile may map, for the help.
	Mappable []Operation

	// Config reads the configuration file.
	Config func() (*config.File, error)
	// Settings are the global flags, the environment, the profile and the defaults, in that order of precedence.
	Settings func() (config.Settings, error)
	// Logins is the credential store that the settings name.
	Logins func() (credential.Store, error)
	// Stores are all credential stores, the one that the settings name first.
	Stores func() ([]credential.Store, error)
	// Payments is the service at the settings' base URL, called with the login's credentials.
	Payments func() (payments.Service, error)
	// Journal is where writes are put down before they leave, and what became of them. Nothing is opened before it is used.
	Journal func() (Journal, error)
	// Sandbox is the sandbox of the reference service at the settings' base URL.
	Sandbox func() (payments.Sandbox, error)
	// Call makes any call below the settings' base URL with the login's credentials. Beside an error the answer is what
	// the service said, if it said anything to its end.
	Call func(context.Context, Call) (*Answer, error)
	// Tokens is the token operation at the settings' base URL.
	Tokens func() (payments.Tokens, error)
	// Pace, where a command sets it before it asks for a service, is called before each request that is sent, also before a
	// repeated one, and returns when it may be.
	Pace func(context.Context) error
	// ShowPersonal, where a command has --show-pii, says whether it was given.
	ShowPersonal func() bool
	// Session finds the credentials that calls are made with.
	Session func() (Session, error)
	// Obtain exchanges a client's id and secret for a login at the settings' origin.
	Obtain func(ctx context.Context, tokens payments.Tokens, clientID, clientSecret string) (credential.Login, error)
	// ShowCall takes the command line of a call in place of making the call, for --curl.
	ShowCall func(line string) error
	// Enum lists the values that the contract has for a member of an operation.
	Enum func(operationID, member string) []string
	// Quick is the service with credentials that nobody has to unlock, and a text that tells its world from others, for
	// completion alone. False where there are no such credentials.
	Quick func(context.Context) (service payments.Service, identity string, ok bool)
	// Examine looks at everything that commands depend on, for doctor; offline leaves out the network.
	Examine func(ctx context.Context, offline bool) doctor.Report
	// Serve runs the reference service until the context ends.
	Serve func(context.Context, ServeConfig) error

	mu  sync.Mutex
	end []func()
}

// AtEnd has something done when the program ends, the last first.
func (d *Deps) AtEnd(do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.end = append(d.end, do)
}

// End does what there is to do when the program ends.
func (d *Deps) End() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, do := range slices.Backward(d.end) {
		do()
	}
	d.end = nil
}

// Build says which build of the program this is.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Date    string `json:"date,omitempty"`
	Go      string `json:"go"`
	OS      string `json:"os"`
	Arch    string `json:"arch"`
}

// An ExitCode is a row of the table of exit codes.
type ExitCode struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

// An Operation is one of the contract's.
type Operation struct {
	ID      string
	Method  string
	Path    string
	Summary string
}

// Options are the global flags.
type Options struct {
	Profile           string
	BaseURL           string
	Output            string
	JQ                string
	NoColor           bool
	Quiet             bool
	Verbose           bool
	Timeout           time.Duration
	Retries           int
	Yes               bool
	CredentialStore   string
	CACert            string
	AllowInsecureHTTP bool
	// Curl asks to show the first call as a command line and to send nothing.
	Curl bool
	// Journal is the file of the journal, of commands that take another than the usual one; empty: the usual one.
	Journal string
	// Given says whether a flag stands on the command line.
	Given func(flag string) bool
}

// A Session is where a token comes from.
type Session interface {
	// Token returns an access token that works as far as is known.
	Token(context.Context) (string, error)
	// Refresh fetches a new token, whether or not the old one still works.
	Refresh(context.Context) error
	// Status tells of the credentials, asking the service whether it takes them.
	Status(context.Context) session.Status
}

// ServeConfig is how the reference service is to run.
type ServeConfig struct {
	Addr            string
	Clients         []string // ID:SECRET
	ClientFile      string   // with an ID:SECRET on each line; empty: none
	MaxClients      int
	Hosts           []string // that a service on this machine answers for, beside it
	Catalogue       string
	Data            string // folder; empty: memory
	ReadyFile       string
	TLSCert, TLSKey string
	Strict          bool
	KYCDelay        time.Duration
	SettleDelay     time.Duration
	TokenLifetime   time.Duration
	Clock           string // real, manual or 10x
	Deposits        string // auto or manual
	NoSandbox       bool
	Faults          []string // rules
	IgnoreKeys      bool
	Seed            *uint64  // nil: there is none
	Command         []string // run beside the service; empty: none
	Check           bool     // hold every answer to the contract
	Report          string   // file, - for standard output; empty: none
	RateLimit       string   // COUNT/PERIOD; empty: none
	LogLevel        string   // debug, info, warn or error; empty: info, debug with -v
}

// Printer shows results in the form that the settings ask for.
func (d *Deps) Printer(ctx context.Context) (*term.Printer, error) {
	settings, err := d.Settings()
	if err != nil {
		return nil, err
	}
	format, err := term.ParseFormat(settings.Output)
	if err != nil {
		return nil, Usage("%v", err)
	}
	printer, err := term.NewPrinter(d.Streams, format, d.Options.JQ)
	if err != nil {
		return nil, Usage("%v", err)
	}
	return printer.With(ctx), nil
}

// Print shows one result.
func (d *Deps) Print(ctx context.Context, value any, view func() term.View) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	return printer.Print(value, view)
}

// Hint tells a person at a terminal what to do next; in a log it would be noise.
func (d *Deps) Hint(format string, args ...any) {
	if d.ErrTTY {
		d.Notef("%s", d.Addressed(fmt.Sprintf(format, args...)))
	}
}
