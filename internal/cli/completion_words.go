package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/sandbox"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// A completionSource lists what can stand at a place of a command line. Usage texts name it in capitals, as in
// `payctl accounts get ACCOUNT`. A source never fails: what cannot be found out is left out.
type completionSource func() []cobra.Completion

type completer struct {
	*cmdutil.Deps
	quick  func() (payments.Reads, bool)
	words  map[string]completionSource // by the name of a flag with its dashes, or of an argument or a flag's value
	behind bool                        // the cursor stands behind --, which cobra does not tell: in another program's line
}

// AttachCompletion gives every command its completions. The last argument is the word under the cursor. Quick
// returns the service with credentials that nobody has to unlock, if there are such. It costs time.
func AttachCompletion(root *cobra.Command, d *cmdutil.Deps, quick func() (payments.Reads, bool)) {
	line := d.Args
	c := &completer{Deps: d, quick: quick, behind: slices.Contains(line[:max(len(line)-1, 0)], "--")}
	periods := words("today", "yesterday", "7d", "24h")
	c.words = map[string]completionSource{
		"PROFILE": c.profiles, "KEY": c.profileKeys,
		"ACCOUNT": c.accounts, "CONTACT": c.contacts, "TRANSFER": c.transfers, "ROUTE": c.routes,
		"STATUS": enum(&contract.ListAccounts, "kycStatus"), "STATUSES": enum(&contract.ListAccounts, "kycStatus"),
		"STATE": enum(&contract.ListTransfers, "state"), "STATES": enum(&contract.ListTransfers, "state"),
		"TYPES": enum(&contract.ListEvents, "types"), "SIDE": enum(&contract.CreateAutoTransfer, "amountType"),
		"EVENT":  func() []cobra.Completion { return sandbox.Triggers() },
		"GROUPS": words("state", "currency", "route", "day", "batch"),
		"FORMAT": words("table", "json", "ndjson", "yaml", "csv"),
		"STORE":  words(settings.CredentialStoreKeyring, settings.CredentialStoreFile),
		"MODE":   words("real", "manual", "10x"), "PACE": words("real", "manual", "10x"),
		"CURSOR": words("beginning", "latest"),
		"METHOD": words("GET", "POST", "PUT", "PATCH", "DELETE"),

		"--rail": words(payments.Rails()...), "--type": enum(&contract.CreateAccount, "type"),
		"--holder-type":   enum(&contract.CreateSavedContact, "holderType"),
		"--created-after": periods, "--created-before": periods,
		"--idempotency-key": nil, "--set": nil,
	}
	c.attach(root)
}

func (c *completer) attach(cmd *cobra.Command) {
	for _, child := range cmd.Commands() {
		c.attach(child)
	}
	switch {
	case cmd.Name() == "help":
		cmd.ValidArgsFunction = topicNames
	case cmd.Runnable() && len(cmd.ValidArgs) == 0:
		cmd.ValidArgsFunction = c.arguments(cmd)
	}
	cmd.LocalFlags().VisitAll(func(flag *pflag.Flag) {
		word, _ := pflag.UnquoteUsage(flag)
		if isFile(word) {
			return // a shell completes files by itself
		}
		find, known := c.words["--"+flag.Name]
		if !known {
			find = c.words[word]
		}
		if values := flag.Annotations[cmdutil.AnnotationValues]; values != nil {
			find = words(values...)
		}
		_, several := flag.Value.(pflag.SliceValue)
		several = several || flag.Value.Type() == "func" // of cmdutil.AddValues
		// The error is that of a flag which has a completion already.
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, c.value(find, several))
	})
}

// isFile reports whether a placeholder in capitals stands for a file or folder.
func isFile(word string) bool {
	return strings.HasPrefix(word, "FILE") || word == "FOLDER" || word == "COMMAND"
}

// arguments completes the arguments that a usage such as "kyc ACCOUNT STATUS" names in capitals. The last of several
// may stand for more than one.
func (c *completer) arguments(cmd *cobra.Command) cobra.CompletionFunc {
	names, _ := cmdutil.Arguments(cmd)
	return func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := len(args)
		if last := len(names) - 1; at > last && last >= 0 && strings.HasSuffix(names[last], "…") {
			at = last
		}
		switch {
		case c.behind, at < len(names) && isFile(names[at]):
			return nil, cobra.ShellCompDirectiveDefault
		case at >= len(names):
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.find(c.words[strings.TrimSuffix(names[at], "…")], begun, args)
	}
}

// topicNames completes what payctl help explains: commands and topics.
func topicNames(
	help *cobra.Command, args []string, begun string,
) (found []cobra.Completion, _ cobra.ShellCompDirective) {
	if cmd, rest, err := help.Root().Find(args); err == nil && len(rest) == 0 {
		for _, below := range cmd.Commands() {
			if strings.HasPrefix(below.Name(), begun) && !below.Hidden {
				found = append(found, cobra.CompletionWithDesc(below.Name(), below.Short))
			}
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// value completes the value of a flag, or the last value of one that takes several, separated by commas.
func (c *completer) value(find completionSource, several bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if !several {
			return c.find(find, begun, nil)
		}
		comma := strings.LastIndexByte(begun, ',') + 1
		found, directive := c.find(find, begun[comma:], strings.Split(begun[:comma], ","))
		for i := range found {
			found[i] = begun[:comma] + found[i]
		}
		return found, directive | cobra.ShellCompDirectiveNoSpace
	}
}

// find lists the candidates that go on from what was begun and were not given already.
func (c *completer) find(find completionSource, begun string, given []string) (
	found []cobra.Completion, _ cobra.ShellCompDirective,
) {
	if find == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	// Both would write where the shell reads, or hold the program up.
	c.Options.Curl, c.Options.Verbose = false, false
	for _, candidate := range find() {
		value, _, _ := strings.Cut(candidate, "\t")
		if strings.HasPrefix(value, begun) && !slices.Contains(given, value) {
			found = append(found, candidate)
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

func words(values ...string) completionSource { return func() []cobra.Completion { return values } }

// enum lists the values that the contract has for a member of an operation.
func enum(op *contract.Operation, member string) completionSource {
	return func() []cobra.Completion { return op.Enum(member) }
}

func (c *completer) profiles() (found []cobra.Completion) {
	file, err := c.Config()
	if err != nil {
		return nil
	}
	for _, name := range file.Profiles() {
		base, _ := file.Value(name, settings.KeyBaseURL)
		found = append(found, cobra.CompletionWithDesc(name, ui.Sanitize(base)))
	}
	return found
}

func (c *completer) profileKeys() (found []cobra.Completion) {
	for _, key := range settings.Keys() {
		if key.InProfile && !key.IsMapping {
			found = append(found, key.Name)
		}
	}
	for _, op := range contract.Mappable() {
		found = append(found, cobra.CompletionWithDesc("operations."+op.ID, op.Method+" "+op.Path))
	}
	return found
}
