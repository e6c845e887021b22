package payments

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments/pattern"
)

// AnyOperation is the operation of a fault that applies to every operation.
const AnyOperation = "*"

// MaxFaultDelay is the longest delay of a request by a fault.
const MaxFaultDelay = time.Minute

// faultRule is the form of a fault on the command line, and faultGrammar describes it.
const (
	faultRule = `^(\*|[A-Za-z]+)=([a-z-]+)(?::([^,]+))?((?:,(?:times|percent|retry-after):[1-9][0-9]{0,6}){0,3})$`

	faultGrammar = "it must be OPERATION=ACTION[,OPTION…], as in createAutoTransfer=drop,times:1. " +
		"OPERATION is an operationId or *; ACTION is delay:DURATION (up to 1m), status:CODE (400 to 599), reset, " +
		"expired-token, drop, truncate or malformed; OPTION is times:N (up to 1000000), percent:P or, with a status, " +
		"retry-after:SECONDS (up to 86400), each at most once"
)

// ParseFaultRule reads a fault from the command line. It does not check that the operation exists.
func ParseFaultRule(text string) (f SandboxFault, err error) {
	wrong := fmt.Errorf("the rule %q cannot be read: %s", text, faultGrammar)
	parts := pattern.Of(faultRule).FindStringSubmatch(text)
	if parts == nil {
		return SandboxFault{}, wrong
	}
	f.Operation, f.Action = parts[1], SandboxFaultAction(strings.ReplaceAll(parts[2], "-", "_"))
	isRight := parts[3] == "" && f.Action.Valid()
	switch f.Action {
	case SandboxFaultActionDelay:
		d, err := ParseDuration(parts[3])
		f.Delay, isRight = parts[3], err == nil && d <= MaxFaultDelay
	case SandboxFaultActionStatus:
		f.Status, err = strconv.Atoi(parts[3])
		isRight = err == nil && f.Status >= 400 && f.Status <= 599 && len(parts[3]) == 3
	}
	for option := range strings.FieldsSeq(strings.ReplaceAll(parts[4], ",", " ")) {
		name, number, _ := strings.Cut(option, ":")
		into := map[string]*int{"times": &f.Times, "percent": &f.Percent, "retry-after": &f.RetryAfter}[name]
		isRight = isRight && *into == 0
		*into, _ = strconv.Atoi(number)
	}
	isStray := f.RetryAfter != 0 && f.Action != SandboxFaultActionStatus
	if !isRight || isStray || f.Times > 1_000_000 || f.Percent > 100 || f.RetryAfter > 86_400 {
		return SandboxFault{}, wrong
	}
	return f, nil
}

// Rule returns the fault in the form of ParseFaultRule.
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

// Check returns the impossible faults. Members that do not fit together cannot be written as a rule.
func (f SandboxFaults) Check() FieldErrors {
	errors := FieldErrors{}
	for i, fault := range f.Faults {
		if read, err := ParseFaultRule(fault.Rule()); err != nil || read != fault {
			field := fmt.Sprintf("faults[%d]", i)
			errors.Add(field, "The "+field+" field cannot be written as a rule: "+faultGrammar+".")
		}
	}
	return errors
}
