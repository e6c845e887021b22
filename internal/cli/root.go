// Package cli is the command line: one folder a noun, one file a verb.
package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/accounts"
	"github.com/payctl/payctl/internal/cli/api"
	"github.com/payctl/payctl/internal/cli/auth"
	"github.com/payctl/payctl/internal/cli/complete"
	"github.com/payctl/payctl/internal/cli/contacts"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/cli/doctor"
	"github.com/payctl/payctl/internal/cli/events"
	"github.com/payctl/payctl/internal/cli/kyc"
	"github.com/payctl/payctl/internal/cli/profile"
	"github.com/payctl/payctl/internal/cli/routes"
	"github.com/payctl/payctl/internal/cli/sandbox"
	"github.com/payctl/payctl/internal/cli/serve"
	"github.com/payctl/payctl/internal/cli/transfer"
	"github.com/payctl/payctl/internal/cli/version"
)

// New returns the program's command.
func New(d *deps.Deps) *cobra.Command {
	root := deps.Group("payctl", "Operate against a payments API")
	root.Long = `Operate against a payments API: accounts, identity checks, saved contacts, routes and transfers.

Three commands in two terminals, with nothing configured:

  payctl serve
  payctl auth login --client-id sandbox      (its secret is sandbox-secret)
  payctl accounts create --type individual --first-name Ada --last-name Lovelace --email ada@example.com --country GB`
	versionAsked := root.Flags().Bool("version", false, "tell which build of the program this is")
	showHelp := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if *versionAsked && !d.Options.Curl { // cobra's own answer has one form, whatever -o and --jq say
			return version.Run(cmd.Context(), d)
		}
		return showHelp(cmd, args)
	}
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetIn(d.In)
	root.SetOut(d.Out)
	root.SetErr(d.Err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return flagError(cmd, err)
	})
	addGlobalFlags(root, d)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		d.Quiet = d.Options.Quiet
		if d.Options.NoColor {
			d.ColorOut, d.ColorErr = false, false
		}
		for _, refuse := range []func(*cobra.Command) error{deps.RefuseSwallowedFlags, deps.RefuseEmptyFlags, deps.RefuseExclusiveFlags} {
			if err := refuse(cmd); err != nil {
				return err
			}
		}
		if f := cmd.Flags(); cmd.HasParent() && cmd.Parent().Name() == completionName && (f.Changed("output") || f.Changed("jq")) {
			return deps.Usage("a completion script is for a shell to read, and has no other form")
		}
		return d.RefuseCurl(cmd)
	}
	root.PersistentPostRunE = func(cmd *cobra.Command, _ []string) error {
		if d.Options.Curl {
			return deps.Usage("%s made no call with these arguments, so that --curl has none to show", cmd.CommandPath())
		}
		return nil
	}
	root.AddGroup(
		&cobra.Group{ID: "flow", Title: "The flow:"},
		&cobra.Group{ID: "setup", Title: "Setting up:"},
	)
	for _, cmd := range []*cobra.Command{auth.New(d), accounts.New(d), kyc.New(d), contacts.New(d), routes.New(d), transfer.New(d), events.New(d), api.New(d)} {
		cmd.GroupID = "flow"
		root.AddCommand(cmd)
	}
	for _, cmd := range []*cobra.Command{deps.Local(profile.New(d)), deps.Local(serve.New(d)), sandbox.New(d), doctor.New(d)} {
		cmd.GroupID = "setup"
		root.AddCommand(cmd)
	}
	root.AddCommand(deps.Local(version.New(d)), exitCodes(d), environment(), operations(d))
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case completionName:
			deps.Local(cmd)
			deps.OnlyHolds(cmd) // cobra answers a shell that it does not know with help, which then stands in a script's file
			complete.Scripts(cmd)
			for _, shell := range cmd.Commands() {
				shell.Args = deps.Args() // cobra's own refusal is no mistake of the command line to us
			}
		case "help":
			cmd.Args = func(_ *cobra.Command, args []string) error { return refuseUnknownTopic(root, args) }
		}
	}
	return root
}

// refuseUnknownTopic keeps a misspelt command from being answered with the help of another.
func refuseUnknownTopic(root *cobra.Command, args []string) error {
	found, rest, err := root.Find(args)
	if err != nil || len(rest) == 0 {
		return err
	}
	if !found.HasSubCommands() {
		return deps.Args()(found, rest)
	}
	return found.ValidateArgs(rest)
}

// completionName is the command that writes completion scripts.
const completionName = "completion"

func addGlobalFlags(root *cobra.Command, d *deps.Deps) {
	o := d.Options
	f := root.PersistentFlags()
	f.StringVarP(&o.Profile, "profile", "p", "", "use this `PROFILE`")
	f.StringVar(&o.BaseURL, "base-url", "", "`URL` of the service")
	f.StringVarP(&o.Output, "output", "o", "", "`FORMAT` of the output: table, json, ndjson, yaml or csv")
	f.StringVar(&o.JQ, "jq", "", "filter the JSON output with this jq `EXPRESSION`; strings are printed raw")
	f.BoolVar(&o.NoColor, "no-color", false, "no colour")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no notes on standard error")
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "show the HTTP traffic on standard error, without its secrets")
	f.DurationVar(&o.Timeout, "timeout", 0, "give one call at most `DURATION`, retries included (default 30s)")
	f.IntVar(&o.Retries, "retries", 0, "repeat at most `N` times what may be repeated (default 3)")
	f.StringVar(&o.CredentialStore, "credential-store", "", "keep logins in the `STORE` keyring or file (default keyring)")
	f.StringVar(&o.CACert, "ca-cert", "", "trust the certificate authorities in the PEM `FILE`, and no others")
	f.BoolVar(&o.AllowInsecureHTTP, "allow-insecure-http", false, "allow plain http to another machine")
	f.BoolVar(&o.Curl, "curl", false, "print the curl command line of the first call, with $PAYCTL_TOKEN for the token, and send nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "answer yes to every question")
	o.Given = func(flag string) bool { return f.Changed(flag) || flag == "timeout" && o.Timeout > 0 }
	f.SortFlags = false
}

// exitCodes is the help topic `payctl help exit-codes`.
func exitCodes(d *deps.Deps) *cobra.Command {
	var b strings.Builder
	b.WriteString("The exit code says what a script can do about an outcome:\n\n")
	for _, row := range d.ExitCodes {
		fmt.Fprintf(&b, "  %3d  %s\n", row.Code, row.Meaning)
	}
	return &cobra.Command{Use: "exit-codes", Short: "What each exit code means", Long: strings.TrimRight(b.String(), "\n")}
}

// environment is the help topic `payctl help environment`.
func environment() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "The environment variables that are read",
		Long: `A flag wins over an environment variable, that over the profile, and that over the default.

  PAYCTL_PROFILE           the profile to use
  PAYCTL_BASE_URL          the URL of the service
  PAYCTL_TOKEN             an access token, for the service that PAYCTL_BASE_URL or PAYCTL_PROFILE names
  PAYCTL_CLIENT_ID         a client's id, with
  PAYCTL_CLIENT_SECRET     its secret: a token is fetched with them for this process
  PAYCTL_CA_CERT           a PEM file of the only certificate authorities to trust
  PAYCTL_OUTPUT            the output format
  PAYCTL_CREDENTIAL_STORE  keyring or file
  PAYCTL_CONFIG_DIR        the folder of the configuration, and of the state below it
  XDG_CONFIG_HOME          where that is not set, on Linux and the BSDs: the configuration is in payctl below it (~/.config)
  XDG_STATE_HOME           and the state in payctl below it (~/.local/state)
  HTTPS_PROXY, NO_PROXY    the proxy, and the hosts without; HTTP_PROXY for plain http; never for this machine
  NO_COLOR                 no colour (https://no-color.org); CLICOLOR=0 and TERM=dumb do the same
  CLICOLOR_FORCE           colour where there is no terminal, too
  LC_ALL, LC_CTYPE, LANG   whether a terminal shows more than ASCII`,
	}
}
