package payments

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments/pattern"
)

// AnyOperation is the operation of a fault that applies to every operation.
const AnyOperation = "*"

// MaxFaultDelay is the longest delay of a request by a fault.
const MaxFaultDelay = time.Minute

// faultRule is a fault as it is written on the command line.
const faultRule = `^(\*|[A-Za-z]+)=([a-z-]+)(?::([^,]+))?((?:,(?:times|percent|retry-after):[1-9][0-9]{0,6}){0,3})$`

// ParseFaultRule reads a fault as it is written on the command line. It does not check that the operation exists.
func ParseFaultRule(text string) (f SandboxFault, err error) {
	wrong := func(why string) error {
		return fmt.Errorf("the rule %q cannot be read: %s", text, why)
	}
	const grammar = "it must be OPERATION=ACTION[,OPTION…], as in createAutoTransfer=drop,times:1. OPERATION is an operationId or *; " +
		"ACTION is delay:DURATION, status:CODE, reset, expired-token, drop, truncate or malformed; " +
		"OPTION is times:N, percent:P or, with a status, retry-after:SECONDS"
	parts := pattern.Of(faultRule).FindStringSubmatch(text)
	if parts == nil {
		return SandboxFault{}, wrong(grammar)
	}
	f.Operation, f.Action = parts[1], SandboxFaultAction(strings.ReplaceAll(parts[2], "-", "_"))
	switch {
	case f.Action == SandboxFaultActionDelay:
		f.Delay = parts[3]
	case f.Action == SandboxFaultActionStatus:
		f.Status, err = strconv.Atoi(parts[3])
	case parts[3] != "" || !f.Action.Valid():
		return SandboxFault{}, wrong(grammar)
	}
	for option := range strings.FieldsSeq(strings.ReplaceAll(parts[4], ",", " ")) {
		name, number, _ := strings.Cut(option, ":")
		into := map[string]*int{"times": &f.Times, "percent": &f.Percent, "retry-after": &f.RetryAfter}[name]
		if *into != 0 {
			return SandboxFault{}, wrong(name + " is given twice")
		}
		*into, _ = strconv.Atoi(number)
	}
	isStatus := f.Status >= 400 && f.Status <= 599 && strconv.Itoa(f.Status) == parts[3]
	if err != nil || f.Status != 0 && !isStatus || f.Times > 1_000_000 || f.Percent > 100 || f.RetryAfter > 86_400 {
		return SandboxFault{}, wrong("a status is from 400 to 599, times up to 1000000, percent up to 100, retry-after up to 86400")
	}
	for _, messages := range f.Check("rule") {
		return SandboxFault{}, wrong(messages[0])
	}
	return f, nil
}

// Rule returns the fault in the form that ParseFaultRule reads.
func (f SandboxFault) Rule() string {
	rule := f.Operation + "=" + strings.ReplaceAll(string(f.Action), "_", "-")
	if f.Delay != "" {
		rule += ":" + f.Delay
	}
	for _, part := range []struct {
		before string
		number int
	}{{":", f.Status}, {",retry-after:", f.RetryAfter}, {",times:", f.Times}, {",percent:", f.Percent}} {
		if part.number != 0 {
			rule += part.before + strconv.Itoa(part.number)
		}
	}
	return rule
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
	if d, err := ParseDuration(f.Delay); isDelay && (err != nil || d > MaxFaultDelay) {
		wrong("delay", "must be a duration such as 200ms, up to %s", MaxFaultDelay)
	} else if !isDelay && f.Delay != "" {
		wrong("delay", "applies to the action delay only")
	}
	if isStatus && f.Status == 0 {
		wrong("status", "is required")
	} else if !isStatus && f.Status != 0 {
		wrong("status", "applies to the action status only")
	}
	if !isStatus && f.RetryAfter != 0 {
		wrong("retryAfter", "applies to the action status only")
	}
	return errors
}
