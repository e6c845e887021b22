package live

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// openKeyboard opens the console of the program. Until release, it is the standard input of the program: from any other
// file bubbletea reads characters only, and not that the size of the console has changed, and it cannot end such a
// read. What has been standard input can still be read by those who have its file.
func openKeyboard() (keys io.Reader, release func() error, err error) {
	console, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, nil, err
	}
	file := os.Stdin
	handle, err := windows.GetStdHandle(windows.STD_INPUT_HANDLE)
	if err == nil {
		err = windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(console.Fd()))
	}
	if err != nil {
		return nil, nil, errors.Join(err, console.Close())
	}
	os.Stdin = console
	return console, func() error {
		os.Stdin = file
		return errors.Join(windows.SetStdHandle(windows.STD_INPUT_HANDLE, handle), console.Close())
	}, nil
}
