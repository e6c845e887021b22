//go:build !windows

package e2e

// shellPrograms are programs that the scenarios run and that the system lacks.
func shellPrograms() map[string]func() { return map[string]func(){} }
