package payments_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A lister lists the same pages whatever is asked for, as a service does that does not know a filter.
type lister struct {
	payments.Transfers
	pages [][]payments.Transfer
	asked int
}

func (l *lister) ListTransfers(context.Context, payments.TransferFilter) (payments.TransferPage, error) {
	page := payments.TransferPage{Data: l.pages[min(l.asked, len(l.pages)-1)]}
	l.asked++
	if l.asked != len(l.pages) {
		cursor := string(rune('a' + min(l.asked, len(l.pages))))
		page.NextCursor = &cursor
	}
	return page, nil
}

// What a service lists is held to what was asked for: another's transfer must not be taken for one's own.
func TestTheFirstTransferIsTheOneThatWasAskedFor(t *testing.T) {
	t.Parallel()
	of := func(id, reference, external, batch string) payments.Transfer {
		return payments.Transfer{ID: id, Reference: reference, ExternalID: external, BatchID: batch}
	}
	everything := [][]payments.Transfer{
		{of("5", "other", "", ""), of("4", "r", "x", "")},
		{of("3", "r", "", "b"), of("2", "", "x", "")},
		{of("1", "", "", "")},
	}
	for want, filter := range map[string]payments.TransferFilter{
		"3": {Reference: "r"}, "2": {ExternalID: "x"}, "4": {Reference: "r", ExternalID: "x"}, "": {Reference: "R2"}, "5": {Reference: "OTHER "},
	} {
		transfer, found, err := payments.FirstTransfer(t.Context(), &lister{pages: everything}, filter)
		require.NoError(t, err)
		require.Equal(t, want != "", found)
		require.Equal(t, want, transfer.ID)
	}
}

// A list that begins anew at its end is not read for ever.
func TestAListWithoutAnEnd(t *testing.T) {
	t.Parallel()
	endless := &lister{pages: [][]payments.Transfer{{}}, asked: 1}
	_, _, err := payments.FirstTransfer(t.Context(), endless, payments.TransferFilter{Reference: "r"})
	require.ErrorIs(t, err, payments.ErrEndless)
}
