package app

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// execute runs the command. What would crash the program becomes an error, so that it is told as all others are: with an
// exit code of the table, and without the secrets that may be in what a panic says.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &crashed{cause, debug.Stack()}
		}
	}()
	return root.ExecuteContext(ctx)
}

// crashed is a fault of the program. Its stack has the places, and of values no more than their addresses.
type crashed struct {
	cause any
	stack []byte
}

// Error implements error.
func (c *crashed) Error() string {
	return fmt.Sprintf("payctl has a fault: %v\nPlease report it with what follows.\n\n%s", c.cause, c.stack)
}
