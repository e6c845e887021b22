package watchui

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
)

func TestOutcomes(t *testing.T) {
	t.Parallel()
	o := &Options{until: []string{"ok"}, timeout: time.Minute}
	good, bad := []follow.SubjectResult{{ID: "a", Status: "ok"}}, []follow.SubjectResult{{ID: "b", Status: "no", Why: "because"}, {ID: "c", Status: "never"}}
	late := []follow.SubjectResult{{ID: "d", Status: "slow"}, {ID: "e"}}
	other := errors.New("other")
	require.NoError(t, o.outcome(Kind{}, follow.Summary{Reached: good}, nil))
	require.ErrorIs(t, o.outcome(Kind{}, follow.Summary{Reached: good, Failed: bad}, other), other)
	err := o.outcome(Kind{}, follow.Summary{Reached: good, Failed: bad}, nil)
	require.EqualError(t, err, "b failed: ended in no, not in one of --until: because\nc failed: ended in never, not in one of --until")
	require.True(t, cmdutil.IsKind(err, "watch-failed"))
	err = o.outcome(Kind{}, follow.Summary{Reached: good, Failed: bad, Waiting: late}, errWatchTimeout)
	require.EqualError(t, err, "after 1m0s d is still slow\ne is still not known\n"+
		"b failed: ended in no, not in one of --until: because\nc failed: ended in never, not in one of --until")
	require.True(t, cmdutil.IsKind(err, "wait-timeout"))
	err = o.outcome(Kind{Nouns: "accounts"}, follow.Summary{Reached: good, Unlisted: true}, errWatchTimeout)
	require.EqualError(t, err, "after 1m0s the list of accounts is still incomplete")
	many := make([]follow.SubjectResult, 100)
	require.Contains(t, o.outcome(Kind{}, follow.Summary{Waiting: many}, errWatchTimeout).Error(), "\nand 79 more")
	require.NoError(t, (&Options{}).outcome(Kind{}, follow.Summary{Waiting: late}, errWatchTimeout), "there was nothing to wait for")
}
