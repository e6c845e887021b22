package payments

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// AnyOperation is the operation of a fault that applies to every operation.
const AnyOperation = "*"

// MaxFaultDelay is the longest delay of a request by a fault.
const MaxFaultDelay = time.Minute

// A FaultRuleError is a mistake in the text of a fault rule. Column counts characters from one.
type FaultRuleError struct {
	Rule   string
	Column int
	Reason string
}

// Error implements error.
func (e *FaultRuleError) Error() string {
	return fmt.Sprintf("the rule %q cannot be read at column %d: %s", e.Rule, e.Column, e.Reason)
}

// ParseFaultRule reads a fault as it is written on the command line:
//
//	OPERATION=ACTION[,OPTION…]
//
// OPERATION is an operationId, or * for every operation; ACTION is delay:DURATION, status:CODE, reset, expired-token, drop,
// truncate or malformed; an OPTION is times:N, percent:P or, with a status, retry-after:SECONDS. The error is a
// *FaultRuleError. ParseFaultRule does not check that the operation exists.
func ParseFaultRule(text string) (SandboxFault, error) {
	var f SandboxFault
	operation, rest, found := strings.Cut(text, "=")
	p := ruleParser{text: text}
	switch {
	case operation == "":
		return f, p.wrong("the operationId, or *, is missing")
	case !found:
		p.at = len(text)
		return f, p.wrong("= and an action are missing, such as =drop")
	case operation != AnyOperation && strings.ContainsFunc(operation, func(c rune) bool { return !isLetter(c) }):
		return f, p.wrong("an operationId has letters only, such as createAutoTransfer; * is every operation")
	}
	f.Operation = operation
	p.at = len(operation) + 1
	for i, part := range strings.Split(rest, ",") {
		name, value, given := strings.Cut(part, ":")
		read := p.option
		if i == 0 {
			read = p.action
		}
		if err := read(&f, name, value, given); err != nil {
			return SandboxFault{}, err
		}
		p.at += len(part) + 1
	}
	return f, nil
}

// ruleParser reads the parts of a rule. at is the offset of the current part.
type ruleParser struct {
	text string
	at   int
}

func (p *ruleParser) wrong(format string, args ...any) error {
	return &FaultRuleError{Rule: p.text, Column: len([]rune(p.text[:p.at])) + 1, Reason: fmt.Sprintf(format, args...)}
}

// value is wrong, at the column after the colon.
func (p *ruleParser) value(name, format string, args ...any) error {
	behind := *p
	behind.at = min(p.at+len(name)+1, len(p.text))
	return behind.wrong(format, args...)
}

func (p *ruleParser) action(f *SandboxFault, name, value string, given bool) error {
	f.Action = SandboxFaultAction(strings.ReplaceAll(name, "-", "_"))
	switch {
	case !f.Action.Valid() || strings.Contains(name, "_"):
		return p.wrong("there is no action %q; there are delay:DURATION, status:CODE, reset, expired-token, drop, truncate and malformed", name)
	case f.Action == SandboxFaultActionDelay:
		d, err := ParseDuration(value)
		if err != nil || d > MaxFaultDelay {
			return p.value(name, "a delay is a duration such as 200ms, up to %s", MaxFaultDelay)
		}
		f.Delay = value
	case f.Action == SandboxFaultActionStatus:
		return p.number(&f.Status, name, value, 400, 599)
	case given:
		return p.value(name, "%s takes no value", name)
	}
	return nil
}

func (p *ruleParser) option(f *SandboxFault, name, value string, _ bool) error {
	switch {
	case name == "times" && f.Times == 0:
		return p.number(&f.Times, name, value, 1, 1_000_000)
	case name == "percent" && f.Percent == 0:
		return p.number(&f.Percent, name, value, 1, 100)
	case name == "retry-after" && f.RetryAfter == 0 && f.Action == SandboxFaultActionStatus:
		return p.number(&f.RetryAfter, name, value, 1, 86_400)
	case slices.Contains([]string{"times", "percent", "retry-after"}, name):
		return p.wrong("%s is given twice, or does not apply to the action", name)
	}
	return p.wrong("there is no option %q; there are times:N, percent:P and retry-after:SECONDS", name)
}

func (p *ruleParser) number(into *int, name, value string, least, most int) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most || strconv.Itoa(n) != value {
		return p.value(name, "%s takes a whole number from %d to %d", name, least, most)
	}
	*into = n
	return nil
}

func isLetter(c rune) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// Rule returns the fault in the form that ParseFaultRule reads.
func (f SandboxFault) Rule() string {
	var b strings.Builder
	b.WriteString(f.Operation + "=" + strings.ReplaceAll(string(f.Action), "_", "-"))
	if f.Delay != "" {
		b.WriteString(":" + f.Delay)
	}
	if f.Status != 0 {
		b.WriteString(":" + strconv.Itoa(f.Status))
	}
	for _, option := range []struct {
		name  string
		value int
	}{{"retry-after", f.RetryAfter}, {"times", f.Times}, {"percent", f.Percent}} {
		if option.value != 0 {
			b.WriteString("," + option.name + ":" + strconv.Itoa(option.value))
		}
	}
	return b.String()
}

// Check returns the members of the faults that do not fit together.
func (f SandboxFaults) Check() FieldErrors {
	errors := FieldErrors{}
	for i, fault := range f.Faults {
		maps.Copy(errors, fault.Check(fmt.Sprintf("faults[%d]", i)))
	}
	return errors
}

// Check returns the members of a fault that do not fit together, named below field. It returns none for an unknown
// action, which the schema refuses.
func (f SandboxFault) Check(field string) FieldErrors {
	errors := FieldErrors{}
	if !f.Action.Valid() {
		return errors
	}
	wrong := func(member, format string, args ...any) {
		name := field + "." + member
		errors.Add(name, "The "+name+" field "+fmt.Sprintf(format, args...)+".")
	}
	isStatus, isDelay := f.Action == SandboxFaultActionStatus, f.Action == SandboxFaultActionDelay
	switch d, err := ParseDuration(f.Delay); {
	case isDelay && f.Delay == "":
		wrong("delay", "is required")
	case !isDelay && f.Delay != "":
		wrong("delay", "applies to the action delay only")
	case isDelay && (err != nil || d > MaxFaultDelay):
		wrong("delay", "must be a duration such as 200ms, up to %s", MaxFaultDelay)
	}
	switch {
	case isStatus && f.Status == 0:
		wrong("status", "is required")
	case !isStatus && f.Status != 0:
		wrong("status", "applies to the action status only")
	}
	if !isStatus && f.RetryAfter != 0 {
		wrong("retryAfter", "applies to the action status only")
	}
	return errors
}
