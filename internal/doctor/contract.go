package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// contract lists the operations in the service's own OpenAPI document, and the commands that need the missing ones.
func (e *examination) contract(ctx context.Context) findings {
	if _, skipped := e.reach(); skipped != nil {
		return skipped
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	theirs, _, err := service.Document(ctx, "")
	var all findings
	for _, text := range resolved.ServiceMap.ProofLacks() {
		all = append(all, warn(shell.Hint{}, "%s", text)...)
	}
	if text := resolved.ServiceMap.AmountSent([]byte(`{"route":"sepa:EUR->sepa:EUR","amount":"5.00"}`)); text != "" {
		all = append(all, ok("%s", text)...)
	}
	switch {
	case err != nil:
		return append(all, warn(shell.Note("try again later"), "The service's OpenAPI document could not be read: %s",
			payments.Sentence(err.Error()))...)
	case theirs == nil:
		return append(all, skip("The service has no OpenAPI document; payctl contract verify checks it by calls.")...)
	}
	return append(all, compareDocument(theirs, resolved.ServiceMap, resolved.Profile)...)
}

// compareDocument lists the operations in a service's document, and those that are missing or differ.
func compareDocument(theirs *diff.Document, service *servicemap.Map, profile string) (all findings) {
	var has, broken []string
	for _, op := range diff.Compare(theirs, service) {
		if op.IsMissing {
			all = append(all, missing(op.Operation, service, op.Elsewhere, profile)...)
			continue
		}
		has = append(has, op.ID)
		if slices.ContainsFunc(op.Found, func(d diff.Difference) bool { return d.Breaks }) {
			broken = append(broken, op.ID)
		}
	}
	all = append(ok("By its own document, the service has: %s.",
		cmp.Or(strings.Join(has, ", "), "none of the operations")), all...)
	if len(broken) > 0 {
		all = append(all, fail(payments.ProblemUnusable, shell.Payctl("contract diff"),
			"By that document, these differ from what payctl needs: %s.", strings.Join(broken, ", "))...)
	}
	return all
}

// missing is the finding for an operation that the document does not have where payctl calls it. found is where the
// service seems to have it, or empty. profile can map it.
func missing(op *contract.Operation, service *servicemap.Map, found, profile string) findings {
	at, _ := service.Route(op)
	mapping := shell.Payctl("profile set --", profile, "operations."+op.ID, cmp.Or(found, "METHOD /PATH"))
	text := fmt.Sprintf("The service does not seem to have %s (%s %s). These commands need it: payctl %s.",
		op.ID, at.Method, at.Path, op.Use().Commands)
	switch {
	case op.Origin == contract.Published: // cannot be mapped
		return fail(payments.ProblemUnusable, shell.Payctl("profile show"), "%s", text)
	case found == "":
		return warn(mapping, "%s", text)
	}
	return fail(payments.ProblemUnusable, mapping, "%s", text)
}
