package server

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// Identity knows clients and their access tokens.
type Identity interface {
	payments.Tokens
	// CheckAccessTokenRequest does for a token request what Checks do for other requests.
	CheckAccessTokenRequest(payments.AccessTokenRequest) payments.FieldErrors
	// OpenSession returns the session of a token. The error is a problem if the token is unknown or was revoked.
	OpenSession(ctx context.Context, token string) (Session, error)
	// ObserveClient returns the observer of requests that present a client's id, with the right secret or not. It is
	// nil if the client has no world.
	ObserveClient(ctx context.Context, clientID string) (RequestObserver, error)
}

// A Session is what a token gives access to.
type Session struct {
	Service  payments.Service
	Checks   ExtraFieldChecks
	Sandbox  payments.Sandbox
	Observer RequestObserver // nil: requests are not observed
	Scopes   []string
	ClientID string
	Instance string    // of the client's world, when the session was opened
	Now      time.Time // by the world's clock
	// Expired is the problem of a token that has expired; otherwise nil. It still opens the sandbox operations.
	Expired *payments.ProblemError
}

// authenticate opens the session of the presented token if the operation needs one. At the token operation, which
// verifies credentials itself, it only finds out who observes the request.
func (x *exchange) authenticate() (err error) {
	switch x.op.Access {
	case contract.Bearer:
		return x.openSession()
	case contract.Basic:
		id, _, malformed := parseBasicCredentials(x.r.Header.Values("Authorization"))
		if malformed == nil {
			x.session.Observer, err = x.server.config.Identity.ObserveClient(x.ctx, id)
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
	session, err := x.server.config.Identity.OpenSession(x.ctx, token)
	if err != nil {
		return invalidToken(err)
	}
	x.token, x.session = token, session
	if session.Expired != nil && !x.op.IsSandbox() { // a client that advances its clock must not lock itself out
		return invalidToken(session.Expired)
	}
	x.w.Header()["Cache-Control"] = noStore
	x.setWorldHeader(session.Instance)
	if x.op.Scope != "" && !slices.Contains(session.Scopes, x.op.Scope) {
		return insufficientScope(x.op.Scope, "The operation needs the scope "+x.op.Scope+".")
	}
	return nil
}

// reauthorize refuses a token that expired or was revoked since the request began. It works also while the service
// stops, as responses that were held are then sent.
func (x *exchange) reauthorize() error {
	session, err := x.server.config.Identity.OpenSession(context.WithoutCancel(x.ctx), x.token)
	if err == nil && session.Expired != nil {
		err = session.Expired
	}
	return invalidToken(err)
}

// insufficientScope is the problem of a token whose scopes do not suffice (RFC 6750 section 3.1).
func insufficientScope(scope, detail string) *payments.ProblemError {
	problem := payments.NewProblem(payments.KindInsufficientScope, "%s", detail)
	problem.Challenge = challengeBearer + `, error="insufficient_scope", scope="` + scope + `"`
	return problem
}

// invalidToken adds the challenge of a token that does not work (RFC 6750 section 3.1).
func invalidToken(err error) error {
	return challenged(err, challengeBearer+`, error="invalid_token"`)
}

// challenged adds a challenge to a problem, unless the service is unavailable.
func challenged(err error, challenge string) error {
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok && problem.Kind() != payments.KindUnavailable {
		problem.Challenge = challenge
		return problem
	}
	return err
}
