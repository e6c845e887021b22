package cli

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/docs"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/settings"
)

// An ExitCode is a row of the table of exit codes.
type ExitCode struct {
	Code    int    `json:"code"`
	Meaning string `json:"meaning"`
}

// ExitCodes returns the table of exit codes, from which the help and the documentation are made.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{cmdutil.ExitDone, "done"},
		{cmdutil.ExitUnexpected, "unexpected failure; contract diff found what breaks a command"},
		{cmdutil.ExitUsage, "usage: wrong flag, argument, input file, settings or base URL; nothing was done"},
		{cmdutil.ExitInvalid, "the service found the request invalid (400, or any other 4xx)"},
		{cmdutil.ExitCredential, "no usable credential, or not allowed (401, 403); keyring locked or absent"},
		{cmdutil.ExitNotFound, "not found (404, 410)"},
		{cmdutil.ExitConflict,
			"conflict: key, reference or external id used before, a write that was dismissed, a payee that has changed, or the state forbids it (409, 412, 422)"},
		{cmdutil.ExitRateLimited, "rate limited, and no time left to wait (429)"},
		{cmdutil.ExitReadFailed, "a read failed at the service (5xx, 408, or an unusable answer)"},
		{cmdutil.ExitUnreachable, "the service, or the database of serve, could not be reached; nothing was sent"},
		{cmdutil.ExitOutcomeUnknown,
			"outcome unknown: a write may have taken effect, another payctl is sending it, or a reference was paid twice"},
		{cmdutil.ExitWatchFailed, "an identity check was rejected, or a transfer failed, was canceled or came back"},
		{cmdutil.ExitWaitTimeout, "--timeout ran out while waiting"},
		{cmdutil.ExitRowsRefused, "a batch or an import finished, but some rows were refused"},
		{cmdutil.ExitDeclined, "declined: identity check required, limit exceeded, or route and contact do not match"},
		{cmdutil.ExitCheckFailed,
			"a check failed: transfer report --against found differences, contract verify or serve --check answers that break the contract, serve --require an operation that was never called, webhooks verify a wrong signature"},
		{cmdutil.ExitHeldBack, "a limit of the profile holds a payment back; it was not sent"},
		{cmdutil.ExitHungUp, "the terminal was closed"},
		{cmdutil.ExitInterrupted, "interrupted (Ctrl-C); 10 if a write is unknown"},
		{cmdutil.ExitTerminated, "terminated"},
	}
}

// addTopics adds the texts that `payctl help` shows by a name, to a root that has all commands.
func addTopics(root *cobra.Command) {
	root.AddCommand(
		&cobra.Command{Use: "agents", Short: "How programs and assistants use payctl", Long: docs.Agents},
		&cobra.Command{Use: "exit-codes", Short: "What each exit code means", Long: exitCodes()},
		&cobra.Command{Use: "flags", Short: "The flags that every command has", Long: "Every command accepts these " +
			"flags, before or behind its name. Each has a variable too: PAYCTL_BASE_URL for --base-url.\n\n" +
			root.PersistentFlags().FlagUsages()},
		&cobra.Command{Use: "environment", Short: "The environment variables that payctl reads", Long: environment(root)},
		&cobra.Command{
			Use: "operations", Short: "How a profile describes a service that differs", Long: operations(),
		},
	)
}

func exitCodes() string {
	var b strings.Builder
	b.WriteString("The exit code tells a script what happened, and what it can do next:\n\n")
	for _, row := range ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", row.Code, row.Meaning)
	}
	return b.String()
}

// environment is the text about variables. Those of flags have the usage of the flag.
func environment(root *cobra.Command) string {
	var b strings.Builder
	row := func(name, meaning string) { fmt.Fprintf(&b, "  %-34s  %s\n", name, meaning) }
	ofFlag := func(f *pflag.Flag, variable string) {
		_, usage := pflag.UnquoteUsage(f)
		row(variable, strings.ReplaceAll(usage, "may be repeated", "one a line"))
	}
	b.WriteString(`A flag wins over an environment variable, a variable over the profile, and the profile over the
default. An empty variable counts as not set. Flags that take no value are true or false in a variable.

Credentials:

`)
	for _, k := range settings.Keys() {
		if k.Variable != "" && !k.IsFlag {
			row(k.Variable, k.Help)
		}
	}
	row(settings.EnvWebhookSecret, "the secret whsec_… of events, for listen and webhooks verify; serve --webhook sets it")
	b.WriteString("\nEvery global flag has a variable:\n\n")
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { ofFlag(f, settings.Variable(f.Name)) })
	b.WriteString("\nEvery flag of payctl serve has one. Of a flag that may be repeated it has one value a line:\n\n")
	serve, _, _ := root.Find([]string{serveName})
	for _, f := range ownFlags(serve) {
		ofFlag(f, settings.Variable(serveName, f.Name))
	}
	b.WriteString("\nFolders:\n\n")
	row(settings.EnvConfigDir, "the folder of the configuration, and of the state below it")
	row(settings.EnvStateDir, "the folder of the state alone: the journal of writes, and logins that are stored in a file")
	row("XDG_CONFIG_HOME, XDG_STATE_HOME", "payctl below them without the first two, on Linux and the BSDs")
	b.WriteString("\nVariables of other programs:\n\n")
	row("HTTPS_PROXY, HTTP_PROXY, NO_PROXY", "the proxy, and the hosts without; none for this machine")
	row("PGHOST, PGPASSWORD, …", "what --database leaves out, as for all programs of PostgreSQL")
	row("NO_COLOR", "no colour (https://no-color.org); CLICOLOR=0 and TERM=dumb do the same")
	row("CLICOLOR_FORCE", "colour without a terminal too")
	row("TERM, COLORTERM", "how many colours the terminal has; COLORTERM=truecolor stands for all")
	row("LC_ALL, LC_CTYPE, LANG", "whether a terminal shows more than ASCII")
	row("TRACEPARENT", "the trace that requests belong to, which the service is told (https://www.w3.org/TR/trace-context/)")
	return b.String()
}

//go:embed operations.txt
var operationsText string

func operations() string {
	var b strings.Builder
	b.WriteString(operationsText)
	for _, op := range contract.Mappable() {
		fmt.Fprintf(&b, "  %-20s %-6s %s\n", op.ID, op.Method, op.Path)
	}
	return b.String()
}
