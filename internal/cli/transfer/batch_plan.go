package transfer

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/rowsui"
	"github.com/payctl/payctl/internal/outbox/batch"
	"github.com/payctl/payctl/internal/ui"
)

// planView returns a plan for a person.
func planView(p *batch.Plan) ui.Details {
	var ofRows, routes, contacts, totals []string
	for _, total := range p.Totals {
		totals = append(totals, total.String()+" in "+display.Count(total.Rows, "row(s)"))
	}
	for _, r := range p.Routes {
		routes = append(routes, fmt.Sprintf("%s by %s, %s", r.Route, r.Provider, display.Count(r.Rows, "row(s)")))
		for _, fee := range fees(r.Fees) {
			ofRows = append(ofRows, fee+" a payment, "+r.Route)
		}
	}
	for _, c := range p.Contacts {
		rows := display.Count(c.Rows, "row(s)")
		contacts = append(contacts, fmt.Sprintf("%s (%s) %s, %s", c.Label, c.HolderName, c.ID, rows))
	}
	if p.MoreContacts > 0 {
		contacts = append(contacts, fmt.Sprintf("and %d more", p.MoreContacts))
	}
	view := slices.Concat(display.Field("Batch", p.BatchID),
		ui.Details{{Label: "Rows", Cells: []ui.Cell{ui.Toned(ui.Bold, strconv.Itoa(p.Rows))}}})
	if p.Flexible > 0 {
		view = append(view, display.Field("Without amount", "whatever arrives, in "+display.Count(p.Flexible, "row(s)"))...)
	}
	view = append(view, display.Field("Paid before", paidBeforeLines(p)...)...)
	return slices.Concat(view, display.Field("Totals", totals...), display.Field("Routes", routes...),
		display.Field("Fees", ofRows...), display.Field("Contacts", contacts...), display.Field("Look at", p.Warnings...))
}

// paidBeforeLines say which rows were paid before, when, and by which batch.
func paidBeforeLines(p *batch.Plan) []string {
	var lines []string
	for _, earlier := range p.PaidBefore {
		by := rowsui.EarlierFile(earlier.File, earlier.BatchID)
		switch earlier.BatchID {
		case p.BatchID:
			by = "an earlier run of this batch"
		case "":
			by = "single transfers"
		}
		lines = append(lines, fmt.Sprintf("%s paid before, on %s, by %s", display.Count(earlier.Rows, "row(s)"), earlier.Day, by))
	}
	return lines
}
