package kyc

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// decider has no event feed, and decides a check when it is read for the third time.
type decider struct {
	payments.Service
	verdict payments.KYCStatus
	reads   int
}

func (*decider) ListEvents(context.Context, payments.EventFilter) (payments.EventPage, error) {
	return payments.EventPage{}, payments.NotFound("event feed", "")
}

func (d *decider) GetKYCStatus(
	_ context.Context, id string, _ payments.ReadOptions,
) (payments.ReadResult[payments.KYC], error) {
	status := payments.KYCStatusPending
	if d.reads++; d.reads >= 3 {
		status = d.verdict
	}
	return payments.ReadResult[payments.KYC]{Value: payments.KYC{AccountID: id, Status: status}}, nil
}

// endless has a list of accounts that always has one more page of new ones, and no event feed.
type endless struct {
	decider
	pages int
}

func (e *endless) ListAccounts(context.Context, payments.AccountFilter) (page payments.AccountPage, err error) {
	if e.pages++; e.pages > 100 {
		return page, context.Canceled
	}
	next := strconv.Itoa(e.pages)
	page.NextCursor = &next
	for i := range payments.LargestPage {
		page.Data = append(page.Data, payments.Account{
			ID: "acc_" + next + "_" + strconv.Itoa(i), KYCStatus: payments.KYCStatusPending,
		})
	}
	return page, nil
}

func TestWatchOfEndlessAccountsEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	var out, notices bytes.Buffer
	service := &endless{}
	d := &cmdutil.Deps{
		Streams:  &ui.Streams{Out: &out, Err: &notices},
		Options:  &cmdutil.Options{},
		Now:      time.Now,
		Settings: func() (settings.Settings, error) { return settings.Settings{Output: "table"}, nil },
		Payments: func() (payments.Service, error) { return service, nil },
		Enum:     func(string, string) []string { return nil },
	}
	run := func(args ...string) error {
		cmd := newWatch(d)
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		return cmd.ExecuteContext(t.Context())
	}
	err := run("--all", "--max", "250")
	require.EqualError(t, err, "there are more than 250 accounts, which is the limit of --max. "+
		"The watch has ended, because it would leave some out without a sign")
	own, _ := errors.AsType[*cmdutil.Error](err)
	require.Equal(t, cmdutil.ExitUsage, own.Code)
	require.Equal(t, []string{"Watch fewer with a filter, which --help shows, or raise the limit with --max"}, own.Next)
	require.Equal(t, 3, service.pages)
	require.Equal(t, 250, strings.Count(out.String(), "\n"))

	require.ErrorIs(t, run("--all", "--max", "0"), cmdutil.ErrUsage)
	require.ErrorIs(t, run("acc_1", "--max", "5"), cmdutil.ErrUsage)
}

func TestWatchExplainsHowItEnded(t *testing.T) {
	t.Parallel()
	for verdict, wanted := range map[payments.KYCStatus]struct{ kind, lines string }{
		payments.KYCStatusApproved: {"", "pending approved"},
		payments.KYCStatusRejected: {"watch-failed", "pending rejected"},
		payments.KYCStatusPending:  {"wait-timeout", "pending"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out, notices bytes.Buffer
			d := &cmdutil.Deps{
				Streams:  &ui.Streams{Out: &out, Err: &notices},
				Options:  &cmdutil.Options{},
				Now:      time.Now,
				Settings: func() (settings.Settings, error) { return settings.Settings{Output: "table"}, nil },
				Payments: func() (payments.Service, error) { return &decider{verdict: verdict}, nil },
				Enum:     func(string, string) []string { return []string{"approved"} },
			}
			cmd := newWatch(d)
			cmd.SetArgs([]string{"acc_1", "--timeout", "1m"})
			cmd.SetOut(&notices)
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			err := cmd.ExecuteContext(t.Context())
			if wanted.kind == "" {
				require.NoError(t, err)
			} else {
				require.True(t, cmdutil.IsKind(err, wanted.kind), "%v", err)
			}
			var lines []string
			for line := range bytes.Lines(out.Bytes()) {
				fields := bytes.Fields(line)
				lines = append(lines, string(fields[len(fields)-1]))
			}
			require.Equal(t, wanted.lines, strings.Join(lines, " "))
		})
	}
}
