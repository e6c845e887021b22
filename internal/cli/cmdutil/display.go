package cmdutil

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// Time is a moment as tables show it, in UTC.
func Time(t time.Time) string { return payments.FormatTime(t) }

// TimeIn is a moment in a time zone.
func TimeIn(t time.Time, zone *time.Location) string {
	if zone == time.UTC || t.IsZero() {
		return Time(t)
	}
	return t.In(zone).Format("2006-01-02 15:04:05-07:00")
}

// InZone shows the moments of a view in a time zone.
func InZone(view ui.Details, zone *time.Location) ui.Details {
	for _, field := range view {
		for i := range field.Cells {
			if at := field.Cells[i].Time; !at.IsZero() {
				field.Cells[i].Text = TimeIn(at, zone)
			}
		}
	}
	return view
}

// TimeField is a field with a moment, or no field for nil.
func TimeField(label string, t *time.Time) ui.Details {
	if t == nil || t.IsZero() {
		return nil
	}
	return ui.Details{{Label: label, Cells: []ui.Cell{TimeCell(*t)}}}
}

// Zone is the time zone of --local, or else UTC.
func Zone(local bool) *time.Location {
	if local {
		return time.Local //nolint:gosmopolitan // that is what --local asks for
	}
	return time.UTC
}

// OptionalTime is a moment as tables show it; empty for nil.
func OptionalTime(t *time.Time) string {
	if t == nil {
		return ""
	}
	return Time(*t)
}

// TimeCell shows a moment in a list.
func TimeCell(t time.Time) ui.Cell { return ui.Cell{Text: Time(t), Time: t} }

// LongDate is a day as letters have it, in UTC.
func LongDate(t time.Time) string { return t.UTC().Format("2 January 2006") }

// Rate shows an exchange rate, in tables with at most six significant digits. A rate of zero is one that the service
// does not show.
func Rate(rate money.Decimal) ui.Cell {
	if rate.Zero() {
		return ui.Optional("")
	}
	return ui.Cell{Text: rate.Significant(6).Written(0).String(), Exact: rate.String()}
}

// MetadataCell shows keys and values in the order of the keys.
func MetadataCell(metadata payments.Metadata) ui.Cell {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		parts = append(parts, key+"="+metadata[key])
	}
	return ui.Optional(strings.Join(parts, "; "))
}

// Text is the text that a pointer leads to; empty for nil.
func Text(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// Field returns a field with lines of text, or no field if all lines are empty.
func Field(label string, lines ...string) ui.Details {
	var cells []ui.Cell
	for _, line := range lines {
		if line != "" {
			cells = append(cells, ui.Text(line))
		}
	}
	if len(cells) == 0 {
		return nil
	}
	return ui.Details{{Label: label, Cells: cells}}
}

// Amount is an amount as it is written in its currency, or as the service wrote it if that is not known. It is empty
// when the amount is unknown.
func Amount(amount *money.Decimal, currency string) string {
	if amount == nil {
		return ""
	}
	if decimals, isCertain := money.CurrencyDecimals(currency); isCertain {
		return amount.Written(decimals).String()
	}
	return amount.String()
}

// Money is an amount with its currency; a dash when the amount is unknown.
func Money(amount *money.Decimal, currency string) string {
	switch {
	case amount == nil && currency == "":
		return ""
	case amount == nil:
		return "- " + currency
	}
	return Amount(amount, currency) + " " + currency
}

// Percent is a share such as 0.0025 as a percentage.
func Percent(rate money.Decimal) string {
	return rate.Mul(money.MustDecimal("100")).Written(0).String() + " %"
}

// Count is a number with its unit, such as "write(s)", whose (s) becomes an s unless the number is one.
func Count(n int, unit string) string {
	plural := "s"
	if n == 1 {
		plural = ""
	}
	return strconv.Itoa(n) + " " + strings.Replace(unit, "(s)", plural, 1)
}
