package exit

import (
	"errors"

	"github.com/payctl/payctl/internal/securefile"
)

// Unwritable is the usage error of a file that cannot be written; what is its name in a sentence, such as "the report".
func Unwritable(what string, err error) *Error {
	failed := Usage("%s cannot be written: %v", what, err)
	if unsafe, ok := errors.AsType[*securefile.Error](err); ok {
		return failed.WithHint(unsafe.Next)
	}
	return failed
}
