package cmdutil

import (
	"crypto/rand"
	"errors"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/net/http/httpguts"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// Key is the --idempotency-key flag.
type Key struct{ given string }

// AddTo adds the flag.
func (k *Key) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&k.given, "idempotency-key", "",
		"send this `KEY` (default: a random key)")
}

// Given reports whether the flag was given.
func (k *Key) Given() bool { return k.given != "" }

// OrOf is the key of a creation with a name: the given one, or none, since one is made of the name. Without a name, or
// if others may have it too, the key is a random one.
func (k *Key) OrOf(d *Deps, name string, shared bool) payments.Idempotency {
	if k.given == "" && name != "" && !shared {
		return payments.Idempotency{}
	}
	key := k.Idempotency(d)
	key.Shared = shared
	return key
}

// Idempotency is the key to send: the given one, or a new random one. With -v a random one is printed: with it
// the call can be repeated.
func (k *Key) Idempotency(d *Deps) payments.Idempotency {
	if k.given != "" {
		return payments.Idempotency{Key: k.given}
	}
	key := journal.KeyPrefix + rand.Text()
	if d.Options.Verbose {
		d.Notef("Idempotency key: %s", key)
	}
	return payments.Idempotency{Key: key}
}

// AddAcceptPayee adds --accept-payee.
func AddAcceptPayee(cmd *cobra.Command, accept *bool) {
	cmd.Flags().BoolVar(accept, "accept-payee", false, "pay a contact that has changed since it was paid last")
}

// AddShowPII adds --show-pii. Without it personal data is masked; in the log of -v it always is.
func AddShowPII(cmd *cobra.Command, show *bool) {
	cmd.Flags().BoolVar(show, "show-pii", false, "show names and other personal data in full")
}

// annotationMembers is the annotation of a flag with the members of the request body that it sets.
const annotationMembers = "payctl:members"

// SetsMembers notes the members of the request body that a flag sets.
func SetsMembers(f *pflag.Flag, members ...string) {
	f.Annotations = map[string][]string{annotationMembers: members}
}

// FlagOf returns how a flag of a command sets a member of the request body, or the object that the member is in. It is
// empty if the command has no such flag.
func FlagOf(cmd *cobra.Command, member string) (usage string) {
	member, _, _ = strings.Cut(member, ".")
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		switch {
		case !slices.Contains(f.Annotations[annotationMembers], member):
		case f.Name != "set":
			usage = "--" + f.Name
		case usage == "":
			usage = "--set " + member + "=VALUE"
		}
	})
	return usage
}

// CheckReference returns the error of a text that cannot be a reference or an external id; name is what the text is.
func CheckReference(name, text string) error {
	fault := payments.ReferenceFault(text)
	if fault == "" {
		return nil
	}
	return Usage("the %s %s %s", name, payments.QuoteReference(text), fault).
		WithNote("correct it where it comes from: a variable that is not set leaves a space too many, and a file from " +
			"Windows a carriage return (\\r)")
}

// ReadHeader reads header fields as they are written in HTTP.
func ReadHeader(lines []string) (map[string][]string, error) {
	header := map[string][]string{}
	for _, line := range lines {
		name, value, found := strings.Cut(line, ":")
		name = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		value = strings.TrimSpace(value)
		switch {
		case !found || name == "":
			return nil, Usage("the header field %q is not written as NAME: VALUE", line)
		case !httpguts.ValidHeaderFieldName(name):
			return nil, Usage("%q is not the name of a header field", name)
		case !httpguts.ValidHeaderFieldValue(value):
			return nil, Usage("the header field %s has a control character", name)
		}
		header[name] = slices.Concat(header[name], []string{value})
	}
	return header, nil
}

// CheckStatuses refuses statuses of a flag that are nearly the same as one of the contract's. A misspelt one would
// select nothing, or be waited for for ever. Another one may be the service's own. A note says so.
func CheckStatuses[V ~string](d *Deps, flag string, statuses []V, known []string) error {
	for _, status := range statuses {
		switch err := CheckValue("--"+flag, status, known); {
		case status == "", err != nil && len(err.Next) > 0:
			return err
		case err != nil:
			d.Notef("--%s: %q is no status that payctl knows: it has to be one of the service's own.", flag, string(status))
		}
	}
	return nil
}

// AnnotationValues is the annotation of a flag with the values that it takes, for completion.
const AnnotationValues = "payctl:values"

// Annotate notes the values that flags of a command take, if it has these flags.
func Annotate(cmd *cobra.Command, values []string, flags ...string) {
	for _, name := range flags {
		if flag := cmd.Flags().Lookup(name); flag != nil {
			flag.Annotations = map[string][]string{AnnotationValues: values}
		}
	}
}

// AddValues adds a flag that takes several values of a kind of text, separated by commas or with the flag repeated.
func AddValues[T ~string](cmd *cobra.Command, values *[]T, name, usage string) {
	cmd.Flags().Func(name, usage, func(text string) error {
		for value := range strings.SplitSeq(text, ",") {
			if value = strings.TrimSpace(value); value == "" || strings.HasPrefix(value, "--") ||
				len(value) == 2 && value[0] == '-' {
				return errors.New("see whether a variable is not set, and write \"$VARIABLE\" with its quotes")
			}
			*values = append(*values, T(value))
		}
		return nil
	})
}

// DurationVar adds a flag that takes a duration, such as 90s, 2d or 1w. Commands refuse zero where they need more.
func DurationVar(f *pflag.FlagSet, p *time.Duration, name string, usual time.Duration, usage string) {
	*p = usual
	f.Func(name, usage, func(text string) (err error) {
		if *p, err = time.ParseDuration(text); err != nil {
			*p, err = payments.ParseDuration(text)
		}
		if err == nil && *p < 0 {
			err = errors.New("must not be negative")
		}
		return err
	})
	if usual != 0 {
		f.Lookup(name).DefValue = usual.String()
	}
}
