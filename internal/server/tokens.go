package server

import (
	"net/url"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (x *exchange) handleCreateAccessToken() error {
	id, secret, err := parseBasicCredentials(x.r.Header.Values("Authorization"))
	if err != nil {
		return err
	}
	request, err := x.tokenRequest()
	if err != nil {
		return err
	}
	token, err := x.server.config.Identity.CreateAccessToken(x.ctx, id, secret, request)
	if payments.IsKind(err, payments.KindUnauthenticated) {
		return challenged(err, challengeBasic)
	}
	if err != nil {
		return err
	}
	header := x.w.Header()
	header["Cache-Control"] = noStore
	header.Set("Pragma", "no-cache") // RFC 6749 section 5.1
	return x.reply(token, nil)
}

// tokenRequest reads the optional body, which is JSON or a form.
func (x *exchange) tokenRequest() (request payments.AccessTokenRequest, err error) {
	body, err := x.readBody()
	if err == nil && len(body) > 0 {
		err = x.checkMedia()
	}
	if err != nil || len(body) == 0 {
		return request, err
	}
	if mediaType(x.r) == mediaForm {
		return x.tokenForm(string(body))
	}
	return decodeBody(x, body, x.server.config.Identity.CheckAccessTokenRequest)
}

func (x *exchange) tokenForm(body string) (payments.AccessTokenRequest, error) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return payments.AccessTokenRequest{}, malformed("The form cannot be read: %s.", formReason(err))
	}
	request := payments.AccessTokenRequest{
		GrantType: payments.AccessTokenRequestGrantType(form.Get("grant_type")),
		Scope:     form.Get("scope"),
	}
	fields := x.offendingFields(contract.ValidateForm(x.op.Body, form))
	if len(fields) == 0 {
		return request, nil
	}
	addFields(fields, x.server.config.Identity.CheckAccessTokenRequest(request))
	return request, payments.NewValidationProblem(fields)
}

func (x *exchange) handleDescribeAccessToken() error {
	return x.reply(x.server.config.Identity.DescribeAccessToken(x.ctx, x.token))
}

func (x *exchange) handleRevokeAccessToken() error {
	return x.replyNoContent(x.server.config.Identity.RevokeAccessToken(x.ctx, x.token))
}
