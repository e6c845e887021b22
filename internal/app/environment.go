package app

import (
	"os"
	"strings"

	"github.com/payctl/payctl/internal/settings"
)

// environment reads a variable of this process. Those of payctl lose the white space at their end, which none of them
// has on purpose: `set NAME=VALUE && payctl …` in cmd adds a blank, and a shell that reads a file with CRLF line ends a
// carriage return.
func environment(name string) string {
	value := os.Getenv(name)
	if strings.HasPrefix(name, settings.Variable("")) {
		value = strings.TrimRight(value, " \t\r\n")
	}
	return value
}
