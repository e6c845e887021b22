//go:build unix

package securefile

// isBusy is always false: an open file can be replaced and removed here.
func isBusy(error) bool { return false }

func isHeld(string, error) bool { return false }

// checkReadOnly finds nothing: whether a file can be replaced depends on its folder alone here.
func checkReadOnly(string) error { return nil }
