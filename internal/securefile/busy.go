package securefile

import (
	"os"
	"time"
)

// On Windows a file that another program has open can often be neither replaced nor removed, and sometimes not read:
// editors, virus scanners and indexers hold files for moments, and other processes of payctl do while they read. Such
// an operation is tried again for busyTimeout, the time that Go's own tools wait (cmd/internal/robustio). busyPoll is
// the time between two attempts: short for a person, and long enough to leave the other program the processor.
const (
	busyTimeout = 2 * time.Second
	busyPoll    = 10 * time.Millisecond
)

// A BlockedError is returned for a file that stays as it is because another program has it open, or because it has the
// read-only attribute. Both happen on Windows alone: Unix replaces such files.
type BlockedError struct {
	Text string // what prevents it and what to do, as a phrase without a full stop
	Err  error  // of the system; nil for the attribute
}

// Error implements error.
func (e *BlockedError) Error() string { return e.Text }

// Unwrap returns the error of the system.
func (e *BlockedError) Unwrap() error { return e.Err }

// whileBusy tries an operation on the file at path again while another program has that open, for at most busyTimeout.
// The error is then a *BlockedError.
func whileBusy(path string, try func() error) error {
	ends := time.Now().Add(busyTimeout)
	for {
		err := try()
		busy, held := isBusy(err)
		if !busy || !time.Now().Before(ends) {
			if held {
				err = &BlockedError{"another program has " + path + " open: close it there, and run the command again", err}
			}
			return err
		}
		<-time.After(busyPoll)
	}
}

// Rename renames a file, and replaces one that has the new name. On Windows it waits while another program has one of
// them open.
func Rename(from, to string) error {
	if err := checkReadOnly(to); err != nil {
		return err
	}
	return whileBusy(to, func() error { return os.Rename(from, to) })
}

// Open opens a file of any owner for reading. On Windows it waits while another program has it open for itself alone.
func Open(path string) (file *os.File, err error) {
	err = whileBusy(path, func() error {
		file, err = os.Open(path)
		return err
	})
	return file, err
}

// RemoveFile removes a file of a folder of any owner. On Windows it waits while another program has it open.
func RemoveFile(path string) error { return whileBusy(path, func() error { return os.Remove(path) }) }

// RemoveAll removes a folder with all that is in it. On Windows it waits while another program has a file of it open.
func RemoveAll(path string) error { return whileBusy(path, func() error { return os.RemoveAll(path) }) }
