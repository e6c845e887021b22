package session

import (
	"context"
	"errors"
	"time"

	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
)

// Status is what is known of the credentials of a profile.
type Status struct {
	Profile string `json:"profile"`
	Origin  string `json:"origin"`
	// Source is "environment PAYCTL_TOKEN", "environment PAYCTL_CLIENT_ID", "login" or "none".
	Source   string `json:"source"`
	Store    string `json:"store,omitempty"`
	ClientID string `json:"clientId,omitempty"`
	Scope    string `json:"scope,omitempty"`
	// State is ok, expired, absent, locked, unavailable, rejected or unknown.
	State     string     `json:"state"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"`
	// Renewable says whether the program can fetch a new token by itself.
	Renewable bool `json:"renewable"`
	// Reason is why State is not ok, where there is more to tell.
	Reason string `json:"reason,omitempty"`
	// Next is what to do when State is not ok.
	Next string `json:"next,omitempty"`
}

// Status tells of the credentials, asking the service whether it takes them.
func (s *Source) Status(ctx context.Context) Status {
	status := Status{Profile: s.Settings.Profile, Origin: s.Settings.Origin, ClientID: s.Settings.ClientID}
	switch {
	case s.Settings.Token != "":
		status.Source = "environment PAYCTL_TOKEN"
	case s.Settings.HasClient():
		status.Source, status.Renewable = "environment PAYCTL_CLIENT_ID", true
	default:
		status.Source, status.Store = "login", s.Settings.CredentialStore
		login, err := s.stored(ctx, false)
		if err != nil {
			return absent(status, err)
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
	status = judge(status, err)
	if status.State == "unknown" && status.ExpiresAt != nil && !s.Now().Before(*status.ExpiresAt) {
		status.State = "expired" // that much is known without the service
	}
	return status
}

// describe asks the service about the token; an expired one that can be renewed is.
func (s *Source) describe(ctx context.Context, token string, status *Status) error {
	description, err := s.Tokens.DescribeAccessToken(ctx, token)
	if payments.IsKind(err, payments.KindUnauthenticated) {
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

// absent tells why there is no login.
func absent(status Status, err error) Status {
	switch {
	case errors.Is(err, credential.ErrNotFound):
		status.Source, status.State = "none", "absent"
	case errors.Is(err, credential.ErrLocked):
		status.State = "locked"
	default:
		status.State = "unavailable"
	}
	status.Reason = err.Error()
	if problem, ok := errors.AsType[*credential.Error](err); ok {
		status.Next = problem.Next()
	}
	return status
}

func judge(status Status, err error) Status {
	switch {
	case err == nil:
		status.State = "ok"
		return status
	case errors.Is(err, ErrExpired):
		status.State = "expired"
	case errors.Is(err, errRejected), payments.IsKind(err, payments.KindUnauthenticated):
		status.State = "rejected"
	case payments.IsKind(err, payments.KindNotFound), payments.IsKind(err, payments.KindMethodNotAllowed):
		// The operation that describes a token is assumed; a service without it cannot be asked.
		status.State = "unknown"
		status.Next = "make any call: the service has no operation that describes a token"
		return status
	default:
		status.State, status.Reason = "unknown", err.Error()
		status.Next = "run payctl auth status again when the service can be reached"
		return status
	}
	status.Next = "run payctl auth login"
	if status.Source == "environment PAYCTL_TOKEN" {
		status.Next = "put a token that works into PAYCTL_TOKEN"
	}
	return status
}
