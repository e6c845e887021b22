package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// contract compares the service's own OpenAPI document, where it offers one, with the contract that payctl was built
// for.
func (e *examination) contract(ctx context.Context) (all findings) {
	if _, skipped := e.reach(); skipped != nil {
		return skipped
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	path := contract.GetOpenAPIDocumentJSON.Path
	response, err := service.Get(ctx, path)
	if err != nil {
		problem, isProblem := errors.AsType[*payments.ProblemError](err)
		if isProblem && problem.Status >= 400 && problem.Status < 500 {
			return skip("The service offers no OpenAPI document at %s.", path)
		}
		return warn("try again later", "The service's OpenAPI document could not be read: %s", payments.Sentence(err.Error()))
	}
	if media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); media == "text/html" {
		return skip("The service offers no OpenAPI document at %s.", path)
	}
	theirs, err := diff.Parse(response.Body)
	if err != nil {
		return warn("tell its operator", "What the service offers at %s is no OpenAPI document.", path)
	}
	ours, err := diff.Parse(contract.JSON)
	if err != nil {
		return fail(payments.KindInternal, "install payctl anew", "The contract in this program cannot be read.")
	}
	compared := 0
	for _, op := range contract.Operations {
		// Only the reference service has the sandbox, and no command uses the open operations.
		if op.Access != contract.Open && !op.IsSandbox() {
			compared++
			all = append(all, compare(ours, theirs, op, resolved)...)
		}
	}
	if len(all) == 0 {
		return ok("The service's own document agrees with what payctl relies on (%d operations).", compared)
	}
	return all
}

// compare is how an operation of the service's document differs from the contract, if it does.
func compare(ours, theirs *diff.Document, op *contract.Operation, resolved settings.Settings) findings {
	method, path := op.Method, op.Path
	if m, p, isMapped := strings.Cut(resolved.Operations[op.ID], " "); isMapped {
		method, path = m, p
	}
	name := fmt.Sprintf("%s (%s %s)", op.ID, method, path)
	difference := diff.Operation(ours, theirs, op, method, path)
	const advice = "use a version of payctl that knows this; until then payctl api makes any call"
	switch {
	case difference.Missing:
		return missingOperation(op, name, theirs.Find(op.ID), resolved.Profile)
	case len(difference.Breaking) > 0:
		return fail(payments.KindUnusable, advice, "%s: %s.", name, shortList(append(difference.Breaking, difference.Other...)))
	case len(difference.Other) > 0:
		return warn(advice, "%s: %s.", name, shortList(difference.Other))
	}
	return nil
}

// missingOperation is that an operation is not where it is called. found is where the document has it, or empty, and
// profile the one that may map it.
func missingOperation(op *contract.Operation, name, found, profile string) findings {
	mapping := shell.Hint("run: payctl profile set -- PROFILE OPERATION TARGET",
		shell.Values{"PROFILE": profile, "OPERATION": "operations." + op.ID, "TARGET": cmp.Or(found, "METHOD /PATH")})
	isMappable := op.Origin == contract.Assumed && op.Access == contract.Bearer
	switch {
	case found != "" && isMappable:
		return fail(payments.KindUnusable, mapping, "%s has moved to %s.", name, found)
	case isMappable:
		return warn(mapping, "%s is not in the service's document; the commands that use it will not work.", name)
	}
	return fail(payments.KindUnusable, "run: payctl profile show", "%s is not in the service's document.", name)
}

// shortList joins the first differences of an operation: one breaking change often causes many.
func shortList(all []string) string {
	const limit = 3
	if more := len(all) - limit; more > 0 {
		return strings.Join(all[:limit], "; ") + fmt.Sprintf("; and %d more", more)
	}
	return strings.Join(all, "; ")
}
