package batch

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// Once one of two transfers with a reference was canceled, as the message advises, the row was paid once, whichever it
// was, and whichever the journal knows.
func TestPaidTwiceAndCanceled(t *testing.T) {
	t.Parallel()
	for _, canceled := range []int{-1, 0, 1} {
		for _, hasJournal := range []bool{true, false} {
			f := newFake(nil)
			f.ignoresKeys = true
			m := f.machine(t)
			require.NoError(t, m.run(file(t, 3, "5.00"), &lines{}))
			second := f.made[0]
			second.ID += "-second"
			f.made = append(f.made, second)
			at := map[int]int{0: 0, 1: len(f.made) - 1, -1: -1}[canceled]
			if at >= 0 {
				f.made[at].State = payments.TransferStateCanceled
			}
			if !hasJournal {
				m = f.machine(t)
			}
			report := &lines{}
			require.NoError(t, m.run(file(t, 3, "5.00"), report))
			require.Equal(t, 3, report.count(Created))
			if canceled < 0 {
				require.Len(t, report.paidTwice, 1)
			} else {
				require.Empty(t, report.paidTwice, "canceled %d, journal %t", canceled, hasJournal)
			}
		}
	}
}

// That the newest of three transfers with a reference was canceled does not hide that the other two paid twice.
func TestPaidTwiceBesidesACanceledOne(t *testing.T) {
	t.Parallel()
	f := newFake(nil)
	f.ignoresKeys = true
	m := f.machine(t)
	require.NoError(t, m.run(file(t, 1, "5.00"), &lines{}))
	first, second := f.made[0], f.made[0]
	first.ID, second.ID = "first", "second"
	f.made[0].State = payments.TransferStateCanceled
	f.made = append([]payments.Transfer{first, second}, f.made...)
	report := &lines{}
	require.NoError(t, m.run(file(t, 1, "5.00"), report))
	require.Len(t, report.paidTwice, 1)
	require.Equal(t, []string{"first", "second"}, report.paidTwice[0].TransferIDs)
}
