package contract

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

func newAdopt(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "adopt URL|FILE",
		Short: "Print a profile for a service that differs from the contract",
		Long: `Read the OpenAPI document of a service, in JSON or YAML, and print a profile with what the service has
elsewhere or under other names. It finds operations by their paths, ids and the shape of what they
send, and members by their names. With the URL of a service it looks for the document at the usual
places. Nothing is saved and no credential is sent.

Look at each line, then put the block into the file of the configuration. What is not sure
is a comment with the reason. So are all words for a status: only you can say which of them is a
verdict.`,
		Example: `  payctl contract adopt https://payments.example
  payctl contract adopt openapi.yaml > profile.yaml
  payctl contract adopt https://payments.example/v3/api-docs -o json`,
		Args: cmdutil.Args("URL|FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return adopt(cmd.Context(), d, args[0]) },
	}
}

func adopt(ctx context.Context, d *cmdutil.Deps, source string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	theirs, at, err := read(ctx, d, source)
	if err != nil {
		return err
	}
	found := diff.Adopt(theirs)
	found.BaseURL = baseURL(found.BaseURL, at)
	if printer.Format() != ui.FormatTable {
		return printer.Print(found, func() ui.View { return ui.Table{} })
	}
	config := "the configuration"
	if file, err := d.Config(); err == nil {
		config = file.Path()
	}
	_, err = fmt.Fprint(d.Out, ui.SanitizeLines(profileBlock(found, cmp.Or(at, source), config)))
	return err
}

// baseURL is where a service is, by what its document says of it and by where the document is; empty if neither says it.
func baseURL(server, document string) string {
	at, err := url.Parse(server)
	if err != nil {
		at = &url.URL{}
	}
	if from, err := url.Parse(document); err == nil {
		from.Path, from.RawPath, from.RawQuery = "/", "", ""
		at = from.ResolveReference(at)
	}
	parsed, err := settings.ParseBaseURL(at.String())
	if err != nil {
		return ""
	}
	return parsed.String()
}

// profileBlock is a profile in YAML. What a line says is a name or a place that the settings accept.
func profileBlock(found diff.Adoption, source, file string) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("# What %s says of its service. Look at each line, then put the block into %s.", source, file)
	line("profiles:\n  service: # choose a name")
	if found.BaseURL != "" {
		line("    base_url: %s", found.BaseURL)
	} else {
		line("    # base_url: https://payments.example")
	}
	if len(found.Operations) > 0 {
		line("    operations:")
		for _, g := range found.Operations {
			line("      %s", commented(g.Name+": "+g.Value, g.Unsure))
		}
	}
	if len(found.Members) > 0 {
		line("    members:")
		members(line, found.Members)
	}
	if g := found.KeyHeader; g != nil {
		line("    %s", commented(g.Name+": "+scalar(g.Value), g.Unsure))
	}
	if len(found.Words) > 0 {
		line("    # The service's own words for a status. None of them is a verdict until you say which. They may mean this; see")
		line("    # payctl contract show KYC and payctl contract show Transfer for the contract's words:")
		line("    # values:")
		for _, kind := range []string{"kyc", "transfer"} {
			words(line, kind, found.Words)
		}
	}
	switch {
	case found.NoKeys:
		line("    # No header of idempotency keys is described: a payment is never sent twice.")
	default:
		line("    # idempotency_keys: honoured   # if the service promises one effect for each key")
	}
	for _, op := range found.Missing {
		if commands := diff.Commands[op]; commands != "" {
			line("# Not found: %s, without which these cannot work: payctl %s", op, commands)
		}
	}
	return b.String()
}

// members writes the members of each kind on one line, and those that are not sure in comments.
func members(line func(string, ...any), all []diff.Guess) {
	var kinds []string
	sure := map[string][]string{}
	for _, g := range all {
		kind, member, _ := strings.Cut(g.Name, ".")
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
		if g.Unsure == "" {
			sure[kind] = append(sure[kind], member+": "+scalar(g.Value))
		}
	}
	for _, kind := range kinds {
		if len(sure[kind]) > 0 {
			line("      %s: {%s}", kind, strings.Join(sure[kind], ", "))
		}
		for _, g := range all {
			if of, member, _ := strings.Cut(g.Name, "."); of == kind && g.Unsure != "" {
				line("      %s", commented(kind+": {"+member+": "+scalar(g.Value)+"}", g.Unsure))
			}
		}
	}
}

// words writes the words for the statuses of a kind as comments.
func words(line func(string, ...any), kind string, all map[string][]string) {
	var known []string
	for _, status := range slices.Sorted(maps.Keys(all)) {
		if of, word, _ := strings.Cut(status, "."); of == kind && word != "" {
			known = append(known, word+": ["+scalars(all[status])+"]")
		}
	}
	if others := all[kind+"."]; len(known)+len(others) > 0 {
		text := fmt.Sprintf("    #   %s: {%s}", kind, strings.Join(known, ", "))
		if len(others) > 0 {
			text += "   # other words: " + scalars(others)
		}
		line("%s", text)
	}
}

func scalars(words []string) string {
	var all []string
	for _, word := range words {
		all = append(all, scalar(word))
	}
	return strings.Join(all, ", ")
}

func commented(text, unsure string) string {
	if unsure == "" {
		return text
	}
	return "# " + text + "   # unsure: " + unsure
}

// scalar is a text as YAML has it within braces: as it is, or quoted as JSON has it.
func scalar(text string) string {
	isOther := func(r rune) bool {
		return !strings.ContainsRune("/_-.~", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if text != "" && !strings.ContainsFunc(text, isOther) && text[0] != '-' {
		return text
	}
	quoted, _ := json.Marshal(text)
	return string(quoted)
}
