package service

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// system is the name of the world that holds clients and tokens.
const system = ""

// Scopes are the scopes that a token can have.
var Scopes = []string{
	"transfers:read", "transfers:write", "accounts:read", "accounts:write",
	"kyc:read", "kyc:write", "contacts:read", "contacts:write",
}

// Identity knows clients and their access tokens. It is safe for concurrent use.
type Identity struct {
	Store store.Store
	// Clients maps the client ids that may use the service to their secrets. When it is empty any client may, and its
	// first use fixes its secret.
	Clients map[string]string
	// Fixed maps client ids to secrets that no first use has to fix, where any client may use the service.
	Fixed map[string]string
	// Lifetime is how long a token works, by the clock of the client's world.
	Lifetime time.Duration
	// World is a client's world at this moment.
	World func(ctx context.Context, clientID string) (Moment, error)
}

// A Moment is a world at a moment: what its clock shows, and which of its lives it is in since when.
type Moment struct {
	Now      time.Time
	Instance string
	Began    time.Time
}

// counted is a token as a world counts it. A new life of the world has another clock, which may show a much later time;
// to it a token of an earlier life was issued when it began, so that a reset locks nobody out.
func (m Moment) counted(token *store.Token) *store.Token {
	if token.Instance == "" || token.Instance == m.Instance { // it has none where it was kept before tokens had one
		return token
	}
	counted := *token
	counted.IssuedAt, counted.ExpiresAt = m.Began, m.Began.Add(token.ExpiresAt.Sub(token.IssuedAt))
	return &counted
}

// CreateAccessToken exchanges a client's credentials for a token.
func (i *Identity) CreateAccessToken(ctx context.Context, clientID, clientSecret string, request payments.AccessTokenRequest) (payments.AccessToken, error) {
	if err := i.verify(ctx, clientID, clientSecret); err != nil {
		return payments.AccessToken{}, err
	}
	scopes, wrong := parseScopes(request.Scope)
	if len(wrong) > 0 {
		return payments.AccessToken{}, payments.Invalid(wrong)
	}
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return payments.AccessToken{}, err
	}
	token := base64.RawURLEncoding.EncodeToString(secret[:])
	world, err := i.World(ctx, clientID)
	if err != nil {
		return payments.AccessToken{}, err
	}
	record := &store.Token{
		Hash: hash(token), ClientID: clientID, Scopes: scopes,
		IssuedAt: world.Now, ExpiresAt: world.Now.Add(i.Lifetime), Instance: world.Instance,
	}
	if err := i.Store.Update(ctx, system, func(tx store.Tx) error { return i.keep(tx, record) }); err != nil {
		return payments.AccessToken{}, err
	}
	return payments.AccessToken{
		AccessToken: token,
		TokenType:   "Bearer",
		ExpiresIn:   int(i.Lifetime / time.Second),
		Scope:       strings.Join(scopes, " "),
	}, nil
}

// forgetAfter is how long a token's record is kept at the least, in the machine's time, so that a world whose clock
// stands still keeps its tokens for a day.
const forgetAfter = 24 * time.Hour

// keep stores a token, and forgets those that were made long ago.
func (i *Identity) keep(tx store.Tx, token *store.Token) error {
	now := time.Now()
	for {
		job, err := tx.NextJob()
		if errors.Is(err, store.ErrNotFound) || err == nil && job.At.After(now) {
			break
		}
		if err != nil {
			return err
		}
		if err := tx.FinishJob(); err != nil {
			return err
		}
		if err := tx.Tokens().Delete(job.Subject); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	if err := tx.Schedule(store.Job{At: now.Add(i.Lifetime + forgetAfter), Kind: store.JobExpireToken, Subject: token.Hash}); err != nil {
		return err
	}
	return tx.Tokens().Put(token)
}

// verify checks a client's secret in constant time.
func (i *Identity) verify(ctx context.Context, clientID, clientSecret string) error {
	refused := payments.Refuse(payments.KindUnauthenticated, "The client id or secret is wrong.")
	given := sha256.Sum256([]byte(clientSecret))
	secret, known := i.Clients[clientID]
	if len(i.Clients) == 0 {
		secret, known = i.Fixed[clientID]
	}
	if known || len(i.Clients) > 0 {
		expected := sha256.Sum256([]byte(secret))
		if subtle.ConstantTimeCompare(given[:], expected[:]) != 1 || !known {
			return refused
		}
		return nil
	}
	if clientID == "" || clientSecret == "" {
		return refused
	}
	return i.Store.Update(ctx, system, func(tx store.Tx) error {
		client, err := tx.Clients().Get(clientID)
		if errors.Is(err, store.ErrNotFound) {
			return tx.Clients().Put(&store.Client{ID: clientID, SecretHash: given[:], At: time.Now()})
		}
		if err == nil && subtle.ConstantTimeCompare(given[:], client.SecretHash) != 1 {
			return refused
		}
		return err
	})
}

// CheckAccessTokenRequest finds what is wrong with a request for a token beyond its schema.
func (*Identity) CheckAccessTokenRequest(request payments.AccessTokenRequest) payments.FieldErrors {
	_, errors := parseScopes(request.Scope)
	return errors
}

func parseScopes(text string) ([]string, payments.FieldErrors) {
	scopes := strings.Fields(text)
	if len(scopes) == 0 {
		return Scopes, nil
	}
	for _, scope := range scopes {
		if !slices.Contains(Scopes, scope) {
			return nil, payments.FieldErrors{"scope": {"The scope field must hold scopes among: " + strings.Join(Scopes, ", ") + "."}}
		}
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// Authenticate finds the token that a request presents. The error is a refusal when it is unknown, expired or revoked.
func (i *Identity) Authenticate(ctx context.Context, token string) (*store.Token, error) {
	found, expired, err := i.Present(ctx, token)
	if err == nil && expired != nil {
		err = expired
	}
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Present finds the token that a request presents, expired or not. The error is a refusal when it is unknown or revoked,
// Expired one when its time is over.
func (i *Identity) Present(ctx context.Context, token string) (found *store.Token, expired *payments.Refusal, err error) {
	err = i.Store.View(ctx, system, func(tx store.Tx) error {
		var err error
		found, err = tx.Tokens().Get(hash(token))
		if errors.Is(err, store.ErrNotFound) {
			return payments.Refuse(payments.KindUnauthenticated, "The access token is unknown or was revoked.")
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	world, err := i.World(ctx, found.ClientID)
	if err != nil {
		return nil, nil, err
	}
	found = world.counted(found)
	if !world.Now.Before(found.ExpiresAt) {
		expired = payments.Refuse(payments.KindUnauthenticated, "The access token expired at %s.", found.ExpiresAt.Format(time.RFC3339))
	}
	return found, expired, nil
}

// RevokeAccessToken makes a token useless at once.
func (i *Identity) RevokeAccessToken(ctx context.Context, token string) error {
	return i.Store.Update(ctx, system, func(tx store.Tx) error {
		err := tx.Tokens().Delete(hash(token))
		if errors.Is(err, store.ErrNotFound) {
			return nil // it is as the caller wants it
		}
		return err
	})
}

// DescribeAccessToken tells whose token it is, what it allows and until when.
func (i *Identity) DescribeAccessToken(ctx context.Context, token string) (payments.AccessTokenDescription, error) {
	record, err := i.Authenticate(ctx, token)
	if err != nil {
		return payments.AccessTokenDescription{}, err
	}
	return payments.AccessTokenDescription{
		ClientID:  record.ClientID,
		Scope:     strings.Join(record.Scopes, " "),
		IssuedAt:  record.IssuedAt,
		ExpiresAt: record.ExpiresAt,
	}, nil
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
