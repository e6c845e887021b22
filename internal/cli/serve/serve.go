// Package serve is `payctl serve`.
package serve

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// New returns the command.
func New(d *cmdutil.Deps) *cobra.Command {
	c := cmdutil.ServeConfig{}
	seed := uint64(0)
	anyClientAsked := false
	cmd := &cobra.Command{
		Use:   "serve [flags] [-- COMMAND [ARG…]]",
		Short: "Run the reference service",
		Long: `Run the reference service of the payments API on this machine. It has every operation of the
contract, and keeps its data in memory, with --data in a folder, or with --database in PostgreSQL.

When the service answers requests, it prints one line to standard output: a JSON object with url, pid, clientId and
clientSecret. Each client id has its own world, so tests that run at the same time do not see each other. Any client may
log in, unless --client or --client-file names those who may. Where other machines reach --addr, name them, or allow any
client with --any-client.

With a command after --, the service picks a free port and runs the command. The command finds PAYCTL_BASE_URL,
PAYCTL_CLIENT_ID and PAYCTL_CLIENT_SECRET in its environment, and has its own empty configuration folder. When the
command ends, the service ends too, with the exit code of the command, and removes that folder.

Each flag has an environment variable, such as PAYCTL_SERVE_ADDR for --addr: see payctl help environment.`,
		Example: `  payctl serve
  payctl serve --addr 127.0.0.1:0 --kyc-delay 0s --settle-delay 0s
  payctl serve --database postgres://payctl@db.example/payctl
  payctl serve -- sh -c 'payctl accounts list'`,
		Args: func(cmd *cobra.Command, args []string) error {
			anyClientAsked = c.AnyClient // variables are not read yet
			dash := cmd.ArgsLenAtDash()
			if dash != 0 && len(args) > 0 && cmdutil.IsDatabaseURL(args[0]) {
				return cmdutil.Usage("%s takes no argument: a flag names a database", cmd.CommandPath()).
					WithHint("payctl serve --database URL")
			}
			if dash != 0 && len(args) > 0 {
				return cmdutil.Usage("%s takes no argument %s", cmd.CommandPath(), args[0]).
					WithHint("put -- before a command to run")
			}
			if dash == 0 && (len(args) == 0 || args[0] == "") { // without a command, a CI job would wait for ever
				return cmdutil.Usage("payctl serve -- needs a command to run").
					WithHint("leave -- out, or see whether a variable is not set")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			f := cmd.Flags()
			named, err := readClients(cmd.Context(), d, c.ClientFile)
			if err != nil {
				return err
			}
			c.Clients = append(c.Clients, named...)
			if c.AnyClient && anyClientAsked && len(c.Clients) > 0 {
				return cmdutil.Usage("--any-client excludes named clients, of --client or --client-file").
					WithHint("leave --any-client out, so that only the named clients may log in")
			}
			// The variable is a default, such as that of a container image: clients that are named restrict it.
			c.AnyClient = c.AnyClient && len(c.Clients) == 0
			if c.Hosts, err = hostNames(c.Hosts); err != nil {
				return err
			}
			if f.Changed("seed") {
				c.Seed = &seed
			}
			if c.IgnoreKeys && !f.Changed("unique-references") {
				c.UniqueReferences = false
			}
			if c.Command = args; len(args) > 0 && !f.Changed("addr") {
				c.Addr = "127.0.0.1:0"
			}
			if err := checkPlace(f, c); err != nil {
				return err
			}
			if (c.TLSCert == "") != (c.TLSKey == "") {
				return cmdutil.Usage("--tls-cert and --tls-key go together: one of them is missing")
			}
			if err := checkTimes(c); err != nil {
				return err
			}
			return d.Serve(cmd.Context(), c)
		},
	}
	cmd.AddCommand(newBackup(d))
	f := cmd.Flags()
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8700", "listen on `HOST:PORT`; port 0 picks a free one")
	f.StringVar(&c.Data, "data", "", "keep all data in this `FOLDER`, which one server at a time uses")
	f.StringVar(&c.Database.URL, "database", "",
		"keep all data in the PostgreSQL database at this `URL`, which any number of servers may share; host=… words do too")
	f.StringVar(&c.Database.Schema, "schema", cmdutil.DefaultSchema,
		"the `NAME` of the schema in --database; created if it is missing")
	f.StringArrayVar(&c.Clients, "client", nil, "let only the client `ID:SECRET` log in; may be repeated")
	f.StringVar(&c.ClientFile, "client-file", "",
		"let only the clients of this `FILE` log in, one ID:SECRET a line; it hides secrets from other users")
	f.BoolVar(&c.AnyClient, "any-client", false,
		"let any client log in where other machines reach --addr too, such as in a container")
	f.StringArrayVar(&c.Hosts, "host", nil,
		"answer requests for this host `NAME` too, where --addr is on this machine; may be repeated")
	f.StringVar(&c.Catalogue, "catalogue", "", "offer the routes of this YAML `FILE` instead of the built-in ones")
	f.StringVar(&c.ReadyFile, "ready-file", "", "write the first line to this `FILE` too")
	f.StringVar(&c.TLSCert, "tls-cert", "", "serve HTTPS with this certificate `FILE` (PEM)")
	f.StringVar(&c.TLSKey, "tls-key", "", "the certificate's key `FILE` (PEM)")
	f.BoolVar(&c.Strict, "strict", false, "refuse unknown members and parameters")
	f.DurationVar(&c.KYCDelay, "kyc-delay", 2*time.Second, "`TIME` from submitting an identity check to its verdict")
	f.DurationVar(&c.SettleDelay, "settle-delay", 500*time.Millisecond, "`TIME` that each step of a transfer takes")
	f.DurationVar(&c.TokenLifetime, "token-ttl", time.Hour, "`TIME` that an access token is valid")
	f.Uint64Var(&seed, "seed", 0,
		"make ids and hashes from this `NUMBER`, the same in each run; with --clock manual times too")
	f.StringVar(&c.Clock, "clock", "real", "the `PACE` of new worlds' clocks: real, manual, or a multiple such as 10x")
	f.StringVar(&c.Deposits, "deposits", "auto",
		"`HOW` deposits of transfers arrive: auto (by themselves) or manual (payctl sandbox deposit)")
	f.StringArrayVar(&c.Faults, "fault", nil,
		"make an operation fail by this `RULE` (payctl sandbox faults --help); may be repeated")
	f.BoolVar(&c.IgnoreKeys, "ignore-idempotency-keys", false, "behave as a service that ignores idempotency keys")
	f.BoolVar(&c.UniqueReferences, "unique-references", true,
		"never create two transfers with one reference; with --ignore-idempotency-keys, only if this flag is given")
	f.BoolVar(&c.Check, "check", false, "check each response against the contract, and exit with 15 if one breaks it")
	f.StringVar(&c.Report, "report", "", "at the end, write a JSON report to `FILE`; - is standard output")
	f.StringVar(&c.RateLimit, "rate-limit", "",
		"allow each client `COUNT/PERIOD` requests, such as 100/s, 1000/m or 50/10s; answer 429 to more")
	f.BoolVar(&c.Metrics, "metrics", false, "answer GET /metrics for Prometheus")
	f.BoolVar(&c.NoSandbox, "no-sandbox", false, "leave out the operations below /sandbox")
	return cmd
}

// checkPlace checks the flags for the place of the data.
func checkPlace(f *pflag.FlagSet, c cmdutil.ServeConfig) error {
	if c.Data != "" && c.Database.URL != "" {
		return cmdutil.Usage("--data and --database exclude each other")
	}
	if cmdutil.IsDatabaseURL(c.Data) {
		return cmdutil.Usage("--data names a folder, not a database").WithHint("payctl serve --database URL")
	}
	if f.Changed("schema") && c.Database.URL == "" {
		return cmdutil.Usage("--schema needs a database with --database")
	}
	return cmdutil.CheckSchema(c.Database.Schema)
}

// longest is the longest time that a flag takes, a year. Clocks stop two years before the last time that can be
// written, so that a year from any clock's time can be written too.
const longest = 8760 * time.Hour

// checkTimes refuses times that are out of bounds.
func checkTimes(c cmdutil.ServeConfig) error {
	for _, flag := range []struct {
		name           string
		given, atLeast time.Duration
	}{
		{"kyc-delay", c.KYCDelay, 0}, {"settle-delay", c.SettleDelay, 0},
		{"token-ttl", c.TokenLifetime, time.Second},
	} {
		if flag.given < flag.atLeast || flag.given > longest {
			return cmdutil.Usage("--%s must be from %s to 8760h", flag.name, flag.atLeast)
		}
	}
	return nil
}
