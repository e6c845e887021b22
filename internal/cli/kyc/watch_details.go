package kyc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// A history is what can be found out about one account for its details.
type history struct {
	kyc      payments.KYC
	account  *payments.Account // nil: it could not be read
	events   []payments.Event
	complete bool // there are no earlier events
}

// readHistory reads an account, its identity check and its events, with three requests. The error is that of the
// identity check; without the others there is less to show.
func readHistory(ctx context.Context, service payments.Service, id string) (h history, err error) {
	var reads sync.WaitGroup
	reads.Go(func() {
		if read, failed := service.GetAccount(ctx, id, payments.ReadOptions{}); failed == nil {
			h.account = &read.Value
		}
	})
	reads.Go(func() {
		if events, complete, failed := follow.Timeline(ctx, service, id); failed == nil {
			h.events, h.complete = events, complete
		}
	})
	read, err := service.GetKYCStatus(ctx, id, payments.ReadOptions{})
	reads.Wait()
	h.kyc = read.Value
	return h, err
}

// details are those of the live view, which has the identifier and the status in its heading.
func (h history) details(now time.Time) live.Details {
	steps, complete := h.timeline()
	return live.Details{Fields: h.fields, Next: next(h.kyc, now), Timeline: steps, Incomplete: !complete}
}

// fields shows what `kyc get` shows and the account.
func (h history) fields(personal bool) ui.Details {
	isElsewhere := func(f ui.Field) bool { // in the heading, or in what comes next
		return f.Label == accountLabel || f.Label == statusLabel || f.Label == turnLabel ||
			f.Label == nextLabel && len(h.kyc.Open()) == 0
	}
	check := slices.DeleteFunc(details(h.kyc), isElsewhere)
	if h.account == nil {
		return check
	}
	a := *h.account
	if !personal {
		a = a.Masked()
	}
	return slices.Concat(
		cmdutil.Field("Name", a.Name()),
		cmdutil.Field("E-mail", a.Email),
		cmdutil.Field("Phone", a.PhoneNumber),
		cmdutil.Field("Country", a.Country),
		cmdutil.Field("Type", string(a.Type)),
		cmdutil.Field("External id", a.ExternalID),
		cmdutil.Metadata(a.Metadata),
		check,
		cmdutil.Field("Created", cmdutil.Time(a.CreatedAt)),
	)
}

// timeline returns what has happened to the account, oldest first, and whether that is all. Where the event feed does
// not have it all, the times of the identity check add what they know.
func (h history) timeline() (steps []live.Step, complete bool) {
	for _, e := range h.events {
		switch e.Type {
		case payments.EventTypeAccountCreated:
			steps = append(steps, live.Step{At: e.OccurredAt, Note: "the account was created"})
		case payments.EventTypeKYCStatusChanged:
			steps = append(steps, live.Step{
				At: e.OccurredAt, From: statusCell(cmdutil.Text(e.From)), To: statusCell(cmdutil.Text(e.To)),
				Why: why(e.Data.Reasons), Note: attemptNote(e.Data.Attempt),
			})
		}
	}
	if len(h.events) == 0 {
		steps = h.timesOfCheck()
	}
	now := string(h.kyc.Status)
	if at := lastStatus(steps); at < 0 || steps[at].To.Text != now {
		steps = append(steps, live.Step{
			At: h.kyc.UpdatedAt, To: statusCell(now), Why: why(h.kyc.Reasons), Note: attemptNote(h.kyc.Attempt),
		})
		return steps, false
	}
	return steps, h.complete
}

// timesOfCheck are the steps of which the account and its identity check have the times.
func (h history) timesOfCheck() (steps []live.Step) {
	if h.account != nil {
		steps = append(steps, live.Step{At: h.account.CreatedAt, Note: "the account was created"})
	}
	if at := h.kyc.SubmittedAt; at != nil {
		steps = append(steps, live.Step{
			At: *at, To: cmdutil.KYCStatus(payments.KYCStatusPending), Note: attemptNote(h.kyc.Attempt),
		})
	}
	if at := h.kyc.ReviewedAt; at != nil && !at.Equal(h.kyc.UpdatedAt) {
		steps = append(steps, live.Step{At: *at, Note: "a verdict was given"})
	}
	slices.SortStableFunc(steps, func(x, y live.Step) int { return x.At.Compare(y.At) })
	return steps
}

// lastStatus is the index of the last step to a status; -1: there is none.
func lastStatus(steps []live.Step) int {
	for i, step := range slices.Backward(steps) {
		if step.To.Text != "" {
			return i
		}
	}
	return -1
}

func statusCell(status string) ui.Cell { return cmdutil.KYCStatus(payments.KYCStatus(status)) }

func why(reasons []payments.KYCReason) string { return follow.State{Reasons: reasons}.Why() }

func attemptNote(attempt int) string {
	if attempt == 0 {
		return ""
	}
	return fmt.Sprintf("attempt %d of %d", attempt, max(attempt, payments.MaxKYCAttempts))
}

// next says what comes next and by when, and who does it.
func next(k payments.KYC, now time.Time) []ui.Cell {
	say := func(tone ui.Tone, format string, args ...any) []ui.Cell {
		return []ui.Cell{ui.Toned(tone, fmt.Sprintf(format, args...))}
	}
	switch {
	case k.Status.TakesSubmission():
		return say(ui.Applicant, "%s", nextSubmission(k, now))
	case k.Status == payments.KYCStatusNotStarted:
		return say(ui.Provider, "The service begins the check.")
	case k.Status == payments.KYCStatusPending:
		return say(ui.Provider, "The service decides, or passes the check on to a reviewer.")
	case k.Status == payments.KYCStatusUnderReview && k.Attempt >= payments.MaxKYCAttempts:
		return say(ui.Staff, "A reviewer decides: approved or rejected. No further attempt is left.")
	case k.Status == payments.KYCStatusUnderReview:
		return say(ui.Staff, "A reviewer decides: approved, rejected or another submission.")
	case k.Status == payments.KYCStatusPaused:
		return say(ui.Staff, "A reviewer lifts the pause or closes the account.")
	case k.Status == payments.KYCStatusApproved && k.ExpiresAt != nil:
		on := k.ExpiresAt.UTC().Format(time.DateOnly)
		return say(ui.Good, "Nothing. The approval expires on %s (%s).", on, left(*k.ExpiresAt, now))
	case k.Status == payments.KYCStatusApproved:
		return say(ui.Good, "Nothing.")
	case k.Status.Final():
		return say(ui.Plain, "Nothing: %s is final.", k.Status)
	}
	return say(ui.Plain, "This payctl does not know the status %s.", k.Status)
}

// nextSubmission says what the applicant submits, by when and for which time.
func nextSubmission(k payments.KYC, now time.Time) string {
	names := []string{"what is missing"}
	if open := k.Open(); len(open) > 0 {
		names = nil
		for _, r := range open {
			names = append(names, r.Name)
		}
	}
	text := "The applicant submits " + strings.Join(names, " and ")
	if by := k.Deadline(); !by.IsZero() {
		text += fmt.Sprintf(" by %s (%s)", cmdutil.Time(by), left(by, now))
	}
	attempt := k.Attempt + 1
	if k.Status == payments.KYCStatusExpired { // which resets the count
		attempt = 1
	}
	return text + ", " + attemptNote(attempt) + "."
}

// left is how long it is until a time, or how long ago that was.
func left(until, now time.Time) string {
	if until.Before(now) {
		return live.Age(until, now) + " late"
	}
	return live.Age(now, until) + " left"
}
