package deps

import "errors"

// Outage tells, on one line, that a service is asked again, and why.
func Outage(err error) string { return "The service does not answer; trying again: " + Reason(err) }

// Reason is an error as half a sentence. What a failure advises otherwise, such as to look at the base URL, is left out: it is
// no advice to who goes on waiting.
func Reason(err error) string {
	short, ok := errors.AsType[interface {
		error
		Reason() string
	}](err)
	if ok && short.Reason() != "" {
		return short.Reason()
	}
	return err.Error()
}
