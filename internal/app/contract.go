package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/contract/verify"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// terms returns how the settings' service differs from the contract.
func (p *program) terms() (*dialect.Dialect, error) {
	resolved, err := p.Settings()
	if err != nil {
		return nil, err
	}
	return dialect.New(client.DifferencesOf(resolved))
}

// verify checks whether the service keeps the contract.
func (p *program) verify(ctx context.Context, writes bool, note func(verify.Check)) error {
	connected, err := p.api()
	if err != nil {
		return err
	}
	without, err := p.tokens()
	if err != nil {
		return err
	}
	terms, err := p.terms()
	if err != nil {
		return err
	}
	if err := connected.client.Authorize(ctx); err != nil {
		return err
	}
	return verify.Run(ctx, func(ctx context.Context, call verify.Call) (verify.Answer, error) {
		if call.NoToken {
			return without.Observe(ctx, call)
		}
		return connected.client.Observe(ctx, call)
	}, terms, writes, note)
}

// documentPlaces are where services have their OpenAPI documents, below the base URL.
var documentPlaces = []string{
	contract.GetOpenAPIDocumentJSON.Path, contract.GetOpenAPIDocumentYAML.Path, "/swagger.json", "/v3/api-docs", "/api-docs",
	"/swagger/v1/swagger.json",
}

// document reads the OpenAPI document at a URL, or else at one of the usual places below it; with an empty URL, that of the
// settings' service.
func (p *program) document(ctx context.Context, address string) ([]byte, string, error) {
	resolved, err := p.Settings()
	if err != nil {
		return nil, "", err
	}
	places, below := documentPlaces, resolved.BaseURL.Path
	if address != "" {
		target, err := url.Parse(address)
		if err != nil {
			return nil, "", cmdutil.Usage("the address of the document is no URL")
		}
		places = append([]string{""}, places...)
		below = strings.TrimRight(target.EscapedPath(), "/")
		if target.RawQuery != "" {
			below, places = below+"?"+target.RawQuery, places[:1]
		}
		base, err := settings.ParseBaseURL((&url.URL{Scheme: target.Scheme, Host: target.Host, User: target.User}).String())
		if err != nil {
			return nil, "", cmdutil.Usage("the document cannot be read: %v", err)
		}
		if settings.Origin(base) != resolved.Origin { // what the profile says is of another service
			resolved.CACert, resolved.AllowInsecureHTTP = p.Options.CACert, p.Options.AllowInsecureHTTP
		}
		resolved.BaseURL = base
	}
	origin := *resolved.BaseURL
	origin.Path, resolved.BaseURL = "", &origin
	c, err := newClient(p.Deps, resolved, p.secrets, nil)
	if err != nil {
		return nil, "", err
	}
	for _, place := range places {
		at := cmp.Or(below+place, "/")
		response, err := c.Get(ctx, at)
		switch {
		case err == nil && isDocument(response.Body):
			return response.Body, origin.String() + at, nil
		case payments.IsKind(err, payments.KindUnreachable), payments.IsKind(err, payments.KindTimeout), ctx.Err() != nil,
			errors.Is(err, client.ErrNotSent):
			return nil, "", err
		}
	}
	return nil, "", &cmdutil.Error{
		Code: cmdutil.ExitNotFound, Kind: "no-document", Title: "There is no OpenAPI document.",
		Detail: fmt.Sprintf("neither %s nor a usual place below it has one", origin.String()+below),
		Next:   []string{"name the document's own URL, or save it and name the file"},
	}
}

func isDocument(body []byte) bool {
	_, err := diff.Parse(body)
	return err == nil
}
