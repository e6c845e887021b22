//go:build !windows

package live

import (
	"errors"
	"io"

	tea "charm.land/bubbletea/v2"
)

// openKeyboard opens the terminal of the program.
func openKeyboard() (keys io.Reader, release func() error, err error) {
	in, out, err := tea.OpenTTY()
	if err != nil {
		return nil, nil, err
	}
	return in, func() error { return errors.Join(in.Close(), out.Close()) }, nil
}
