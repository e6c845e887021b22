package auth

import (
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// Status describes the credentials of a profile.
type Status struct {
	Profile string `json:"profile"`
	Origin  string `json:"origin"`
	// Source is "environment PAYCTL_TOKEN", "environment PAYCTL_CLIENT_ID", "login" or "none".
	Source   string `json:"source"`
	Store    string `json:"store,omitempty"`
	ClientID string `json:"clientId,omitempty"`
	Scope    string `json:"scope,omitempty"`
	// State is ok, expired, absent, locked, unavailable, rejected, unknown or unverified. A token is unverified if the
	// service has no operation that describes it.
	State     string     `json:"state"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// Renewable reports whether the program can fetch a new token.
	Renewable bool `json:"renewable"`
	// Reason is the error, for states that have one.
	Reason string `json:"reason,omitempty"`
	// Next is the next step, unless State is ok.
	Next shell.Hint `json:"-"`
}

// Status describes the credentials. It asks the service whether it accepts them.
func (s *Source) Status(ctx context.Context) Status {
	status := Status{Profile: s.Settings.Profile, Origin: s.Settings.Origin, ClientID: s.Settings.ClientID}
	switch {
	case s.Settings.Token != "":
		status.Source = "environment " + settings.EnvToken
	case s.Settings.HasClient():
		status.Source, status.Renewable = "environment "+settings.EnvClientID, true
	default:
		status.Source, status.Store = "login", s.Settings.CredentialStore
		login, err := s.storedLogin(ctx)
		if err != nil {
			return status.withStoreError(err)
		}
		status.ClientID, status.Scope = login.ClientID, login.Scope
		status.Renewable = login.ClientSecret != ""
		if !login.ExpiresAt.IsZero() {
			status.ExpiresAt = &login.ExpiresAt
		}
	}
	token, err := s.Token(ctx)
	if err == nil {
		err = s.describe(ctx, token, &status)
	}
	status = status.withTokenError(err)
	if status.State == "unknown" && status.ExpiresAt != nil && !s.Now().Before(*status.ExpiresAt) {
		status.State = "expired" // known without the service
	}
	return status
}

// describe asks the service about the token. It renews a rejected token, if possible.
func (s *Source) describe(ctx context.Context, token string, status *Status) error {
	description, err := s.Tokens.DescribeAccessToken(ctx, token)
	if payments.IsProblem(err, payments.ProblemUnauthenticated) {
		if token, err = s.Renew(ctx, token); errors.Is(err, errors.ErrUnsupported) {
			return errRejected
		}
		if err == nil {
			description, err = s.Tokens.DescribeAccessToken(ctx, token)
		}
	}
	if err != nil {
		return err
	}
	status.ClientID, status.Scope, status.ExpiresAt = description.ClientID, description.Scope, &description.ExpiresAt
	return nil
}

var errRejected = errors.New("the service rejects the token")

// withStoreError sets state, reason and next step for an error of the credential store.
func (status Status) withStoreError(err error) Status {
	switch {
	case errors.Is(err, keystore.ErrNotFound):
		status.Source, status.State = "none", "absent"
	case errors.Is(err, keystore.ErrLocked):
		status.State = "locked"
	default:
		status.State = "unavailable"
	}
	status.Reason = err.Error()
	if problem, ok := errors.AsType[*keystore.Error](err); ok {
		status.Next = problem.Next()
	}
	return status
}

// withTokenError sets state, reason and next step for an error of the token, or of the call that describes it.
func (status Status) withTokenError(err error) Status {
	switch {
	case err == nil:
		status.State = "ok"
		return status
	case errors.Is(err, errRejected), payments.IsProblem(err, payments.ProblemUnauthenticated),
		payments.IsProblem(err, payments.ProblemCredential):
		status.State = "rejected"
	case payments.IsLacking(err):
		// The operation that describes a token is an assumption of the contract, so a service may not have it.
		status.State = "unverified"
		status.Next = shell.Note(
			"make any call to see whether the token works: the service has no operation that describes a token")
		return status
	default:
		status.State, status.Reason = "unknown", err.Error()
		status.Next = shell.Payctl("auth status").With("again, when the service is reachable")
		return status
	}
	status.Next = shell.Payctl("auth login")
	if status.Source == "environment "+settings.EnvToken {
		status.Next = shell.Note("set " + settings.EnvToken + " to a valid token")
	}
	return status
}
