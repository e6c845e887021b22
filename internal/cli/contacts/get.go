package contacts

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

func newGet(d *deps.Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "get CONTACT",
		Short:   "Show one saved contact, its bank coordinates masked",
		Example: "  payctl contacts get sct_01kdwcj4jg9etbjcny9hzk9879",
		Args:    deps.Args("CONTACT"),
		RunE:    func(cmd *cobra.Command, args []string) error { return get(cmd.Context(), d, args[0]) },
	}
}

func get(ctx context.Context, d *deps.Deps, contactID string) error {
	_, err := deps.ShowOne(ctx, d, func(s payments.Service) (payments.SavedContact, error) {
		return s.GetSavedContact(ctx, contactID)
	}, details)
	return err
}
