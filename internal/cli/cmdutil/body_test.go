package cmdutil

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// The flag of each member is the one that is bound to it, whatever it is called.
func TestFlagsOfMembers(t *testing.T) {
	t.Parallel()
	var body Body[payments.NewAutoTransfer]
	cmd := &cobra.Command{Use: "send --contact CONTACT", Example: "  send --contact a \\\n      --route b\n  send --contact c"}
	body.Flag(cmd, &body.Value.Route.RouteKey, "route", "")
	body.Flag(cmd, &body.Value.DestinationSavedContactID, "contact", "")
	cmd.Flags().String("amount", "", "")
	body.AddInput(cmd)
	d := &Deps{Missing: func(operation string, value func(string) string) (missing []string) {
		require.Equal(t, "op", operation)
		for _, member := range []string{"amount", "destinationSavedContactId", "externalId", "route"} {
			if value(member) == "" {
				missing = append(missing, member)
			}
		}
		return missing
	}}
	require.NoError(t, body.Read(t.Context(), d))
	for member, flag := range map[string]string{
		"destinationSavedContactId": "--contact", "route": "--route", "amount": "--amount", "amount.x": "--amount",
		"externalId": "", "input": "", "": "",
	} {
		require.Equal(t, flag, d.FlagOf(member), member)
	}
	err := body.Require(d, "op")
	require.EqualError(t, err, "--amount, externalId, --route and --contact are missing")
	require.ErrorIs(t, err, ErrUsage)
	var usage *Error
	require.ErrorAs(t, err, &usage)
	require.Equal(t, []string{"send --contact CONTACT", "send --contact a --route b   (an example)"}, usage.Next)

	amount := payments.MustDecimal("5")
	body.Value = payments.NewAutoTransfer{Amount: &amount, Route: payments.RouteChoice{RouteKey: "r"}, ExternalID: "x", DestinationSavedContactID: "c"}
	require.NoError(t, body.Require(d, "op"))
	require.EqualError(t, body.Require(d, "op", "route"), "--route is missing")
	body.input.path = "-"
	require.EqualError(t, body.Require(d, "op", "route"), "--route (route) is missing")
}
