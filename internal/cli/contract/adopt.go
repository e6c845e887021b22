package contract

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
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
	found.Profile.BaseURL = baseURL(found.Profile.BaseURL, at)
	if printer.Format() != ui.FormatTable {
		return printer.Print(found, nil)
	}
	block, err := profileBlock(found)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(d.Out, ui.SanitizeLines(block))
	return err
}

// baseURL is where a service is, by what its document says of it and by where the document is; empty if neither says it.
func baseURL(server, document string) string {
	at, err := url.Parse(document)
	if err == nil {
		at, err = at.Parse(cmp.Or(server, "/"))
	}
	if err == nil {
		at, err = settings.ParseBaseURL(at.String())
	}
	if err != nil {
		return ""
	}
	return at.String()
}

// profileBlock is a profile in YAML, with comments on what is not sure.
func profileBlock(found *diff.Adoption) (string, error) {
	var comments []string
	comment := func(format string, args ...any) {
		comments = append(comments, ui.Sanitize(fmt.Sprintf(format, args...))) // one line each
	}
	for _, setting := range found.Unsure {
		comment("Unsure: %s", setting)
	}
	for _, kind := range slices.Sorted(maps.Keys(found.Words)) {
		comment("Words for a status: %s. Say which are verdicts, as in values: {%s: {STATUS: [WORD]}}",
			strings.Join(found.Words[kind], ", "), kind)
	}
	if found.NoKeys {
		comment("No header of idempotency keys is described: a payment is never sent twice.")
	} else {
		comment("Add idempotency_keys: honoured   if the service promises one effect for each key")
	}
	if found.Profile.BaseURL == "" {
		comment("Not found: base_url, where the service is")
	}
	for _, op := range found.Missing {
		if commands := contract.Find(op).Use().Commands; commands != "" {
			comment("Not found: %s, without which these cannot work: payctl %s", op, commands)
		}
	}
	var profile yaml.Node
	if err := profile.Encode(map[string]map[string]diff.Profile{"profiles": {"service": found.Profile}}); err != nil {
		return "", err
	}
	var b strings.Builder
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	err := encoder.Encode(&yaml.Node{
		Kind: yaml.DocumentNode, Content: []*yaml.Node{&profile}, FootComment: strings.Join(comments, "\n"),
		HeadComment: "Look at each line, choose a name, and put the block into the file that payctl doctor names.",
	})
	return b.String(), err
}
