package app

import "syscall"

// endWithParent has the kernel kill the command when this program dies without a chance to do it.
func endWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }
