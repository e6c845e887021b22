package server

import (
	"net/http"
	"net/url"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (c *call) createAccessToken() error {
	id, secret, err := basicCredentials(c.r.Header.Values("Authorization"))
	if err != nil {
		return err
	}
	request, err := c.tokenRequest()
	if err != nil {
		return err
	}
	token, err := c.server.Identity.CreateAccessToken(c.r.Context(), id, secret, request)
	if payments.IsKind(err, payments.KindUnauthenticated) {
		return challenged(err, challengeBasic)
	}
	if err != nil {
		return err
	}
	header := c.w.Header()
	header["Cache-Control"] = noStore
	header.Set("Pragma", "no-cache") // RFC 6749 section 5.1
	return c.reply(token)
}

// tokenRequest reads the optional body, which is JSON or a form.
func (c *call) tokenRequest() (payments.AccessTokenRequest, error) {
	var none payments.AccessTokenRequest
	body, err := c.readBody()
	if err != nil || len(body) == 0 {
		return none, err
	}
	if err := c.checkMedia(); err != nil {
		return none, err
	}
	if mediaType(c.r) == mediaForm {
		return c.tokenForm(string(body))
	}
	return decodeBody(c, body, c.server.Identity.CheckAccessTokenRequest)
}

func (c *call) tokenForm(body string) (payments.AccessTokenRequest, error) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return payments.AccessTokenRequest{}, payments.Refuse(payments.KindMalformed, "The form cannot be read: %v.", err)
	}
	request := payments.AccessTokenRequest{
		GrantType: payments.AccessTokenRequestGrantType(form.Get("grant_type")),
		Scope:     form.Get("scope"),
	}
	fields := c.offending(contract.ValidateForm(c.op.Body, form))
	if len(fields) == 0 {
		return request, nil
	}
	tell(fields, c.server.Identity.CheckAccessTokenRequest(request))
	return request, payments.Invalid(fields)
}

func (c *call) describeAccessToken() error {
	description, err := c.server.Identity.DescribeAccessToken(c.r.Context(), c.token)
	if err != nil {
		return err
	}
	return c.reply(description)
}

func (c *call) revokeAccessToken() error {
	if err := c.server.Identity.RevokeAccessToken(c.r.Context(), c.token); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
