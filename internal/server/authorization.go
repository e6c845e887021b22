package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Identity knows clients and their access tokens. Package refserver implements it.
type Identity interface {
	CreateAccessToken(
		ctx context.Context, clientID, clientSecret string, request payments.AccessTokenRequest,
	) (payments.AccessToken, error)
	RevokeAccessToken(ctx context.Context, token string) error
	// OpenSession returns the session of a token. The error is a problem if the token is unknown or was revoked.
	OpenSession(ctx context.Context, token string) (Session, error)
	// WorldOf returns the world of a client whose secret is not verified yet, or nil.
	WorldOf(ctx context.Context, clientID string) (World, error)
}

// A Session is what a token gives access to.
type Session struct {
	World    World
	Token    payments.AccessTokenDescription
	Scopes   []string
	Instance string    // of the client's world, when the session was opened
	Now      time.Time // by the world's clock
	// Expired is the problem of an expired token, or nil. An expired token still opens the sandbox operations.
	Expired *payments.ProblemError
}

// authenticate opens the session of the presented token if the operation needs one. The token operation verifies
// credentials itself, so only its world is found.
func (x *exchange) authenticate() (err error) {
	switch x.op.Access {
	case contract.Bearer:
		return x.openSession()
	case contract.Basic:
		id, _, malformed := parseBasicCredentials(x.r.Header.Values("Authorization"))
		if malformed == nil {
			x.session.World, err = x.server.config.Identity.WorldOf(x.ctx, id)
		}
		return err
	}
	return nil
}

// openSession opens the session of the presented token and checks that the token has the scope of the operation.
func (x *exchange) openSession() error {
	token, err := parseBearerToken(x.r.Header.Values("Authorization"))
	if err != nil {
		return err
	}
	x.token = token
	if is, err := x.openPageSession(); is {
		return err
	}
	session, err := x.server.config.Identity.OpenSession(x.ctx, token)
	if err != nil {
		return invalidToken(err)
	}
	x.session = session
	if session.Expired != nil && !x.op.IsSandbox() { // a client that advances its clock must not lock itself out
		return invalidToken(session.Expired)
	}
	x.w.Header()["Cache-Control"] = noStore
	x.setWorldHeader(session.Instance)
	x.w.Header()["Date"] = []string{session.Now.UTC().Format(http.TimeFormat)} // ages and deadlines are by this clock
	if x.op.Scope != "" && !slices.Contains(session.Scopes, x.op.Scope) {
		return insufficientScope(x.op.Scope, "The operation needs the scope "+x.op.Scope+".")
	}
	return nil
}

// reauthorize refuses a token that expired or was revoked since the request began. It also works while the service
// stops: held responses are then sent.
func (x *exchange) reauthorize() error {
	if x.ofPage {
		return nil
	}
	session, err := x.server.config.Identity.OpenSession(context.WithoutCancel(x.ctx), x.token)
	if err == nil && session.Expired != nil {
		err = session.Expired
	}
	return invalidToken(err)
}

// The challenges of the WWW-Authenticate header.
const (
	challengeBearer = `Bearer realm="payments"` //nolint:gosec // a challenge, not a credential
	challengeBasic  = `Basic realm="payments", charset="UTF-8"`
)

// insufficientScope is the problem of a token without a scope (RFC 6750 section 3.1).
func insufficientScope(scope, detail string) *payments.ProblemError {
	problem := payments.NewProblem(payments.ProblemInsufficientScope, "%s", detail)
	problem.Challenge = challengeBearer + `, error="insufficient_scope", scope="` + scope + `"`
	return problem
}

// invalidToken adds the challenge of a token that does not work (RFC 6750 section 3.1).
func invalidToken(err error) error {
	return challenged(err, challengeBearer+`, error="invalid_token"`)
}

// challenged adds a challenge to a problem, unless the service is unavailable.
func challenged(err error, challenge string) error {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if ok && problem.ProblemType() != payments.ProblemUnavailable {
		problem.Challenge = challenge
		return problem
	}
	return err
}

// MaxClientID is the longest client id, in bytes. The service remembers every client.
const MaxClientID = 255

// token68 are the characters of a token (RFC 6750 section 2.1).
const token68 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~+/="

// parseBearerToken reads the token of an Authorization header (RFC 6750 section 2.1). Without credentials the challenge
// has no error code (section 3.1).
func parseBearerToken(headers []string) (string, error) {
	token, err := parseAuthorization(headers, "Bearer",
		"The operation takes a Bearer token. Basic credentials work only at the token operation.")
	if payments.IsProblem(err, payments.ProblemMalformed) {
		return "", challenged(err, challengeBearer+`, error="invalid_request"`)
	}
	if err != nil {
		return "", challenged(err, challengeBearer)
	}
	if token == "" || strings.Trim(token, token68) != "" {
		return "", invalidToken(payments.NewProblem(payments.ProblemUnauthenticated, "The Bearer token is malformed."))
	}
	return token, nil
}

// parseBasicCredentials reads a client id and secret (RFC 7617 section 2).
func parseBasicCredentials(headers []string) (id, secret string, err error) {
	encoded, err := parseAuthorization(headers, "Basic", "The token operation takes Basic credentials only.")
	if err != nil {
		return "", "", challenged(err, challengeBasic)
	}
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	id, secret, found := strings.Cut(string(decoded), ":")
	var fault string
	switch {
	case encoded == "":
		fault = "they are missing"
	case strings.Contains(encoded, ":"):
		fault = "they are not encoded in base64"
	case err != nil || strings.ContainsAny(encoded, "\r\n"): // the decoder ignores these
		fault = "they are not base64 with padding (RFC 4648 section 4)"
	case !utf8.Valid(decoded):
		fault = "they are not UTF-8"
	case bytes.ContainsFunc(decoded, isControl):
		fault = "they have a control character, such as a line break at the end"
	case !found:
		fault = "they have no colon between client id and secret"
	case id == "":
		fault = "the client id is empty"
	case len(id) > MaxClientID:
		fault = "the client id has more than " + strconv.Itoa(MaxClientID) + " bytes"
	default:
		return id, secret, nil
	}
	return "", "", challenged(payments.NewProblem(payments.ProblemUnauthenticated,
		"The Basic credentials are malformed: %s. Send the base64 of clientId:clientSecret.", fault), challengeBasic)
}

// parseAuthorization returns the credentials of an Authorization header with a scheme. Scheme names ignore case (RFC
// 9110 section 11.1). A request with several such headers is malformed, not unauthenticated (section 5.3, RFC 6750
// section 3.1).
func parseAuthorization(headers []string, scheme, otherScheme string) (string, error) {
	name, credentials, _ := strings.Cut(strings.Join(headers, ""), " ")
	switch {
	case len(headers) > 1:
		return "", malformed("The request has more than one Authorization header.")
	case name == "" && strings.TrimSpace(credentials) == "":
		return "", payments.NewProblem(payments.ProblemUnauthenticated, "The request has no Authorization header.")
	case !strings.EqualFold(name, scheme):
		return "", payments.NewProblem(payments.ProblemUnauthenticated, "%s", otherScheme)
	}
	return strings.TrimLeft(credentials, " "), nil
}

func isControl(c rune) bool { return c < ' ' || c == 0x7f }

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
