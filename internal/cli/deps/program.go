package deps

import (
	"errors"
	"io/fs"
	"os/exec"
)

// WhyNotRun is why a program cannot be found or started, without its name, which is told before it; nil for nil.
func WhyNotRun(err error) error {
	if looked, ok := errors.AsType[*exec.Error](err); ok {
		err = looked.Err
	}
	if of, ok := errors.AsType[*fs.PathError](err); ok {
		err = of.Err
	}
	return err
}
