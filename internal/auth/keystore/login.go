package keystore

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
)

// Login is the stored data of a [Key]. Printing, logging and encoding it as JSON leave out its secret and its token.
type Login struct {
	Origin       string    `json:"origin"`                  // the only origin that may receive the secret and the token
	ClientID     string    `json:"client_id,omitempty"`     // the client of the token
	ClientSecret string    `json:"client_secret,omitempty"` // renews the token; empty if the user chose not to save it
	AccessToken  string    `json:"access_token,omitempty"`  // of RFC 6749, section 5.1
	TokenType    string    `json:"token_type,omitempty"`    // as the service spelled it ("Bearer")
	Scope        string    `json:"scope,omitempty"`         // the granted scopes (RFC 6749, section 3.3)
	ExpiresAt    time.Time `json:"expires_at,omitzero"`     // zero if the service did not say
	ObtainedAt   time.Time `json:"obtained_at,omitzero"`
}

// fields is a Login without the methods that hide its secrets.
type fields Login

const redacted = "[redacted]"

// String describes the login without its secret and its token.
func (l Login) String() string {
	for _, secret := range []*string{&l.ClientSecret, &l.AccessToken} {
		if *secret != "" {
			*secret = redacted
		}
	}
	return fmt.Sprintf("%#v", fields(l)) // quoted, since a client id may contain anything
}

// Format prints String for every verb: %x, %d and %#v would print the fields.
func (l Login) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, l.String()) // the caller of fmt gets the error of the writer
}

// MarshalJSON encodes String. The stores encode logins with their secrets.
func (l Login) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// encode returns a login for k in the form of the stores.
func encode(k Key, l Login) ([]byte, error) {
	if l.Origin == "" {
		l.Origin = k.Origin
	}
	if l.Origin != k.Origin {
		return nil, fmt.Errorf("it was issued by %s", l.Origin)
	}
	l.ExpiresAt, l.ObtainedAt = l.ExpiresAt.UTC(), l.ObtainedAt.UTC()
	data, err := jsonv2.Marshal(fields(l))
	if err != nil { // the error quotes the login
		return nil, fmt.Errorf("%w: a part of it is not valid UTF-8, or a time in it is out of range", ErrCorrupt)
	}
	return data, nil
}

// decode decodes a login of encode. Its errors match ErrCorrupt, and do not quote the input, which is secret. It
// refuses a login of another origin: somebody may have copied an item, and its token must not go to another origin.
func decode(k Key, data []byte) (Login, error) {
	var l fields
	if jsonv2.Unmarshal(data, &l) != nil {
		return Login{}, ErrCorrupt
	}
	if l.Origin != k.Origin {
		return Login{}, fmt.Errorf("%w of this origin", ErrCorrupt)
	}
	return Login(l), nil
}
