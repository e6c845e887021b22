package kyc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui/live"
)

// Personal data is masked unless it is to be shown, and filters have it all the same.
func TestLiveColumns(t *testing.T) {
	t.Parallel()
	ada := payments.Account{
		Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com",
	}
	business := payments.Account{Type: payments.AccountTypeBusiness, LegalName: "Acme Ltd", Email: "acme@example.com"}
	for _, c := range []struct {
		account                       payments.Account
		name, email, hidden, hiddenTo string
	}{
		{ada, "Ada Lovelace", "ada@example.com", ada.Masked().Name(), ada.Masked().Email},
		{business, "Acme Ltd", "acme@example.com", "Acme Ltd", business.Masked().Email},
	} {
		row := &live.Row{ID: "acc_1", Data: watchui.RecordOfAccount(c.account)}
		columns := map[string]live.Column{}
		for _, column := range liveColumns() {
			columns[column.MachineName()] = column
			column.Cell(&live.Row{ID: "acc_2"}, live.Moment{}) // nothing is known of it
		}
		name, email := columns["name"], columns["email"]
		require.Equal(t, []string{c.name, c.email}, []string{name.Text(row), email.Text(row)})
		for personal, want := range map[bool][]string{true: {c.name, c.email}, false: {c.hidden, c.hiddenTo}} {
			at := live.Moment{Personal: personal}
			require.Equal(t, want, []string{name.Cell(row, at).Text, email.Cell(row, at).Text})
		}
		for _, field := range []string{"id", "status", "age", "deadline", "reason", "country", "externalId", "type", "attempt"} {
			require.Contains(t, columns, field)
		}
	}
}
