package desk

import "os/exec"

// ownGroup does nothing where there are no process groups: the run itself is ended.
func ownGroup(*exec.Cmd) (end func()) { return func() {} }
