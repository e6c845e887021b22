package deps

import "github.com/spf13/cobra"

// A Body is a request body T that a command takes from --input and from flags, of which the flags win.
type Body[T any] struct {
	input   Input
	members []member[T]
}

// A member is a flag that sets one member of the body.
type member[T any] struct {
	flag string
	of   func(*T) *string
}

// AddInput adds the --input flag.
func (b *Body[T]) AddInput(cmd *cobra.Command) { b.input.AddTo(cmd) }

// Flag adds a flag for a member of the body.
func (b *Body[T]) Flag(cmd *cobra.Command, name, usage string, of func(*T) *string) {
	b.members = append(b.members, member[T]{name, of})
	cmd.Flags().String(name, "", usage)
}

// AddMetadata adds the --metadata flag.
func AddMetadata(cmd *cobra.Command, metadata *map[string]string) {
	f := cmd.Flags()
	f.StringToStringVar(metadata, "metadata", nil, "your own `KEY=VALUE`, may be repeated")
	f.Lookup("metadata").DefValue = "" // else the help tells of a default []
}

// Read puts the body together.
func (b *Body[T]) Read(d *Deps, cmd *cobra.Command) (T, error) {
	var body T
	if err := b.input.Read(cmd.Context(), d, &body); err != nil {
		return body, err
	}
	for _, m := range b.members {
		if flag := cmd.Flags().Lookup(m.flag); flag.Changed {
			*m.of(&body) = flag.Value.String()
		}
	}
	return body, nil
}
