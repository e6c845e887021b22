package testkit

import (
	"errors"
	"os/exec"
)

// asServerUser does nothing: there is no PostgreSQL for tests on Windows.
func asServerUser(*exec.Cmd) {}

func giveToServerUser(string) error { return errors.ErrUnsupported }
