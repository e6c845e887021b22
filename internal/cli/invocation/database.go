package invocation

import "strings"

// IsDatabaseURL reports whether a text is the URL of a PostgreSQL database, which may have a password.
func IsDatabaseURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}
