package watchui

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	o := &Options{until: []string{"ok"}, timeout: time.Minute}
	good, bad := []follow.SubjectResult{{ID: "a", Status: "ok"}}, []follow.SubjectResult{{ID: "b", Status: "no", Why: "because"}, {ID: "c", Status: "never"}}
	late := []follow.SubjectResult{{ID: "d", Status: "slow"}, {ID: "e"}}
	other := errors.New("other")
	kind := Kind{
		Turn: func(status string) payments.Turn {
			if status == "slow" {
				return payments.TurnStaff
			}
			return payments.TurnProvider
		},
		Steps: func(_, id string, _ bool) []string { return []string{"hurry " + id} },
	}
	require.NoError(t, o.outcome(Kind{}, follow.Summary{Reached: good}, "", nil, false))
	require.ErrorIs(t, o.outcome(Kind{}, follow.Summary{Reached: good, Failed: bad}, "", other, false), other)
	err := o.outcome(Kind{}, follow.Summary{Reached: good, Failed: bad}, "", nil, false)
	require.EqualError(t, err, "b failed: ended in no, not in one of --until: because\nc failed: ended in never, not in one of --until")
	require.True(t, cmdutil.IsKind(err, "watch-failed"))
	err = o.outcome(kind, follow.Summary{Reached: good, Failed: bad, Waiting: late}, "", errWatchTimeout, false)
	require.EqualError(t, err, "after 1m0s d is still slow\ne is still not known\n"+
		"b failed: ended in no, not in one of --until: because\nc failed: ended in never, not in one of --until")
	require.True(t, cmdutil.IsKind(err, "wait-timeout"))
	timedOut, _ := errors.AsType[*cmdutil.Error](err)
	require.Equal(t, []string{"hurry d", "run the command again to go on waiting for them"}, timedOut.Next)
	err = o.outcome(Kind{Nouns: "accounts"}, follow.Summary{Reached: good, Unlisted: true}, "", errWatchTimeout, false)
	require.EqualError(t, err, "after 1m0s the list of accounts is still incomplete")
	err = (&Options{timeout: time.Minute}).outcome(Kind{Nouns: "accounts"}, follow.Summary{Unlisted: true}, "the service fails: status 503", errWatchTimeout, false)
	require.EqualError(t, err, "after 1m0s the list of accounts is still unread, and the service fails: status 503", "it was to be read, if nothing else")
	require.True(t, cmdutil.IsKind(err, "wait-timeout"))
	many := make([]follow.SubjectResult, 100)
	require.Contains(t, o.outcome(kind, follow.Summary{Waiting: many}, "", errWatchTimeout, false).Error(), "\nand 79 more")
	require.NoError(t, (&Options{}).outcome(Kind{}, follow.Summary{Waiting: late}, "", errWatchTimeout, false), "there was nothing to wait for")
}
