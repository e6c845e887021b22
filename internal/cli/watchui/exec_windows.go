package watchui

import "os/exec"

// ownGroup does nothing: Windows has no process groups. Only the run itself is ended.
func ownGroup(*exec.Cmd) (kill func()) { return func() {} }
