package deps

import (
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// Time is a moment as tables show it, in UTC.
func Time(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }

// TimeOr is a moment that may be missing.
func TimeOr(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return Time(*t)
}

// Or is text, or a dash where it is empty.
func Or(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// KYCStatus shows a status in its tone. Statuses that are not known are shown as they are.
func KYCStatus(s payments.KYCStatus) term.Cell {
	tone := term.Plain
	switch s {
	case payments.KYCStatusApproved:
		tone = term.Good
	case payments.KYCStatusPending, payments.KYCStatusUnderReview, payments.KYCStatusIncomplete,
		payments.KYCStatusResubmissionRequired, payments.KYCStatusExpired, payments.KYCStatusPaused:
		tone = term.Warn
	case payments.KYCStatusRejected, payments.KYCStatusOffboarded:
		tone = term.Bad
	}
	return term.Toned(tone, string(s))
}

// TransferState shows a state in its tone. States that are not known are shown as they are.
func TransferState(s payments.TransferState) term.Cell {
	switch {
	case s.Settled():
		return term.Toned(term.Good, string(s))
	case s.Failed():
		return term.Toned(term.Bad, string(s))
	}
	return term.Toned(term.Warn, string(s))
}

// Money is an amount with its currency; a dash when it is not known.
func Money(amount *payments.Decimal, currency string) string {
	if amount == nil {
		return "- " + currency
	}
	return amount.String() + " " + currency
}

// Percent is a share such as 0.0025 as a percentage.
func Percent(rate payments.Decimal) string {
	text := strings.TrimRight(rate.Mul(payments.MustDecimal("100")).String(), "0")
	return strings.TrimSuffix(text, ".") + " %"
}

// Count is a number with its unit, such as "write(s)", of which the (s) goes by the number.
func Count(n int, unit string) string {
	plural := "s"
	if n == 1 {
		plural = ""
	}
	return strconv.Itoa(n) + " " + strings.Replace(unit, "(s)", plural, 1)
}
