package session

import (
	"strings"

	"github.com/payctl/payctl/internal/config"
)

// A HalfClientError says that no credential could be used, and that the environment has one half of a client's: most often a
// secret that a job was to be given and was not.
type HalfClientError struct {
	// Set and Missing are the names of the variables.
	Set, Missing string
	Err          error
}

// Error implements error.
func (e *HalfClientError) Error() string { return e.Err.Error() }

// Unwrap gives errors.As why no stored login could be used.
func (e *HalfClientError) Unwrap() error { return e.Err }

// unlessHalf adds to an error that the environment has half of what would do.
func (s *Source) unlessHalf(err error) error {
	fromEnvironment := strings.HasPrefix(string(s.Settings.Sources["client_id"]), "environment ")
	switch {
	case s.Settings.ClientSecret == "" && fromEnvironment:
		return &HalfClientError{Set: config.EnvClientID, Missing: config.EnvSecret, Err: err}
	case s.Settings.ClientSecret != "" && s.Settings.ClientID == "":
		return &HalfClientError{Set: config.EnvSecret, Missing: config.EnvClientID, Err: err}
	}
	return err
}
