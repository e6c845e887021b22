package deps

import "errors"

// Outage tells, on one line, that a service is asked again, and why.
func Outage(err error) string { return "The service does not answer; trying again: " + Reason(err) }

// Trouble tells a watch's user that the service does not answer.
func (d *Deps) Trouble(err error) { d.Warnf("%s", Outage(err)) }

// Recovered tells that it does again.
func (d *Deps) Recovered() { d.Notef("The service answers again.") }

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
