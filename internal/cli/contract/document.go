package contract

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

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
