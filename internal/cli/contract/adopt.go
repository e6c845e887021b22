package contract

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

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
elsewhere or under other names. With the URL of a service it looks for the document at the usual
places. Nothing is saved and no credential is sent.

A line of the profile is sure: the read, the list and the creation of a resource are at one path and
show the same, and a member has the same name in another form or is the only one of its kind. What is
not sure is a comment with the reason. So are the words for a status: only you can say which of them
is a verdict. Look at each line, then put the block into the file of the configuration.

A document with none of the published operations is that of another API. The exit code is 1 then.`,
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
	servers := theirs.Servers()
	if len(servers) == 0 {
		servers = []string{"/"}
	}
	for _, server := range servers {
		base, err := baseURL(server, at)
		switch {
		case err != nil:
			found.Comments = append(found.Comments, fmt.Sprintf("base_url: where %s is   (%v)", cmp.Or(server, "/"), err))
		case len(servers) > 1:
			found.Comments = append(found.Comments, fmt.Sprintf("base_url: %s   (one of several)", base))
		default:
			found.Profile["base_url"] = base.String()
		}
	}
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

// baseURL returns where a service is. What its document says may be relative to where the document is.
func baseURL(server, document string) (*url.URL, error) {
	at, err := url.Parse(document)
	if err == nil {
		at, err = at.Parse(cmp.Or(server, "/"))
	}
	if err != nil {
		return nil, err
	}
	return settings.ParseBaseURL(at.String())
}

// profileBlock is a profile in YAML, with the comments below it.
func profileBlock(found *diff.Adoption) (string, error) {
	var profile yaml.Node
	if err := profile.Encode(map[string]any{"profiles": map[string]any{"service": found.Profile}}); err != nil {
		return "", err
	}
	var comments []string
	for _, comment := range found.Comments {
		comments = append(comments, ui.Sanitize(comment)) // one line each
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
