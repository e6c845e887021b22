package transfer

import (
	"math"
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/shell"
)

// cancelSecond is the next step after a reference was paid more than once.
const cancelSecond = "payctl transfer cancel TRANSFER   (the second of each, if it still awaits its funds)"

// unresolved returns the error of writes whose outcome is still unknown. Listed: the service was not asked. Hidden
// are the idempotency keys of the writes by which nothing can be found at the service.
func unresolved(count int, listed bool, hidden []string) *cmdutil.Error {
	next := []string{"run payctl transfer resolve again later"}
	switch {
	case listed:
		next = []string{"payctl transfer resolve"}
	case len(hidden) == count:
		next = []string{
			shell.Hint("run the line that sent it again with --idempotency-key KEY", shell.Values{"KEY": hidden[0]}),
			shell.Hint("payctl transfer resolve --dismiss -- KEY   (when you have looked for it at the service)",
				shell.Values{"KEY": hidden[0]}),
		}
	}
	return &cmdutil.Error{
		Code: cmdutil.ExitOutcomeUnknown, Kind: "outcome-unknown", Title: "Some outcomes are still unknown.",
		Detail: "the outcome of " + cmdutil.Count(count, "write(s)") + " is not known", Next: next,
	}
}

// maxPaidTwice is how many references that were paid more than once an error names: as many as fit on a screen.
const maxPaidTwice = 20

// batchFailed returns the error of a batch some of whose rows are no transfers. Cause is what stopped the batch
// before its end; nil when every row was sent.
func batchFailed(rows *summary, cause error) *cmdutil.Error {
	e := &cmdutil.Error{Kind: cmdutil.KindBatchFailed, Title: "Not every row is a transfer.", Cause: cause}
	switch {
	case rows.Unknown > 0, len(rows.PaidTwice) > 0:
		e.Code = cmdutil.ExitOutcomeUnknown
	case cause == nil:
		e.Code = cmdutil.ExitRowsRefused
	}
	all := cmdutil.Count(rows.Created+rows.Refused+rows.Unknown+rows.NotSent+rows.NotChecked, "row(s)")
	e.Detail = "of " + all + ": " + rows.text("")
	if cause != nil {
		e.Detail += ": " + cause.Error()
	}
	if len(rows.PaidTwice) > 0 {
		e.Kind, e.Title = "paid-twice", "Some references have several transfers."
		e.Detail += "\npaid more than once:\n" + strings.Join(paidTwiceLines(rows.PaidTwice, maxPaidTwice), "\n")
		e.Next = append(e.Next, cancelSecond)
		if len(rows.PaidTwice) > maxPaidTwice {
			e.Next = append(e.Next, shell.Hint("payctl transfer list --batch BATCH --all   (shows them all)",
				shell.Values{"BATCH": rows.BatchID}))
		}
	}
	if rows.Refused > 0 {
		e.Next = append(e.Next, "correct the refused rows; with the --batch-id of the first run they stay in its batch")
	}
	if rows.NotSent+rows.NotChecked > 0 || rows.Unknown > 0 && rows.counts.AbsentIn == 0 {
		e.Next = append(e.Next, "run the same line again: what is done is not done twice")
	}
	if rows.counts.AbsentIn > 0 {
		minutes := cmdutil.Count(int(math.Ceil(rows.counts.AbsentIn.Minutes())), "minute(s)")
		e.Next = append(e.Next, "run it again in "+minutes+
			": unknown rows that the service does not show by then count as not done and are sent")
	}
	if rows.Unknown > 0 {
		e.Next = append(e.Next, "payctl transfer resolve")
	}
	return e
}
