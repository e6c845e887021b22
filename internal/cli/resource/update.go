package resource

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
)

// An Update is a JSON Merge Patch (RFC 7396) that a command takes as it takes a Body, and from --clear.
type Update struct {
	body    Body
	changes []string // members that may be changed
	removes []string // members that --clear takes
	clear   []string
	key     cmdutil.Key
}

// UpdateFlags adds the flags of an update, with those of the members that it may change.
func UpdateFlags[T any](t Table[T], cmd *cobra.Command, u *Update) {
	addTo(t, cmd, &u.body, func(m Member[T]) bool { return m.Update != Fixed })
	u.changes = []string{"metadata"}
	for _, m := range t {
		if m.Update != Fixed {
			u.changes = append(u.changes, m.at())
		}
		if m.Update == Removable {
			u.removes = append(u.removes, m.at())
		}
	}
	u.body.settable = u.changes
	cmdutil.SetsMembers(cmd.Flags().Lookup("set"), u.changes...)
	cmd.Flags().StringSliceVar(&u.clear, "clear", nil, "remove `MEMBER`: "+strings.Join(u.removes, ", ")+
		", metadata or metadata.KEY; may be repeated")
	u.key.AddTo(cmd)
}

// patch builds the patch. One that changes nothing is a usage error.
func (u *Update) patch(ctx context.Context, d *cmdutil.Deps) (payments.MergePatch, error) {
	patch := payments.MergePatch{}
	members, err := u.body.given()
	if err == nil {
		err = u.body.input.Read(ctx, d, (*map[string]any)(&patch))
	}
	if err != nil {
		return nil, err
	}
	if patch == nil { // the input was null
		patch = payments.MergePatch{}
	}
	maps.Copy(patch, members)
	metadata := func() map[string]any {
		pairs, ok := patch["metadata"].(map[string]any)
		if !ok {
			pairs = map[string]any{}
			patch["metadata"] = pairs
		}
		return pairs
	}
	for key, value := range u.body.metadata {
		metadata()[key] = value
	}
	for _, name := range u.clear {
		key, isKey := strings.CutPrefix(name, "metadata.")
		switch {
		case isKey:
			metadata()[key] = nil
		case name == "metadata" || slices.Contains(u.removes, name):
			patch[name] = nil
		default:
			return nil, cmdutil.Usage("--clear does not take %q. Its values are %s, metadata and metadata.KEY", name,
				strings.Join(u.removes, ", "))
		}
	}
	if text, ok := patch["externalId"].(string); ok {
		if err := cmdutil.CheckReference("external id", text); err != nil {
			return nil, err
		}
	}
	if len(patch) == 0 {
		return nil, cmdutil.Usage("there is nothing to change. Name what to change with a flag of a member, --set, --metadata, " +
			"--clear or --input")
	}
	return patch, nil
}

// An Updatable is a resource that RunUpdate changes.
type Updatable[T any] struct {
	What, ID string     // such as account and acc_…
	Show     shell.Hint // shows it
	Table    Table[T]
	// Read and Write are methods of payments.Service.
	Read  func(_ payments.Service, _ context.Context, id string) (payments.ReadResult[T], error)
	Write func(
		_ payments.Service, _ context.Context, id string, _ payments.MergePatch, _ payments.Idempotency,
	) (payments.WriteResult[T], error)
	// Mask hides personal data in what is shown. Nil means that there is none.
	Mask func(T) T
	// Instead is what to do instead of changing a member that the table does not let change. Empty means that the
	// service decides which ones can be changed.
	Instead string
}

// RunUpdate reads a resource, changes it unless someone else has changed it meanwhile, and prints it as it is then.
func RunUpdate[T any](ctx context.Context, d *cmdutil.Deps, u *Update, r Updatable[T]) error {
	patch, err := u.patch(ctx, d)
	if err != nil {
		return err
	}
	printer, service, err := d.PrinterAndPayments(ctx)
	if err != nil {
		return err
	}
	key := u.key.Idempotency(d)
	if d.Options.Curl { // one command is shown, not that of the read before it
		_, err := r.Write(service, ctx, r.ID, patch, key)
		return err
	}
	before, err := r.Read(service, ctx, r.ID)
	if err != nil {
		return err
	}
	shown, err := payments.Document(before.Value)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(before.ETag, "W/") { // with a weak one, If-Match never holds (RFC 9110 section 13.1.1)
		key.Match = before.ETag
	}
	if key.Match == "" {
		d.Notef("The service gives the %s no entity tag: a change that someone else makes at this moment is overwritten.",
			r.What)
	}
	changed := payments.Changed(shown, patch.Apply(shown))
	for _, name := range changed {
		if r.Instead != "" && !slices.Contains(u.changes, name) {
			return cmdutil.Usage("the %s field of the %s cannot be changed; nothing was sent. The fields that can be changed are %s",
				name, r.What, strings.Join(u.changes, ", ")).WithNote(r.Instead)
		}
	}
	after, sent := before.Value, false
	if u.key.Given() || len(changed) > 0 {
		written, err := r.Write(service, ctx, r.ID, patch, key)
		if payments.IsProblem(err, payments.ProblemPreconditionFailed) {
			return &cmdutil.Error{Cause: err, Next: []shell.Hint{
				r.Show, shell.Note("run the same line again, if the change is still right"),
			}}
		}
		if err != nil {
			return err
		}
		after, sent = written.Value, true
	}
	if r.Mask != nil {
		after = r.Mask(after)
	}
	err = printer.Print(after, func() ui.Details { return r.Table.Details(after) })
	if !sent {
		d.Notef("Nothing to change: the %s %s is like this already.", r.What, r.ID)
		return err
	}
	return cmdutil.OutputFailed(err, fmt.Sprintf("the %s was changed", r.What))
}
