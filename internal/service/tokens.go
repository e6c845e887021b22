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
	// Clients maps the client ids that may use the service to their secrets. If it is empty, any client may. Its first
	// use fixes its secret.
	Clients map[string]string
	// Fixed maps client ids to fixed secrets, if any client may use the service.
	Fixed map[string]string
	// Lifetime is how long a token works.
	Lifetime time.Duration
	// World returns the record of a client's world and its clock's time at the same moment.
	World func(ctx context.Context, clientID string) (record *store.World, now time.Time, err error)
}

// TokenIn returns a token with its times in a world. A reset gives the world another clock, perhaps with a much later
// time. So an older token counts as issued at the reset. A reset then locks no client out.
func TokenIn(world *store.World, token *store.Token) *store.Token {
	if token.Instance == "" || token.Instance == world.Instance { // tokens in older databases have no instance
		return token
	}
	adjusted := *token
	adjusted.IssuedAt, adjusted.ExpiresAt = world.At, world.At.Add(token.ExpiresAt.Sub(token.IssuedAt))
	return &adjusted
}

// CreateAccessToken exchanges a client's credentials for a token.
func (i *Identity) CreateAccessToken(
	ctx context.Context, clientID, clientSecret string, request payments.AccessTokenRequest,
) (payments.AccessToken, error) {
	if err := i.checkSecret(ctx, clientID, clientSecret); err != nil {
		return payments.AccessToken{}, err
	}
	scopes, wrong := parseScopes(request.Scope)
	if len(wrong) > 0 {
		return payments.AccessToken{}, payments.NewValidationProblem(wrong)
	}
	var secret [32]byte
	if _, err := rand.Read(secret[:]); err != nil {
		return payments.AccessToken{}, err
	}
	token := base64.RawURLEncoding.EncodeToString(secret[:])
	world, now, err := i.World(ctx, clientID)
	if err != nil {
		return payments.AccessToken{}, err
	}
	record := &store.Token{
		Hash: hash(token), ClientID: clientID, Scopes: scopes,
		IssuedAt: now, ExpiresAt: expiry(world.Clock, now, i.Lifetime), Instance: world.Instance,
		KeptUntil: time.Now().Add(i.Lifetime),
	}
	if world.Clock.Mode == payments.ClockModeManual {
		record.KeptUntil = record.KeptUntil.Add(keptWhileStill)
	}
	if err := i.Store.Update(ctx, system, func(tx store.Tx) error { return i.saveToken(tx, record) }); err != nil {
		return payments.AccessToken{}, err
	}
	return payments.AccessToken{
		AccessToken: token,
		TokenType:   "Bearer",
		ExpiresIn:   int(i.Lifetime / time.Second),
		Scope:       strings.Join(scopes, " "),
	}, nil
}

// expiry returns when a token of a world expires, by the world's clock. A faster clock gives it more time there,
// because the client counts by its own clock.
func expiry(clock store.Clock, now time.Time, lifetime time.Duration) time.Time {
	scale := time.Duration(max(clock.Scale, 1))
	if lifetime > LastTime.Sub(now)/scale {
		return LastTime
	}
	return now.Add(lifetime * scale) //nolint:durationcheck // the scale is a factor
}

// keptWhileStill is how much longer than its lifetime a token is kept if its world's clock stands still.
const keptWhileStill = 24 * time.Hour

// saveToken stores a token, and deletes some old ones.
func (i *Identity) saveToken(tx store.Tx, token *store.Token) error {
	now := time.Now()
	for range jobsPerUpdate {
		job, due, err := nextDueJob(tx, now)
		if err != nil {
			return err
		}
		if !due {
			break
		}
		if err := tx.Tokens().Delete(job.DocumentID()); err != nil {
			return err
		}
	}
	return tx.Tokens().Put(token)
}

// checkSecret checks a client's secret in constant time. If any client may use the service, the first use of a client
// id stores its secret.
func (i *Identity) checkSecret(ctx context.Context, clientID, clientSecret string) error {
	wrong := payments.NewProblem(payments.ProblemUnauthenticated, "The client id or secret is wrong.")
	given := sha256.Sum256([]byte(clientSecret))
	secret, known := i.Clients[clientID]
	if len(i.Clients) == 0 {
		secret, known = i.Fixed[clientID]
	}
	if known || len(i.Clients) > 0 {
		expected := sha256.Sum256([]byte(secret))
		if subtle.ConstantTimeCompare(given[:], expected[:]) != 1 || !known {
			return wrong
		}
		return nil
	}
	if clientID == "" || clientSecret == "" {
		return wrong
	}
	check := func(tx store.Tx) error {
		client, err := tx.Clients().Get(clientID)
		if err == nil && subtle.ConstantTimeCompare(given[:], client.SecretHash) != 1 {
			return wrong
		}
		return err
	}
	if err := i.Store.View(ctx, system, check); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return i.Store.Update(ctx, system, func(tx store.Tx) error {
		err := check(tx)
		if errors.Is(err, store.ErrNotFound) { // no other request has stored one meanwhile
			return tx.Clients().Put(&store.Client{ID: clientID, SecretHash: given[:], At: time.Now()})
		}
		return err
	})
}

func parseScopes(text string) ([]string, payments.FieldErrors) {
	scopes := strings.Fields(text)
	if len(scopes) == 0 {
		return Scopes, nil
	}
	for _, scope := range scopes {
		if !slices.Contains(Scopes, scope) {
			message := "The scope field must hold scopes among: " + strings.Join(Scopes, ", ") + "."
			return nil, payments.FieldErrors{"scope": {message}}
		}
	}
	slices.Sort(scopes)
	return slices.Compact(scopes), nil
}

// FindToken finds the record of a token, expired or not. The error is a problem of kind unauthenticated if the token is
// unknown or was revoked.
func (i *Identity) FindToken(ctx context.Context, token string) (found *store.Token, err error) {
	err = i.Store.View(ctx, system, func(tx store.Tx) error {
		found, err = tx.Tokens().Get(hash(token))
		if errors.Is(err, store.ErrNotFound) {
			return payments.NewProblem(payments.ProblemUnauthenticated, "The access token is unknown or was revoked.")
		}
		return err
	})
	return found, err
}

// RevokeAccessToken deletes a token. An unknown token is not an error.
func (i *Identity) RevokeAccessToken(ctx context.Context, token string) error {
	return i.Store.Update(ctx, system, func(tx store.Tx) error {
		err := tx.Tokens().Delete(hash(token))
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		return err
	})
}

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	var text [2 * sha256.Size]byte
	hex.Encode(text[:], sum[:])
	return string(text[:])
}
