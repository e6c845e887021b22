// Package serve is `payctl serve`: the reference service, and a command that runs beside it.
//
// serve.go has the flags, options.go reads them, run.go runs the service. address.go decides who can reach it.
// child*.go runs the command after --.
package serve

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/routes"
)

// NewServer makes the reference service, as refserver.New does.
type NewServer func(refserver.Config) (*refserver.Server, error)

// New returns the command.
func New(d *cmdutil.Deps, newServer NewServer) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use:   "serve [flags] [-- COMMAND [ARG…]]",
		Short: "Run the reference service",
		Long: `Run the reference service of the payments API on this machine. Its data is in memory, with --data
in a folder, or with --database in PostgreSQL. Each client id has its own sandbox. A command after --
runs with PAYCTL_BASE_URL and credentials in its environment.`,
		Example: `  payctl serve --addr 127.0.0.1:0 --kyc-delay 0s --settle-delay 0s
  payctl serve -- sh -c 'payctl accounts list'`,
		Args: checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.printCatalogue {
				_, err := d.Out.Write(routes.DefaultSource)
				return err
			}
			if err := o.complete(cmd.Context(), d, cmd.Flags(), args); err != nil {
				return err
			}
			return run(cmd.Context(), d, o, newServer)
		},
	}
	addFlags(cmd, o)
	return cmd
}

func addFlags(cmd *cobra.Command, o *options) {
	f := cmd.Flags()
	f.StringVar(&o.addr, "addr", "127.0.0.1:8700", "listen at `HOST:PORT`; port 0 picks a free one")
	f.StringVar(&o.Data, "data", "", "keep all data in this `FOLDER`")
	f.StringVar(&o.database.URL, "database", "", "keep all data in PostgreSQL at this `URL`")
	f.StringVar(&o.as, "as", "", "imitate the service of this `PROFILE`: its paths, names, words and pages")
	f.StringArrayVar(&o.clients, "client", nil, "let only the client `ID:SECRET` log in; may be repeated")
	f.BoolVar(&o.anyClient, "any-client", false, "let any client log in, even from other machines")
	f.StringVar(&o.Catalogue, "catalogue", "", "offer the routes of this YAML `FILE`")
	f.BoolVar(&o.printCatalogue, "print-catalogue", false, "print the built-in catalogue and exit")
	f.StringVar(&o.readyFile, "ready-file", "", "write the first line to this `FILE` too")
	f.StringVar(&o.tlsCert, "tls-cert", "", "serve HTTPS with this certificate `FILE` (PEM)")
	f.StringVar(&o.tlsKey, "tls-key", "", "the certificate's key `FILE` (PEM)")
	cmdutil.DurationVar(f, &o.KYCDelay, "kyc-delay", 2*time.Second, "`TIME` of an identity check")
	cmdutil.DurationVar(f, &o.SettleDelay, "settle-delay", 500*time.Millisecond, "`TIME` that each step of a transfer takes")
	cmdutil.DurationVar(f, &o.TokenLifetime, "token-ttl", time.Hour, "`TIME` that an access token is valid")
	f.Uint64Var(&o.seed, "seed", 0, "draw ids and hashes from this `NUMBER`; with --clock manual all is the same in each run")
	f.StringVar(&o.clock, "clock", "real", "`PACE` of clocks: real, manual or 10x")
	f.StringArrayVar(&o.faults, "fault", nil, "inject faults by a `RULE` (payctl sandbox faults --help); may be repeated")
	f.BoolVar(&o.IgnoreIdempotencyKeys, "ignore-idempotency-keys", false, "ignore idempotency keys, as some services do")
	f.BoolVar(&o.uniqueReferences, "unique-references", true, "never create two transfers with one reference")
	f.BoolVar(&o.Check, "check", false, "check responses against the contract; exit code 15 if one breaks it")
	f.StringArrayVar(&o.reports, "report", nil, "at the end, write a report to `FILE`: .json, .html or .xml (JUnit)")
	f.StringArrayVar(&o.required, "require", nil, "exit code 15 if this `OPERATION` was never called; may be repeated")
	f.StringVar(&o.webhook, "webhook", "", "POST all events to this `URL` until acknowledged")
	f.StringVar(&o.webhookSecretFile, "webhook-secret-file", "", "sign them with the secret whsec_… in this `FILE`")
	f.BoolVar(&o.NoSandbox, "no-sandbox", false, "leave out the operations below /sandbox")
}

// checkArguments refuses arguments before --, and -- without a command.
func checkArguments(cmd *cobra.Command, args []string) error {
	dash := cmd.ArgsLenAtDash()
	switch {
	case dash != 0 && len(args) > 0: // which may be the address of a database, with its password
		return cmdutil.Usage("%s takes no argument", cmd.CommandPath()).WithNote("put -- before a command to run")
	case dash == 0 && (len(args) == 0 || args[0] == ""): // without a command, a CI job would wait for ever
		return cmdutil.Usage("payctl serve -- needs a command to run").
			WithNote("leave -- out, or see whether a variable is not set")
	}
	return nil
}
