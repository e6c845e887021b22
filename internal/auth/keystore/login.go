package keystore

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Login is what is stored for a [Key]. Printing, logging and encoding it as JSON leave out its secret and its token.
type Login struct {
	// Origin is the one origin, scheme://host:port, that may receive the secret and the token.
	Origin string
	// ClientID is the id that the token was issued to.
	ClientID string
	// ClientSecret renews the token; it is empty when the user chose not to save it.
	ClientSecret string
	// AccessToken is the token of RFC 6749, section 5.1.
	AccessToken string
	// TokenType is how the token is presented, as the service spelled it ("Bearer").
	TokenType string
	// Scope lists the granted scopes, separated by spaces (RFC 6749, section 3.3).
	Scope string
	// ExpiresAt is when the token expires; zero when the service did not say.
	ExpiresAt time.Time
	// ObtainedAt is when the token was issued.
	ObtainedAt time.Time
}

const redacted = "[redacted]"

func redact(secret string) string {
	if secret == "" {
		return ""
	}
	return redacted
}

// String describes the login without its secret and its token.
func (l Login) String() string {
	type fields Login // without the methods
	l.ClientSecret, l.AccessToken = redact(l.ClientSecret), redact(l.AccessToken)
	return fmt.Sprintf("%#v", fields(l)) // quoted, since a client id may contain anything
}

// Format prints String for every verb: %x, %d and %#v would print the fields.
func (l Login) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, l.String()) // the caller of fmt gets the error of the writer
}

// MarshalJSON encodes String. The stores encode logins in another way, in format.go.
func (l Login) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }
