package cmdutil

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An Update is a JSON Merge Patch (RFC 7396) that a command takes from flags and --input. Flags win.
type Update struct {
	members   []updateMember
	metadata  map[string]string
	clear     []string
	input     Input
	condition string
	key       Key
}

// An updateMember is a flag for a member of the resource.
type updateMember struct {
	flag      *pflag.Flag
	name      string // of the member
	clearable bool
}

// Flag adds a flag for a member that the resource always has.
func (u *Update) Flag(cmd *cobra.Command, flag, member, usage string) {
	cmd.Flags().String(flag, "", usage)
	u.members = append(u.members, updateMember{cmd.Flags().Lookup(flag), member, false})
}

// ClearableFlag adds a flag for a member that --clear can remove.
func (u *Update) ClearableFlag(cmd *cobra.Command, flag, member, usage string) {
	u.Flag(cmd, flag, member, usage)
	u.members[len(u.members)-1].clearable = true
}

// AddTo adds the flags of every update.
func (u *Update) AddTo(cmd *cobra.Command) {
	AddMetadata(cmd, &u.metadata)
	f := cmd.Flags()
	f.StringSliceVar(&u.clear, "clear", nil, "remove `MEMBER`: "+strings.Join(u.clearables(), ", ")+
		", metadata or metadata.KEY; may be repeated")
	f.StringVar(&u.condition, "if-match", "",
		"change only the state with this entity `TAG`; * is any (default: the state that was read)")
	f.StringVar(&u.input.path, "input", "",
		"read a JSON Merge Patch (RFC 7396) from `FILE`; - is standard input; null removes a member")
	u.key.AddTo(cmd)
}

// clearables are the flags of the members that can be removed.
func (u *Update) clearables() (names []string) {
	for _, m := range u.members {
		if m.clearable {
			names = append(names, m.flag.Name)
		}
	}
	return names
}

// flags are the flags of members.
func (u *Update) flags() string {
	names := make([]string, len(u.members))
	for i, m := range u.members {
		names[i] = "--" + m.flag.Name
	}
	return strings.Join(names, ", ")
}

// flagOf is the flag that sets a member, or the metadata that the member is in.
func (u *Update) flagOf(name string) string {
	for _, m := range u.members {
		if m.name == name {
			return "--" + m.flag.Name
		}
	}
	if name == "metadata" || strings.HasPrefix(name, "metadata.") {
		return "--metadata"
	}
	return ""
}

// patch builds the patch. One that changes nothing is a usage error.
func (u *Update) patch(ctx context.Context, d *Deps) (payments.MergePatch, error) {
	patch := payments.MergePatch{}
	if err := u.input.Read(ctx, d, (*map[string]any)(&patch)); err != nil {
		return nil, err
	}
	if patch == nil { // the input was null
		patch = payments.MergePatch{}
	}
	for _, m := range u.members {
		if m.flag.Changed {
			patch[m.name] = m.flag.Value.String()
		}
	}
	if err := u.mergeMetadata(patch); err != nil {
		return nil, err
	}
	for _, name := range u.clear {
		if err := u.remove(patch, name); err != nil {
			return nil, err
		}
	}
	if text, ok := patch["externalId"].(string); ok {
		if err := CheckReference("external id", text); err != nil {
			return nil, err
		}
	}
	if len(patch) == 0 {
		return nil, Usage("there is nothing to change. Name what to change with %s, --metadata, --clear or --input", u.flags())
	}
	return patch, nil
}

// mergeMetadata adds what --metadata has to the patch.
func (u *Update) mergeMetadata(patch payments.MergePatch) error {
	if len(u.metadata) == 0 {
		return nil
	}
	pairs, given := patch["metadata"].(map[string]any)
	if _, other := patch["metadata"]; other && !given {
		return Usage("--metadata adds to the metadata, and the input removes it")
	}
	merged := map[string]any{}
	for key, value := range pairs {
		merged[key] = value
	}
	for key, value := range u.metadata {
		merged[key] = value
	}
	patch["metadata"] = merged
	return nil
}

// remove adds to the patch that a member of --clear is removed: by the name of its flag or its own.
func (u *Update) remove(patch payments.MergePatch, name string) error {
	if key, ok := strings.CutPrefix(name, "metadata."); ok && key != "" {
		if all, given := patch["metadata"]; given && all == nil {
			return nil // it is removed with all others
		}
		pairs, _ := patch["metadata"].(map[string]any)
		if _, set := pairs[key]; set || pairs == nil && patch["metadata"] != nil {
			return Usage("%s is given a value and cleared", name)
		}
		if pairs == nil {
			pairs = map[string]any{}
		}
		pairs[key] = nil
		patch["metadata"] = pairs
		return nil
	}
	at := slices.IndexFunc(u.members, func(m updateMember) bool { return m.flag.Name == name || m.name == name })
	switch {
	case name == "metadata":
	case at < 0:
		return Usage("--clear does not take %q. Its values are %s, metadata and metadata.KEY", name, strings.Join(u.clearables(), ", "))
	case !u.members[at].clearable:
		return Usage("--clear %s: %s is required", name, u.members[at].name)
	default:
		name = u.members[at].name
	}
	if patch[name] != nil {
		return Usage("%s is given a value and cleared", name)
	}
	patch[name] = nil
	return nil
}

// An Updatable is a resource that RunUpdate changes.
type Updatable[T any] struct {
	What, ID string // such as account and acc_…
	Show     string // the hint that shows it
	Read     func(payments.Service) (payments.ReadResult[T], error)
	Write    func(payments.Service, payments.MergePatch, payments.Idempotency) (payments.WriteResult[T], error)
	Mask     func(T) T
	// Changeable are the members that may be changed at all, whatever the service allows; nil: the service decides.
	// Instead is the hint for any other one.
	Changeable []string
	Instead    string
}

// RunUpdate reads a resource, changes it unless someone else has changed it meanwhile, and prints what has changed: in
// tables each member before and after, in other formats the resource.
func RunUpdate[T any](ctx context.Context, d *Deps, u *Update, r Updatable[T]) error {
	d.FlagOf = u.flagOf
	patch, err := u.patch(ctx, d)
	if err != nil {
		return err
	}
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	key := u.key.Idempotency(d)
	key.Precondition.Match = entityTag(u.condition)
	if d.Options.Curl { // one command is shown, not that of the read before it
		_, err := r.Write(service, patch, key)
		return err
	}
	before, err := r.Read(service)
	if err != nil {
		return err
	}
	shown, err := payments.Document(before.Value)
	if err != nil {
		return err
	}
	if u.condition == "" {
		key.Precondition.Match = strongTag(before.ETag)
		if key.Precondition.Match == "" {
			d.Notef("The service gives the %s no entity tag: a change that someone else makes at this moment is overwritten.", r.What)
		}
	}
	changed := payments.Changed(shown, patch.Apply(shown))
	for _, name := range changed {
		if r.Changeable != nil && !slices.Contains(r.Changeable, name) {
			return Usage("the %s field of the %s cannot be changed; nothing was sent. The fields that can be changed are %s",
				name, r.What, strings.Join(r.Changeable, ", ")).WithHint(r.Instead)
		}
	}
	after, sent := before.Value, false
	if u.key.Given() || len(changed) > 0 {
		written, err := r.Write(service, patch, key)
		if payments.IsKind(err, payments.KindPreconditionFailed) {
			again := "run the same line again, if the change is still right"
			if u.condition != "" {
				again = "run the same line again without --if-match, if the change is still right"
			}
			return &Error{Cause: err, Next: []string{r.Show, again}}
		}
		if err != nil {
			return err
		}
		after, sent = written.Value, true
	}
	err = printUpdate(printer, r, before.Value, after)
	if !sent {
		return err
	}
	return OutputFailed(err, fmt.Sprintf("the %s was changed", r.What))
}

// entityTag is an entity tag of the command line, where the shell has often taken its quotation marks away.
func entityTag(text string) string {
	if text == "" || text == "*" || strings.Contains(text, `"`) {
		return text
	}
	return `"` + text + `"`
}

// strongTag is an entity tag with which If-Match can hold; empty for a weak one (RFC 9110 section 13.1.1).
func strongTag(tag string) string {
	if strings.HasPrefix(tag, "W/") {
		return ""
	}
	return tag
}

// printUpdate prints a resource after an update.
func printUpdate[T any](printer *ui.Printer, r Updatable[T], before, after T) error {
	masked := r.Mask(after)
	documents := make([]map[string]any, 4)
	for i, value := range []T{before, after, r.Mask(before), masked} {
		document, err := payments.Document(value)
		if err != nil {
			return err
		}
		documents[i] = document
	}
	return printer.Print(masked, func() ui.View {
		table := ui.Table{
			Columns: []ui.Column{{Header: "Member", Keep: true}, {Header: "Before"}, {Header: "After"}},
			Empty:   "Nothing to change: the " + r.What + " " + r.ID + " is like this already.",
		}
		addChanges(&table, "", documents[0], documents[1], documents[2], documents[3])
		return table
	})
}

// addChanges adds a row for each member in which two documents differ, with the values that are shown of it.
func addChanges(table *ui.Table, prefix string, before, after, shownBefore, shownAfter map[string]any) {
	for _, name := range payments.Changed(before, after) {
		part := func(document map[string]any) map[string]any {
			object, _ := document[name].(map[string]any)
			return object
		}
		if part(before) != nil || part(after) != nil {
			addChanges(table, prefix+name+".", part(before), part(after), part(shownBefore), part(shownAfter))
			continue
		}
		if prefix == "" && name == "updatedAt" {
			continue // every change changes it
		}
		row := []ui.Cell{ui.Text(prefix + name)}
		for _, document := range []map[string]any{shownBefore, shownAfter} {
			text, _ := document[name].(string)
			row = append(row, ui.Optional(text))
		}
		table.Rows = append(table.Rows, row)
	}
}
