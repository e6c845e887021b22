// Package cli is the command line. A noun with several verbs has a package, and each verb a file in it. Commands of one
// file are here.
package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/settings"
)

// New returns the program's command for the line in d.Args, with all commands below it if there is none. Own are the
// nouns that need more than d: auth, doctor and serve.
func New(d *cmdutil.Deps, own map[string]func() *cobra.Command) *cobra.Command {
	root := cmdutil.Group("payctl", "A client for a payments API")
	root.Long = "A client for a payments API. To try it: payctl serve, then payctl auth login --client-id sandbox"
	root.Version = versionLine(d.Build)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(d.In)
	root.SetOut(d.Out)
	root.SetErr(d.Err)
	addGlobalFlags(root, d)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return prepare(cmd, d) }
	root.PersistentPostRunE = func(cmd *cobra.Command, _ []string) error {
		if d.Options.Curl && cmd.Flags().Changed("curl") {
			return cmdutil.Usage("%s made no call with these arguments, so that --curl has none to show",
				cmd.CommandPath())
		}
		return nil
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, d.Args, err) })
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		root.PersistentFlags().VisitAll(func(f *pflag.Flag) { f.Hidden = true }) // payctl help flags has them
		help(cmd, args)
	})
	root.SetHelpCommand(newHelp(d))
	addCommands(root, d, own)
	return root
}

// prepare checks the flags of a command and applies the global ones. Flags that are not on the line get the values of
// their variables.
func prepare(cmd *cobra.Command, d *cmdutil.Deps) error {
	if err := checkFlags(cmd); err != nil {
		return err
	}
	if err := useVariables(cmd, d.Getenv); err != nil {
		return err
	}
	d.Quiet = d.Options.Quiet
	if d.Options.NoColor {
		d.ColorOut, d.ColorErr = false, false
	}
	given := cmd.Flags().Changed("curl")
	switch local := cmdutil.IsLocal(cmd); {
	case local && given:
		return cmdutil.Usage("%s makes no call to the service, so that --curl has none to show", cmd.CommandPath())
	case local:
		d.Options.Curl = false // of the environment, which is for all commands
	case d.Options.Curl && !given:
		d.Notef("%s is set: the first call is printed, and nothing is sent.", settings.Variable("curl"))
	}
	return nil
}

func addGlobalFlags(root *cobra.Command, d *cmdutil.Deps) {
	o := d.Options
	f := root.PersistentFlags()
	f.StringVarP(&o.Profile, "profile", "p", "", "")
	f.StringVar(&o.BaseURL, "base-url", "", "")
	f.StringVarP(&o.Output, "output", "o", "", "")
	f.StringVar(&o.JQ, "jq", "", "filter the JSON output with this jq `EXPRESSION`; strings are printed raw")
	f.BoolVar(&o.NoColor, "no-color", false, "no colour")
	f.BoolVarP(&o.Quiet, "quiet", "q", false, "no notes on standard error")
	f.BoolVarP(&o.Verbose, "verbose", "v", false,
		"show the HTTP traffic on standard error, without secrets and personal data")
	cmdutil.DurationVar(f, &o.Timeout, "timeout", 0, "")
	f.IntVar(&o.Retries, "retries", 0, "")
	f.StringVar(&o.CredentialStore, "credential-store", "", "")
	f.StringVar(&o.CACert, "ca-cert", "", "")
	f.BoolVar(&o.AllowInsecureHTTP, "allow-insecure-http", false, "")
	f.BoolVar(&o.Curl, "curl", false,
		"print the first call as a curl command line, with $PAYCTL_TOKEN for the token, and send nothing")
	f.BoolVarP(&o.Yes, "yes", "y", false, "answer yes to every question")
	o.Given = f.Changed
	f.SortFlags = false
	f.VisitAll(func(flag *pflag.Flag) {
		if k, ok := settings.OfFlag(flag.Name); ok {
			flag.Usage = k.Help
			if k.Default != "" { // which package settings applies, where nothing else gives a value
				flag.DefValue = k.Default
			}
		}
	})
}
