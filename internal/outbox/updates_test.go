package outbox

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox/journal"
	"github.com/payctl/payctl/internal/payments"
)

// An updateClient is a client of a service with one account, whose first answer to a change is lost.
type updateClient struct {
	*fakeClient
	arrived func()
	keys    []payments.Idempotency
}

func (c *updateClient) UpdateAccount(
	_ context.Context, accountID string, _ payments.AccountPatch, key payments.Idempotency,
) (payments.WriteResult[payments.Account], error) {
	c.arrived()
	c.keys = append(c.keys, key)
	if len(c.keys) == 1 {
		return payments.WriteResult[payments.Account]{}, payments.NewLocalProblem(payments.KindOutcomeUnknown, errors.New("lost"), "lost", "")
	}
	return payments.WriteResult[payments.Account]{Value: payments.Account{ID: accountID, KYCStatus: "approved"}, Replayed: true}, nil
}

// A change of an account is on the disk before it leaves, goes to the state that was read, and is sent again with its key.
func TestAnUpdateIsRecordedAndGuarded(t *testing.T) {
	t.Parallel()
	s := newFakeService(func(s *fakeService) { s.honoursKeys = true })
	m := s.machine(t)
	client := &updateClient{fakeClient: &fakeClient{fakeService: s}, arrived: func() {
		require.Contains(t, []journal.Outcome{journal.OutcomeSending, journal.OutcomeUnknown}, m.outcome())
		require.Equal(t, "acc_1", m.entries()[0].Of)
		require.Empty(t, m.entries()[0].Body, "the journal keeps no personal data")
	}}
	patch := payments.AccountPatch{"email": "bea@example.com"}
	key := payments.Idempotency{Key: "k", Precondition: payments.Precondition{Match: `"7"`}}
	update := func() (payments.WriteResult[payments.Account], error) {
		writes := m.journal()
		defer func() { require.NoError(t, writes.Close()) }()
		return New(client, writes, Options{Now: s.clock.now, Sleep: func(ctx context.Context, _ time.Duration) error {
			runtime.Gosched()
			return ctx.Err()
		}}).UpdateAccount(t.Context(), "acc_1", patch, key)
	}
	_, err := update()
	require.Equal(t, payments.KindOutcomeUnknown, kindOf(t, err))
	var problem *payments.ProblemError
	require.ErrorAs(t, err, &problem)
	require.Equal(t, "run the same line again with --idempotency-key k", problem.Next)
	require.Equal(t, journal.OutcomeUnknown, m.outcome())

	done, err := update()
	require.NoError(t, err)
	require.Equal(t, "acc_1", done.Value.ID)
	require.Equal(t, journal.OutcomeDone, m.outcome())
	require.Len(t, client.keys, 2)
	for _, sent := range client.keys {
		require.Equal(t, "k", sent.Key)
		require.Equal(t, `"7"`, sent.Precondition.Match)
		require.NotNil(t, sent.MaySend, "it is asked before each attempt leaves")
	}

	patch = payments.AccountPatch{"email": "cy@example.com"}
	_, err = update()
	require.Error(t, err, "the key belongs to another change")
	require.Len(t, client.keys, 2)
}
