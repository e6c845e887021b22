package app

import (
	"context"
	"fmt"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/contract/verify"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// terms returns how the settings' service differs from the contract.
func (p *program) terms() (dialect.Differences, error) {
	resolved, err := p.Settings()
	if err != nil {
		return dialect.Differences{}, err
	}
	return resolved.Differences, nil
}

// verify checks whether the service keeps the contract.
func (p *program) verify(ctx context.Context, writes bool, note func(verify.Check)) error {
	connected, err := p.api()
	if err != nil {
		return err
	}
	without, err := p.login()
	if err != nil {
		return err
	}
	terms, err := p.terms()
	if err != nil {
		return err
	}
	if _, err := without.source.Token(ctx); err != nil {
		return err
	}
	return verify.Run(ctx, func(ctx context.Context, call verify.Call) (verify.Answer, error) {
		if call.NoToken {
			return without.client.Observe(ctx, call)
		}
		return connected.client.Observe(ctx, call)
	}, terms, writes, note)
}

// document reads the OpenAPI document at a URL, or else at one of the usual places below it; with an empty URL, that of the
// settings' service.
func (p *program) document(ctx context.Context, address string) (*diff.Document, string, error) {
	resolved, err := p.Settings()
	if err != nil {
		return nil, "", err
	}
	if address != "" {
		base, err := settings.ParseBaseURL(address)
		if err != nil {
			return nil, "", exit.Usage("the document cannot be read: %v", err)
		}
		if settings.Origin(base) != resolved.Origin { // what the profile says is of another service
			resolved.CACert, resolved.AllowInsecureHTTP = p.Options.CACert, p.Options.AllowInsecureHTTP
		}
		resolved.BaseURL = base
	}
	below := resolved.BaseURL.Path
	origin := *resolved.BaseURL
	origin.Path, resolved.BaseURL = "", &origin
	c, err := p.newClient(resolved, nil)
	if err != nil {
		return nil, "", err
	}
	document, at, err := c.Document(ctx, below)
	if err != nil || document != nil {
		return document, origin.String() + at, err
	}
	return nil, "", &exit.Error{
		Code: exit.ExitNotFound, Kind: "no-document", Title: "There is no OpenAPI document.",
		Detail: fmt.Sprintf("neither %s nor a usual place below it has one", origin.String()+below),
		Next:   []shell.Hint{shell.Note("name the document's own URL, or save it and name the file")},
	}
}
