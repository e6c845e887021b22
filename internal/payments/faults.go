package payments

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"
)

// AnyOperation is the operation of a fault that applies to every operation.
const AnyOperation = "*"

// MaxFaultDelay is the longest delay of a request by a fault.
const MaxFaultDelay = time.Minute

// ParseFaultRule reads a fault as it is written on the command line:
//
//	OPERATION=ACTION[,OPTION…]
//
// OPERATION is an operationId, or * for every operation; ACTION is delay:DURATION, status:CODE, reset, expired-token,
// drop, truncate or malformed; an OPTION is times:N, percent:P or, with a status, retry-after:SECONDS. ParseFaultRule
// does not check that the operation exists.
func ParseFaultRule(text string) (f SandboxFault, err error) {
	wrong := func(format string, args ...any) (SandboxFault, error) {
		return SandboxFault{}, fmt.Errorf("the rule %q cannot be read: %s", text, fmt.Sprintf(format, args...))
	}
	operation, rest, _ := strings.Cut(text, "=")
	isOther := func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') }
	if operation == "" || rest == "" || operation != AnyOperation && strings.ContainsFunc(operation, isOther) {
		return wrong("it must be an operationId, or *, and an action, as in createAutoTransfer=drop")
	}
	f.Operation = operation
	numbers := map[string]struct {
		into        *int
		least, most int
	}{
		"status": {&f.Status, 400, 599}, "retry-after": {&f.RetryAfter, 1, 86_400},
		"times": {&f.Times, 1, 1_000_000}, "percent": {&f.Percent, 1, 100},
	}
	for i, part := range strings.Split(rest, ",") {
		name, value, hasValue := strings.Cut(part, ":")
		number, isNumber := numbers[name]
		if i == 0 {
			f.Action = SandboxFaultAction(strings.ReplaceAll(name, "-", "_"))
			switch {
			case !f.Action.Valid() || strings.Contains(name, "_"):
				return wrong("there is no action %q; there are delay:DURATION, status:CODE, reset, expired-token, drop, "+
					"truncate and malformed", name)
			case f.Action == SandboxFaultActionDelay:
				f.Delay = value
				continue
			case hasValue && !isNumber:
				return wrong("%s takes no value", name)
			case !isNumber:
				continue
			}
		}
		if !isNumber || *number.into != 0 || i > 0 && name == "status" {
			return wrong("%q is no option, or is given twice; there are times:N, percent:P and retry-after:SECONDS", name)
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < number.least || n > number.most || strconv.Itoa(n) != value {
			return wrong("%s takes a whole number from %d to %d", name, number.least, number.most)
		}
		*number.into = n
	}
	for _, messages := range f.Check("rule") {
		return wrong("%s", messages[0])
	}
	return f, nil
}

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
