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

// contract lists which operations the service has by its own OpenAPI document, and what cannot work without the others.
func (e *examination) contract(ctx context.Context) findings {
	if _, skipped := e.reach(); skipped != nil {
		return skipped
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	theirs, _, err := service.Document(ctx, "")
	var lacks findings
	for _, text := range resolved.ServiceMap.ProofLacks() {
		lacks = append(lacks, warn(shell.Hint{}, "%s", text)...)
	}
	if text := resolved.ServiceMap.AmountSent([]byte(`{"route":"sepa:EUR->sepa:EUR","amount":"5.00"}`)); text != "" {
		lacks = append(lacks, ok("%s", text)...)
	}
	if err != nil {
		return append(lacks, warn(shell.Note("try again later"), "The service's OpenAPI document could not be read: %s", payments.Sentence(err.Error()))...)
	}
	if theirs == nil {
		return append(lacks, skip("The service has no OpenAPI document; payctl contract verify shows by calls what it has.")...)
	}
	return append(lacks, described(theirs, resolved.ServiceMap, resolved.Profile)...)
}

// described are the operations of a service's document, and which differ.
func described(theirs *diff.Document, service *servicemap.Map, profile string) (all findings) {
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
	all = append(ok("By its own document, the service has: %s.", cmp.Or(strings.Join(has, ", "), "none of the operations")), all...)
	if len(broken) > 0 {
		all = append(all, fail(payments.KindUnusable, shell.Payctl("contract diff"),
			"By that document, these differ from what payctl relies on: %s.", strings.Join(broken, ", "))...)
	}
	return all
}

// missing is that an operation is not where it is called. Found is where the service seems to have it, or empty, and
// profile the one that may map it.
func missing(op *contract.Operation, service *servicemap.Map, found, profile string) findings {
	at, _ := service.Route(op)
	mapping := shell.Payctl("profile set --", profile, "operations."+op.ID, cmp.Or(found, "METHOD /PATH"))
	text := fmt.Sprintf("The service does not seem to have %s (%s %s). Without it these cannot work: payctl %s.",
		op.ID, at.Method, at.Path, op.Use().Commands)
	switch {
	case op.Origin == contract.Published: // which cannot be mapped
		return fail(payments.KindUnusable, shell.Payctl("profile show"), "%s", text)
	case found == "":
		return warn(mapping, "%s", text)
	}
	return fail(payments.KindUnusable, mapping, "%s", text)
}
