package server

import (
	"net/url"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (x *exchange) createAccessToken() error {
	id, secret, err := parseBasicCredentials(x.r.Header.Values("Authorization"))
	if err != nil {
		return err
	}
	request, err := x.tokenRequest()
	if err != nil {
		return err
	}
	token, err := x.server.config.Identity.CreateAccessToken(x.ctx, id, secret, request)
	if payments.IsProblem(err, payments.ProblemUnauthenticated) {
		return challenged(err, challengeBasic)
	}
	header := x.w.Header()
	header["Cache-Control"] = noStore
	header.Set("Pragma", "no-cache") // RFC 6749 section 5.1
	return x.reply(token, err)
}

// tokenRequest reads the optional body, which is JSON or a form.
func (x *exchange) tokenRequest() (payments.AccessTokenRequest, error) {
	if len(x.body) == 0 {
		return payments.AccessTokenRequest{}, nil
	}
	if mediaType(x.r) == mediaForm {
		return x.tokenForm()
	}
	return decode[payments.AccessTokenRequest](x, nil)
}

// tokenForm reads a form. Unknown fields are ignored (RFC 6749 section 3.2), but not if all are unknown. Otherwise JSON
// that is sent as a form would get a token with every scope.
func (x *exchange) tokenForm() (payments.AccessTokenRequest, error) {
	form, err := url.ParseQuery(string(x.body))
	if err != nil {
		return payments.AccessTokenRequest{}, malformed("The form cannot be read: %s.", formReason(err))
	}
	report := contract.ValidateValues(x.op.Body.Members, form)
	if len(report.Unknown) == len(form) {
		return payments.AccessTokenRequest{}, malformed("The form has no field that the operation knows; "+
			"send JSON with the media type %s.", mediaJSON)
	}
	request := payments.AccessTokenRequest{GrantType: form.Get("grant_type"), Scope: form.Get("scope")}
	if len(report.Errors) > 0 {
		return request, payments.NewValidationProblem(report.Errors)
	}
	return request, nil
}

func (x *exchange) describeAccessToken() error {
	return x.reply(x.session.Token, nil)
}

func (x *exchange) revokeAccessToken() error {
	return x.replyNoContent(x.server.config.Identity.RevokeAccessToken(x.ctx, x.token))
}
