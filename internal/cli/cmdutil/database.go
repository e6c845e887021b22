package cmdutil

import (
	"strings"

	"github.com/payctl/payctl/internal/doctor"
)

// maxSchema is the most bytes of a name in PostgreSQL, which cuts longer ones.
const maxSchema = 63

// CheckSchema refuses a name of --schema that would have to be quoted in SQL, or that PostgreSQL reserves.
func CheckSchema(name string) error {
	letters := func(c rune) bool { return c >= 'a' && c <= 'z' || c == '_' }
	odd := func(c rune) bool { return !letters(c) && (c < '0' || c > '9') }
	if name == "" || len(name) > maxSchema || !letters(rune(name[0])) || strings.ContainsFunc(name, odd) ||
		strings.HasPrefix(name, "pg_") {
		return Usage("--schema must be a name of lower-case letters, digits and underscores, such as %s", doctor.DefaultSchema)
	}
	return nil
}

// IsDatabaseURL reports whether a text is the URL of a PostgreSQL database, which may have a password.
func IsDatabaseURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}
