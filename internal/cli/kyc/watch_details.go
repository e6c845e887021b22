package kyc

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/cli/watchui"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// liveDetails reads an account, its identity check and its events, with three requests. The error is that of the
// identity check; without the others there is less to show: not every token may read them.
func liveDetails(ctx context.Context, service payments.Service, id string) (show func(live.Moment) ui.Details, err error) {
	var (
		reads   sync.WaitGroup
		account payments.Account
		events  []payments.Event
	)
	reads.Go(func() {
		read, _ := service.GetAccount(ctx, id)
		account = read.Value
	})
	reads.Go(func() { events = follow.Timeline(ctx, service, id) })
	read, err := service.GetKYCStatus(ctx, id)
	reads.Wait()
	return func(at live.Moment) ui.Details {
		k, zone := read.Value, at.Now.Location()
		present := follow.State{Status: string(k.Status), Since: k.UpdatedAt, Reasons: k.Reasons}
		check, shown := Details(k, at.Now), account
		if !at.Personal {
			shown = account.Masked()
		}
		return slices.Concat(check[:4], ui.Details{{}}, watchui.Accounts.Timeline(events, present, at.Now), ui.Details{{}},
			cmdutil.InZone(resource.Accounts.Details(shown)[1:], zone), ui.Details{{}}, check[4:])
	}, err
}

func why(reasons []payments.KYCReason) string { return follow.State{Reasons: reasons}.Why() }

func attemptNote(attempt int) string {
	if attempt == 0 {
		return ""
	}
	return fmt.Sprintf("attempt %d of %d", attempt, max(attempt, payments.MaxKYCAttempts))
}

// next says what comes next and by when, and who does it.
func next(k payments.KYC, now time.Time) ui.Cell {
	say := func(tone ui.Tone, format string, args ...any) ui.Cell {
		return ui.Toned(tone, fmt.Sprintf(format, args...))
	}
	switch {
	case k.Status.TakesSubmission():
		return say(ui.Applicant, "%s", nextSubmission(k, now))
	case k.Status == payments.KYCStatusNotStarted:
		return say(ui.Provider, "The service begins the check.")
	case k.Status == payments.KYCStatusPending:
		return say(ui.Provider, "The service decides, or passes the check on to a reviewer.")
	case k.Status == payments.KYCStatusUnderReview && k.Attempt >= payments.MaxKYCAttempts:
		return say(ui.Reviewer, "A reviewer decides: approved or rejected. No further attempt is left.")
	case k.Status == payments.KYCStatusUnderReview:
		return say(ui.Reviewer, "A reviewer decides: approved, rejected or another submission.")
	case k.Status == payments.KYCStatusPaused:
		return say(ui.Reviewer, "A reviewer lifts the pause or closes the account.")
	case k.Status == payments.KYCStatusApproved && k.ExpiresAt != nil:
		on := k.ExpiresAt.In(now.Location()).Format(time.DateOnly)
		return say(ui.Good, "Nothing. The approval expires on %s (%s).", on, live.Left(*k.ExpiresAt, now))
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
		text += fmt.Sprintf(" by %s (%s)", cmdutil.TimeIn(by, now.Location()), live.Left(by, now))
	}
	attempt := k.Attempt + 1
	if k.Status == payments.KYCStatusExpired { // which resets the count
		attempt = 1
	}
	return text + ", " + attemptNote(attempt) + "."
}
