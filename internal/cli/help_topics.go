package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
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
		{cmdutil.ExitConflict, "conflict: key, reference or external id used before, or the state forbids it (409, 412, 422)"},
		{cmdutil.ExitRateLimited, "rate limited, and no retries left (429)"},
		{cmdutil.ExitReadFailed, "a read failed at the service (5xx, 408, or an unusable answer)"},
		{cmdutil.ExitUnreachable, "the service, or the database of serve, could not be reached; nothing was sent"},
		{cmdutil.ExitOutcomeUnknown, "outcome unknown: a write may have taken effect, another payctl is sending it, or a reference was paid twice"},
		{cmdutil.ExitWatchFailed, "a watch failed: identity check rejected, transfer failed"},
		{cmdutil.ExitWaitTimeout, "--timeout ran out while waiting"},
		{cmdutil.ExitRowsRefused, "a batch or an import finished, but some rows were refused"},
		{cmdutil.ExitDeclined, "declined: identity check required, limit exceeded, or route and contact do not match"},
		{cmdutil.ExitCheckFailed, "a check failed: transfer report --against found differences, contract verify or serve --check answers that break the contract"},
		{cmdutil.ExitHungUp, "the terminal was closed"},
		{cmdutil.ExitInterrupted, "interrupted (Ctrl-C)"},
		{cmdutil.ExitTerminated, "terminated"},
	}
}

// A helpTopic is a text that `payctl help` shows by a name.
type helpTopic struct {
	name, short string
	text        func() string
}

func helpTopics(root *cobra.Command, d *Deps) []helpTopic {
	return []helpTopic{
		{"exit-codes", "What each exit code means", exitCodes},
		{"flags", "The flags that every command has", func() string { return globalFlagTexts(root) }},
		{"environment", "The environment variables that payctl reads", func() string { return environment(root) }},
		{"operations", "How a profile maps operations that a service has at other paths", func() string { return operations(d) }},
	}
}

// Documented returns New with the texts of its help topics. New leaves them to the help that shows one: to write them
// takes as long as to make all commands.
func Documented(d *Deps) *cobra.Command {
	root := New(d)
	for _, topic := range helpTopics(root, d) {
		child(root, topic.name).Long = topic.text()
	}
	return root
}

// exitCodes is the help topic `payctl help exit-codes`.
func exitCodes() string {
	var b strings.Builder
	b.WriteString("The exit code tells a script what happened, and what it can do next:\n\n")
	for _, row := range ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", row.Code, row.Meaning)
	}
	return strings.TrimRight(b.String(), "\n")
}

// environment is the help topic `payctl help environment`. The global flags and those of serve have to be known.
func environment(root *cobra.Command) string {
	var t topic
	t.text(`A flag wins over an environment variable, a variable over the profile, and the profile over the
default. An empty variable counts as not set. Flags that take no value are true or false (or 1 or 0)
in a variable.

Credentials:`)
	for _, k := range settings.Keys() {
		if k.Variable != "" && !k.IsFlag {
			t.row(k.Variable, k.Help)
		}
	}
	t.text("Every global flag has a variable:")
	root.PersistentFlags().VisitAll(func(f *pflag.Flag) { t.row(globalVariable(f), meaning(f)) })
	t.text("Folders. Without the first two, on Linux and the BSDs:")
	t.row(settings.EnvConfigDir, "the folder of the configuration, and of the state below it")
	t.row(settings.EnvStateDir, "the folder of the state alone: the journal of writes, and logins that are stored in a file")
	t.row("XDG_CONFIG_HOME", "the configuration is in payctl below it (default ~/.config)")
	t.row("XDG_STATE_HOME", "the state is in payctl below it (default ~/.local/state)")
	t.text("With PAYCTL_BASE_URL and credentials in the environment no folder is needed to read. To write, one is: each write is " +
		"recorded\nbefore it is sent.")
	t.text("Every flag of payctl serve has a variable. For a flag that may be repeated it has one value a line:")
	serve, _, _ := root.Find([]string{serveName})
	ownFlags(serve).VisitAll(func(f *pflag.Flag) { t.row(serveVariable(f), meaning(f)) })
	t.text("Variables of other programs:")
	t.row("HTTPS_PROXY, NO_PROXY", "the proxy, and the hosts without; HTTP_PROXY for plain http; none for this machine")
	t.row("PGHOST, PGPASSWORD, …", "what --database leaves out, as for all programs of PostgreSQL, with PGPASSFILE and PGSERVICE")
	t.row("NO_COLOR", "no colour (https://no-color.org); CLICOLOR=0 and TERM=dumb do the same")
	t.row("CLICOLOR_FORCE", "colour without a terminal too")
	t.row("TERM, COLORTERM", "how many colours the terminal has; COLORTERM=truecolor stands for all")
	t.row("LC_ALL, LC_CTYPE, LANG", "whether a terminal shows more than ASCII")
	t.row("TRACEPARENT", "the trace that requests belong to, which the service is told (https://www.w3.org/TR/trace-context/)")
	return strings.TrimSpace(t.String())
}

// meaning is the usage of a flag as that of its variable, with its default.
func meaning(f *pflag.Flag) string {
	_, text := flagTexts(f)
	return strings.ReplaceAll(text, "may be repeated", "one a line")
}

// flagTexts returns a flag with its letter and the name of its value, and its usage with its default, as the help shows
// them.
func flagTexts(f *pflag.Flag) (flag, usage string) {
	alone := pflag.NewFlagSet("", pflag.ContinueOnError)
	alone.AddFlag(f)
	flag, usage, _ = strings.Cut(strings.TrimSpace(alone.FlagUsages()), "   ")
	return flag, strings.TrimSpace(usage)
}

// A topic is the text of a help topic: paragraphs, and rows of a name and its meaning.
type topic struct {
	strings.Builder
	inRows bool
}

// text adds a paragraph, with an empty line before it.
func (t *topic) text(text string) {
	t.WriteString("\n" + text + "\n")
	t.inRows = false
}

// row adds a row, which the help wraps.
func (t *topic) row(name, meaning string) {
	if !t.inRows {
		t.WriteString("\n")
		t.inRows = true
	}
	fmt.Fprintf(t, "  %-34s  %s\n", name, meaning)
}

// operations is the help topic `payctl help operations`.
func operations(d *Deps) string {
	var b strings.Builder
	b.WriteString(`The published interface of the service describes only some of its operations. payctl assumes the
others, and a real service may have them elsewhere, and under other names. What it sends is read as it
comes; a profile says the rest, for its base URL alone:

  profiles:
    production:
      base_url: https://payments.example
      operations:
        getKycStatus: GET /kyc/{accountId}/v2
        createAutoTransfer: PUT /transfers/auto/v1
      members:
        transfer: {id: /transferId, state: /status}
        list: {data: /items, nextCursor: /page/next}
        kyc: {status: /data/status}
      values:
        kyc: {approved: [verified, APPROVED]}
      idempotency_header: X-Request-Key

or one at a time: payctl profile set production members.transfer.id /transferId

operations   METHOD and path below the base URL, with as many {parameters}. A change cannot become a
             GET, and stays a change with any method; a read stays a read. A published operation
             keeps its path.
members      the JSON Pointer (RFC 6901) at which a document has a member of the contract. A member at
             the top of a document is sent under that name too.
             Under list, cursor and limit are the names of the query parameters.
values       the service's words for a status. Any other word is shown as it came and is no verdict.

From a service's OpenAPI document, payctl contract adopt URL prints such a profile.

An empty value removes a setting; payctl profile show lists them. payctl api makes any call.

The operations that can have another path:

`)
	for _, op := range d.Mappable {
		fmt.Fprintf(&b, "  %-20s %-6s %s\n", op.ID, op.Method, op.Path)
	}
	return strings.TrimRight(b.String(), "\n")
}
