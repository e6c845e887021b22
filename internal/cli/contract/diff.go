package contract

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

func newDiff(d *cmdutil.Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "diff [FILE|URL]",
		Short: "Compare a service's OpenAPI document with the contract",
		Long: `Compare an OpenAPI document, in JSON or YAML, with what payctl relies on: one line for each
difference, with the commands that it concerns. Without an argument it is the document of the
service. What the profile says of the service counts. The exit code is 1 if a command cannot work, or
if the document is that of another API.`,
		Example: `  payctl contract diff
  payctl contract diff https://payments.example/openapi.yaml
  payctl contract diff openapi.json -o json --jq '.[] | select(.breaks)'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return compare(cmd.Context(), d, strings.Join(args, ""))
		},
	}
}

// read reads a document of the API from a file, a URL or the service.
func read(ctx context.Context, d *cmdutil.Deps, source string) (document *diff.Document, at string, err error) {
	if document, at, err = readAny(ctx, d, source); err != nil || !document.IsForeign {
		return document, at, err
	}
	foreign := &cmdutil.Error{
		Code: cmdutil.ExitUnexpected, ProblemType: "another-api", Title: "This is another API.",
		Detail: "the document has none of the published operations: " +
			strings.Join([]string{contract.CreateAutoTransfer.Path, contract.SelectRoutes.Path, contract.CreateAccessToken.Path},
				", "),
	}
	if unread := document.Unread(); len(unread) > 0 {
		foreign.Detail += "; it was not read as a whole: " + strings.Join(unread, "; ")
		foreign.Next = []shell.Hint{shell.Note("put the document into one file first, with a bundler such as redocly bundle")}
	}
	return nil, "", foreign
}

func readAny(ctx context.Context, d *cmdutil.Deps, source string) (document *diff.Document, at string, err error) {
	if source == "" || strings.Contains(source, "://") {
		return fetch(ctx, d, source)
	}
	const most = 8 << 20 // bytes, as of a response
	text, err := d.Content(ctx, source, most)
	if err != nil {
		return nil, "", err
	}
	const longest = 30 * time.Second // unless --timeout is given
	limited, cancel := cmdutil.WithTimeout(ctx, cmp.Or(d.Options.Timeout, longest))
	defer cancel()
	if document, err = diff.Parse(limited, text); err != nil && ctx.Err() == nil {
		err = cmdutil.Usage("%s cannot be read as an OpenAPI document: %v", cmdutil.TheInput(source), err)
	}
	return document, "", err
}

func compare(ctx context.Context, d *cmdutil.Deps, source string) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	theirs, at, err := read(ctx, d, source)
	if err != nil {
		return err
	}
	if at != "" {
		d.Notef("The document is that of %s.", at)
	}
	found, broken := []diff.Difference{}, 0
	for _, op := range diff.Compare(theirs, resolved.ServiceMap) {
		found = append(found, op.Found...)
	}
	for _, unread := range theirs.Unread() {
		d.Notef("Not read: %s.", unread)
	}
	for _, f := range found {
		if f.Breaks {
			broken++
		}
	}
	if err := differenceTable.Print(printer, found, "No differences."); err != nil || broken == 0 {
		return err
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitUnexpected, ProblemType: "contract-differs", Title: "The service differs from the contract.",
		Detail: fmt.Sprintf("of %d differences, %d can break a command", len(found), broken),
		Next: []shell.Hint{
			shell.Payctl("contract adopt --", cmp.Or(source, at)).With("prints what a profile has to say of the service"),
		},
	}
}

var differenceTable = resource.Table[diff.Difference]{
	{Column: ui.Column{Header: "Operation"}},
	{Column: ui.Column{Header: "Means", Name: "breaks"}, Cell: func(f diff.Difference) ui.Cell {
		if f.Breaks {
			return ui.Toned(ui.Bad, "breaks")
		}
		return ui.Toned(ui.Warn, "differs")
	}},
	{Column: ui.Column{Header: "Difference"}}, {Column: ui.Column{Header: "Commands"}},
}

// fetch reads the OpenAPI document at a URL, or else at one of the usual places below it, and returns where it was. An
// empty URL means that of the settings' service. No credential is sent.
func fetch(ctx context.Context, d *cmdutil.Deps, address string) (document *diff.Document, at string, err error) {
	resolved, err := d.Settings()
	if err != nil {
		return nil, "", err
	}
	if address != "" {
		base, err := settings.ParseBaseURL(address)
		if err != nil {
			return nil, "", cmdutil.Usage("the document cannot be read: %v", err)
		}
		if settings.Origin(base) != resolved.Origin { // what the profile says is of another service
			resolved.CACert, resolved.AllowInsecureHTTP = d.Options.CACert, d.Options.AllowInsecureHTTP
		}
		resolved.BaseURL = base
	}
	below := resolved.BaseURL.Path
	origin := *resolved.BaseURL
	origin.Path, resolved.BaseURL = "", &origin
	service, err := d.NewClient(resolved)
	if err != nil {
		return nil, "", err
	}
	document, at, err = service.Document(ctx, below)
	if err != nil || document != nil {
		return document, origin.String() + at, err
	}
	return nil, "", &cmdutil.Error{
		Code: cmdutil.ExitNotFound, ProblemType: "no-document", Title: "There is no OpenAPI document.",
		Detail: fmt.Sprintf("neither %s nor a usual place below it has one", origin.String()+below),
		Next:   []shell.Hint{shell.Note("name the document's own URL, or save it and name the file")},
	}
}
