package resource

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/textutil"
)

// A Body is the body of a request, which a command takes from --input, --set, --metadata and the flags of members.
// Flags win.
type Body struct {
	input    cmdutil.Input
	metadata map[string]string
	flags    map[string]*pflag.Flag // by the members that they set
	cmd      *cobra.Command
	settable []string // members that --set takes
}

// addTo adds the flags that every body has, and those of the members that are chosen.
func addTo[T any](t Table[T], cmd *cobra.Command, b *Body, chosen func(Member[T]) bool) {
	b.cmd, b.flags = cmd, map[string]*pflag.Flag{}
	heading, section := "", pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, m := range t {
		if m.Usage != "" && chosen(m) {
			b.Flag(m.at(), m.Flag, m.Usage)
			if m.Section != "" {
				heading = m.Section
				section.AddFlag(b.flags[m.at()])
			}
		}
	}
	if heading != "" {
		addSection(cmd, heading, section)
	}
	b.input.AddTo(cmd)
	f := cmd.Flags()
	f.StringToStringVar(&b.metadata, "metadata", nil, "your own `KEY=VALUE`, may be repeated")
	f.Lookup("metadata").DefValue = "" // else the help shows a default of []
	cmdutil.SetsMembers(f.Lookup("metadata"), "metadata")
}

// addSection shows flags below a heading of their own at the end of the help.
func addSection(cmd *cobra.Command, heading string, section *pflag.FlagSet) {
	hide := func(hidden bool) { section.VisitAll(func(f *pflag.Flag) { f.Hidden = hidden }) }
	usage := cmd.UsageFunc()
	cmd.SetUsageFunc(func(cmd *cobra.Command) error {
		hide(true)
		err := usage(cmd)
		hide(false)
		cmd.Printf("\n%s:\n%s", heading, section.FlagUsages())
		return err
	})
}

// CreateFlags adds the flags of a creation whose body is a B, with those of all members that have one.
func CreateFlags[B, T any](t Table[T], cmd *cobra.Command, b *Body) {
	addTo(t, cmd, b, func(Member[T]) bool { return true })
	for _, field := range reflect.VisibleFields(reflect.TypeFor[B]()) {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" && field.Type.Kind() == reflect.String {
			b.settable = append(b.settable, name)
		}
	}
	set := cmd.Flags().Lookup("set")
	cmdutil.SetsMembers(set, b.settable...)
	var others []string
	for _, m := range t {
		if m.Usage == "" && slices.Contains(b.settable, m.at()) {
			others = append(others, m.at())
		}
	}
	if len(others) > 0 {
		set.Usage = "set a member that has no flag, `MEMBER=TEXT` or MEMBER:=JSON; may be repeated: " + strings.Join(others, ", ")
	}
}

// Flag adds a flag for a member that the table does not have. It is called after CreateFlags.
func (b *Body) Flag(member, name, usage string) {
	b.cmd.Flags().String(name, "", usage)
	b.flags[member] = b.cmd.Flags().Lookup(name)
	cmdutil.SetsMembers(b.flags[member], member)
}

// given are the members that --set and flags give.
func (b *Body) given() (map[string]any, error) {
	members, err := b.input.Members(b.settable)
	if err != nil {
		return nil, err
	}
	for member := range members {
		name := strings.TrimPrefix(cmdutil.FlagOf(b.cmd, member), "--")
		if flag := b.cmd.Flag(name); flag != nil && flag.Changed {
			return nil, cmdutil.Usage("--set and --%s both give %s", name, member)
		}
	}
	for member, flag := range b.flags {
		if flag.Changed {
			members[member] = flag.Value.String()
		}
	}
	return members, nil
}

// Read reads the body of a creation into value. Missing members are a usage error that names their flags. The contract
// requires some for the operation, and others names more when the value was read. An external id must have the form of
// one.
func (b *Body) Read(
	ctx context.Context, d *cmdutil.Deps, op *contract.Operation, value any, others func() []string,
) error {
	members, err := b.given()
	if err == nil {
		err = b.input.Read(ctx, d, value)
	}
	if err != nil {
		return err
	}
	if len(b.metadata) > 0 {
		members["metadata"] = b.metadata
	}
	encoded, err := json.Marshal(members)
	if err == nil {
		err = json.Unmarshal(encoded, value, json.RejectUnknownMembers(true))
	}
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return cmdutil.Usage("--set %s: the member has another type; try MEMBER:=JSON", wrong.JSONPointer.LastToken())
	}
	if err != nil {
		return cmdutil.Usage("a flag is not UTF-8: %v", err)
	}
	if err := checkFurther(d, op, value); err != nil {
		return err
	}
	text := func(member string) string {
		if found := find(reflect.ValueOf(value), member); found.IsValid() && !found.IsZero() {
			return cmp.Or(show(found).Text, member)
		}
		return ""
	}
	missing := op.Missing(text)
	if others != nil {
		missing = append(missing, others()...)
	}
	for i, member := range missing {
		missing[i] = cmp.Or(cmdutil.FlagOf(b.cmd, member), member)
	}
	if len(missing) > 0 {
		return cmdutil.Usage("missing: %s", strings.Join(missing, ", ")).WithNote(cmdutil.UsageLine(b.cmd))
	}
	return cmdutil.CheckReference("external id", text("externalId"))
}

// checkFurther checks the members that the contract does not have. They are sent as they are given, but for one that is
// probably a misspelt member of the contract.
func checkFurther(d *cmdutil.Deps, op *contract.Operation, value any) error {
	members, err := payments.Document(value)
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	var known []string
	for _, m := range op.Body.Members {
		known = append(known, m.Name)
	}
	named := resolved.ServiceMap.Further(op)
	for _, name := range resolved.ServiceMap.Needs(op) {
		if members[name] == nil {
			return cmdutil.Usage("the service needs %s, as the profile says: give it with --set %s=VALUE", name, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		switch own := resolved.ServiceMap.Problem(op, name); {
		case slices.Contains(known, name), slices.Contains(named, name):
		case own != name:
			return cmdutil.Usage("%s is where the service has %s; give it by that name", name, own)
		case textutil.Typo(name, known) != "":
			return cmdutil.Usage("the request has no member %s; did you mean %s?", name, textutil.Typo(name, known)).
				WithNote(fmt.Sprintf("if only the service knows it, name it in the profile: send: {%s: {%s: null}}", op.ID, name))
		default:
			d.Notef("%s is not a member of the contract and is sent as it is given.", name)
		}
	}
	return nil
}

// Aliases are the names of flags. A file may give the columns of members these names.
func (t Table[T]) Aliases() map[string]string {
	all := map[string]string{}
	for _, m := range t {
		if m.Usage != "" {
			all[m.Flag] = m.at()
		}
	}
	return all
}
