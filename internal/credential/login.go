package credential

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"time"
)

// Login is what is stored for a [Key]. However it is printed, logged or marshalled to
// JSON, its secret and its token are left out.
type Login struct {
	// Origin is the one origin, scheme://host:port, that may see the rest.
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
	// ExpiresAt is when the token ends; zero when the service did not say.
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
	return fmt.Sprintf("Login{Origin:%q ClientID:%q ClientSecret:%q AccessToken:%q TokenType:%q Scope:%q ExpiresAt:%s ObtainedAt:%s}",
		l.Origin, l.ClientID, redact(l.ClientSecret), redact(l.AccessToken), l.TokenType, l.Scope,
		stamp(l.ExpiresAt), stamp(l.ObtainedAt))
}

// GoString is String: %#v redacts too.
func (l Login) GoString() string { return "credential." + l.String() }

// Format prints String for every verb, as %x and %d would go round it.
func (l Login) Format(s fmt.State, verb rune) {
	text := l.String()
	if verb == 'v' && s.Flag('#') {
		text = l.GoString()
	}
	// A fmt.State keeps its own errors; there is no way to report one from here.
	_, _ = io.WriteString(s, text)
}

// LogValue is the login for log/slog, redacted.
func (l Login) LogValue() slog.Value {
	return slog.GroupValue(
		slog.String("origin", l.Origin),
		slog.String("clientId", l.ClientID),
		slog.String("clientSecret", redact(l.ClientSecret)),
		slog.String("accessToken", redact(l.AccessToken)),
		slog.String("tokenType", l.TokenType),
		slog.String("scope", l.Scope),
		slog.Time("expiresAt", l.ExpiresAt),
		slog.Time("obtainedAt", l.ObtainedAt),
	)
}

// MarshalJSON redacts: a login inside a logged or printed structure stays secret. The
// stores have an encoding of their own.
func (l Login) MarshalJSON() ([]byte, error) {
	return json.Marshal(l.String())
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.UTC().Format(time.RFC3339)
}
