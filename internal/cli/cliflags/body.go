package cliflags

import (
	"cmp"
	"context"
	"reflect"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
)

// A Body is a request body T, a struct, that a command takes from --input and from flags. Flags win.
type Body[T any] struct {
	// Value has the members that the flags set.
	Value    T
	input    Input
	metadata map[string]string
	cmd      *cobra.Command
	flags    []bodyFlag
}

type bodyFlag struct {
	*pflag.Flag
	member *string // of the value
}

// AddTo adds the flags of every body: --input, --set and --metadata.
func (b *Body[T]) AddTo(cmd *cobra.Command) {
	b.input.AddTo(cmd)
	AddMetadata(cmd, &b.metadata)
}

// FlagOfMember adds a flag for the text that has a name in the JSON of the value.
func (b *Body[T]) FlagOfMember(cmd *cobra.Command, member, name, usage string) {
	b.Flag(cmd, b.member(member).Addr().Convert(reflect.TypeFor[*string]()).Interface().(*string), name, usage)
}

// Flag adds a flag for a text in the value.
func (b *Body[T]) Flag(cmd *cobra.Command, member *string, name, usage string) {
	cmd.Flags().StringVar(member, name, "", usage)
	b.cmd = cmd
	b.flags = append(b.flags, bodyFlag{cmd.Flags().Lookup(name), member})
}

// Read reads --input into the value. The flags that were given keep their members. From now on, errors of the service
// about members name the flags too.
func (b *Body[T]) Read(ctx context.Context, d *invocation.Deps) error {
	d.FlagOf = b.flagOf
	given := map[bodyFlag]string{}
	for _, flag := range b.flags {
		if flag.Changed {
			given[flag] = flag.Value.String()
		}
	}
	err := b.input.Read(ctx, d, &b.Value)
	if err == nil {
		err = b.setMembers()
	}
	for flag, text := range given {
		_ = flag.Value.Set(text) // a text that it had before
	}
	if len(b.metadata) > 0 {
		b.member("metadata").Set(reflect.ValueOf(b.metadata).Convert(b.member("metadata").Type()))
	}
	return err
}

// setMembers sets the members of --set.
func (b *Body[T]) setMembers() error {
	members, err := b.input.Members()
	for name, text := range members {
		member := b.member(name)
		if !member.IsValid() || member.Kind() != reflect.String {
			return exit.Usage("--set %s=%s: the body has no text of this name; give it with --input", name, text)
		}
		member.SetString(text)
	}
	return err
}

// Require returns a usage error that names every flag whose member is missing: those that the contract requires of an
// operation's body, and others. An external id has to be one.
func (b *Body[T]) Require(d *invocation.Deps, operationID string, others ...string) error {
	missing := append(d.Missing(operationID, b.text), others...)
	if len(missing) == 0 {
		return CheckReference("external id", b.text("externalId"))
	}
	for i, member := range missing {
		missing[i] = cmp.Or(b.flagOf(member), member)
	}
	return exit.Usage("missing: %s", strings.Join(missing, ", ")).WithHint(invocation.Usage(b.cmd))
}

// member is the member of the value with a name in JSON.
func (b *Body[T]) member(name string) (found reflect.Value) {
	value := reflect.ValueOf(&b.Value).Elem()
	for i := range value.NumField() {
		if tag, _, _ := strings.Cut(value.Type().Field(i).Tag.Get("json"), ","); tag == name {
			return value.Field(i)
		}
	}
	return reflect.Value{}
}

// text is the text of a member, or any other text if the member has a value of another kind.
func (b *Body[T]) text(name string) string {
	switch member := b.member(name); {
	case !member.IsValid(), member.IsZero():
		return ""
	case member.Kind() == reflect.String:
		return member.String()
	}
	return name
}

// flagOf is the flag that sets a member, or the object that the member is in: the one that is bound to it, or else one
// of its name.
func (b *Body[T]) flagOf(name string) string {
	name, _, _ = strings.Cut(name, ".")
	member := b.member(name)
	if !member.IsValid() {
		return ""
	}
	for _, flag := range b.flags {
		if reflect.ValueOf(flag.member).Pointer() == member.Addr().Pointer() {
			return "--" + flag.Name
		}
	}
	if b.cmd.LocalNonPersistentFlags().Lookup(name) != nil {
		return "--" + name
	}
	if member.Kind() == reflect.String {
		return "--set " + name + "=VALUE"
	}
	return ""
}
