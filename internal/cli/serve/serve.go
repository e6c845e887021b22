// Package serve is `payctl serve`.
package serve

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

// New returns the command.
func New(d *deps.Deps) *cobra.Command {
	c := deps.ServeConfig{}
	memory, seed := false, uint64(0)
	cmd := &cobra.Command{
		Use:   "serve [flags] [-- COMMAND [ARG…]]",
		Short: "Run the reference service",
		Long: `Run the reference service of the payments API: every operation of the contract, on this machine, in memory
or, with --data, in a folder.

The first line on standard output, written once requests are answered, is a JSON object with url, pid, clientId and
clientSecret. Every client id has a world of its own, so that tests beside each other never meet; any id and secret open
one, unless --client names who may.

With a command after --, the service picks a port, runs the command with PAYCTL_BASE_URL, PAYCTL_CLIENT_ID and
PAYCTL_CLIENT_SECRET in its environment and with a configuration folder of its own, and ends with the command, with its
exit code. Nothing is left behind.`,
		Example: `  payctl serve
  payctl serve --addr 127.0.0.1:0 --kyc-delay 0s --settle-delay 0s
  payctl serve -- sh -c 'payctl accounts list'`,
		Args: func(cmd *cobra.Command, args []string) error {
			dash := cmd.ArgsLenAtDash()
			if dash != 0 && len(args) > 0 {
				return &deps.UsageError{Reason: "payctl serve takes no argument " + args[0], Hint: "put -- before a command to run"}
			}
			if dash == 0 && (len(args) == 0 || args[0] == "") { // serving for ever is not what a job that waits for its tests wants
				return &deps.UsageError{Reason: "payctl serve -- needs a command to run", Hint: "leave -- out, or see whether a variable is not set"}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Command = args
			if cmd.Flags().Changed("data") && cmd.Flags().Changed("memory") && memory {
				return deps.Usage("--memory and --data exclude each other")
			}
			if !memory && c.Data == "" {
				return deps.Usage("--memory=false needs a folder with --data")
			}
			if err := checkTimes(c); err != nil {
				return err
			}
			if (c.TLSCert == "") != (c.TLSKey == "") {
				return deps.Usage("--tls-cert and --tls-key go together: one of them is missing")
			}
			if c.MaxClients < 1 {
				return deps.Usage("--max-clients must be a number of clients, such as 10000")
			}
			if cmd.Flags().Changed("seed") {
				c.Seed = &seed
			}
			if len(args) > 0 && !cmd.Flags().Changed("addr") {
				c.Addr = "127.0.0.1:0"
			}
			return d.Serve(cmd.Context(), c)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Addr, "addr", "127.0.0.1:8700", "listen on `HOST:PORT`; port 0 picks one")
	f.BoolVar(&memory, "memory", true, "keep everything in memory")
	f.StringVar(&c.Data, "data", "", "keep everything in this `FOLDER`, over restarts, power cuts and beside other servers on it")
	f.StringArrayVar(&c.Clients, "client", nil, "let `ID:SECRET` in, and nobody who is not named; may be repeated")
	f.StringVar(&c.ClientFile, "client-file", "", "let the clients of this `FILE` in too, one ID:SECRET a line; unlike --client it shows no secret to others on this machine")
	f.IntVar(&c.MaxClients, "max-clients", 10_000, "let `COUNT` clients have a world, and refuse more")
	f.StringArrayVar(&c.Hosts, "host", nil, "answer requests for this `NAME` as well, where --addr is on this machine; may be repeated")
	f.StringVar(&c.Catalogue, "catalogue", "", "offer the routes of this YAML `FILE` instead of the built-in ones")
	f.StringVar(&c.ReadyFile, "ready-file", "", "write the first line to this `FILE` too")
	f.StringVar(&c.TLSCert, "tls-cert", "", "serve HTTPS with this certificate `FILE` (PEM)")
	f.StringVar(&c.TLSKey, "tls-key", "", "the certificate's key `FILE` (PEM)")
	f.BoolVar(&c.Strict, "strict", false, "refuse members and parameters that the contract does not know")
	f.DurationVar(&c.KYCDelay, "kyc-delay", 2*time.Second, "`TIME` from the submission of an identity check to its verdict")
	f.DurationVar(&c.SettleDelay, "settle-delay", 500*time.Millisecond, "`TIME` that each step of a transfer takes")
	f.DurationVar(&c.TokenLifetime, "token-ttl", time.Hour, "`TIME` that an access token works")
	f.Uint64Var(&seed, "seed", 0, "draw ids and hashes from this `NUMBER`, the same in each run; with --clock manual the times are too")
	f.StringVar(&c.Clock, "clock", "real", "let the clocks of new worlds run `PACE`: real, manual, or a multiple such as 10x")
	f.StringVar(&c.Deposits, "deposits", "auto", "deposits of transfers arrive `HOW`: auto (by themselves) or manual (payctl sandbox deposit)")
	f.StringArrayVar(&c.Faults, "fault", nil, "let an operation go wrong by this `RULE` (payctl sandbox faults --help); may be repeated")
	f.BoolVar(&c.IgnoreKeys, "ignore-idempotency-keys", false, "play a service that does not honour idempotency keys")
	f.BoolVar(&c.Check, "check", false, "hold every answer to the contract; log what breaks it, and end with exit code 15")
	f.StringVar(&c.Report, "report", "", "at the end, write what was asked and answered to this `FILE` as JSON; - is standard output")
	f.StringVar(&c.RateLimit, "rate-limit", "", "let each client ask `COUNT/PERIOD`, such as 100/s, 1000/m or 50/10s; more is answered with 429")
	f.StringVar(&c.LogLevel, "log-level", "", "log from this `LEVEL` up: debug (each request), info, warn or error (default info, debug with -v)")
	f.BoolVar(&c.NoSandbox, "no-sandbox", false, "leave the operations below /sandbox out")
	return cmd
}
