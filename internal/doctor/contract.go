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
func (e *examination) contract(ctx context.Context, c *check) {
	if !e.isReached(c) {
		return
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	path := contract.GetOpenAPIDocumentJSON.Path
	response, err := service.Get(ctx, path)
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	isAbsent := isProblem && problem.Status >= 400 && problem.Status < 500
	switch {
	case isAbsent, err == nil && isHTML(response.Header.Get("Content-Type")):
		c.skip("The service offers no OpenAPI document at %s.", path)
		return
	case err != nil:
		c.warn("The service's OpenAPI document could not be read: %s", payments.Sentence(err.Error())).
			Advice = "try again later"
		return
	}
	theirs, err := diff.Parse(response.Body)
	if err != nil {
		c.warn("What the service offers at %s is no OpenAPI document.", path).Advice = "tell its operator"
		return
	}
	ours, err := diff.Parse(contract.JSON)
	if err != nil {
		c.fail(payments.KindInternal, "The contract in this program cannot be read.").Advice = "install payctl anew"
		return
	}
	compared := 0
	for _, op := range contract.Operations {
		// Only the reference service has the sandbox, and no command uses the open operations.
		if op.Access != contract.Open && !op.IsSandbox() {
			compared++
			c.compare(ours, theirs, op, resolved)
		}
	}
	if len(c.findings) == 0 {
		c.ok("The service's own document agrees with what payctl relies on (%d operations).", compared)
	}
}

func isHTML(contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "text/html"
}

// compare adds how an operation of the service's document differs from the contract.
func (c *check) compare(ours, theirs *diff.Document, op *contract.Operation, resolved settings.Settings) {
	method, path := op.Method, op.Path
	if m, p, isMapped := strings.Cut(resolved.Operations[op.ID], " "); isMapped {
		method, path = m, p
	}
	name := fmt.Sprintf("%s (%s %s)", op.ID, method, path)
	difference := diff.Operation(ours, theirs, op, method, path)
	const advice = "use a version of payctl that knows this; until then payctl api makes any call"
	switch {
	case difference.Missing:
		c.missingOperation(op, name, theirs.Find(op.ID), resolved.Profile)
	case len(difference.Breaking) > 0:
		all := append(difference.Breaking, difference.Other...)
		c.fail(payments.KindUnusable, "%s: %s.", name, shortList(all)).Advice = advice
	case len(difference.Other) > 0:
		c.warn("%s: %s.", name, shortList(difference.Other)).Advice = advice
	}
}

// missingOperation adds that an operation is not where it is called. found is where the document has it, or empty, and
// profile the one that may map it.
func (c *check) missingOperation(op *contract.Operation, name, found, profile string) {
	mapping := shell.Hint("payctl profile set -- PROFILE OPERATION TARGET",
		shell.Values{"PROFILE": profile, "OPERATION": "operations." + op.ID, "TARGET": cmp.Or(found, "METHOD /PATH")})
	isMappable := op.Origin == contract.Assumed && op.Access == contract.Bearer
	switch {
	case found != "" && isMappable:
		c.fail(payments.KindUnusable, "%s has moved to %s.", name, found).Fix = mapping
	case isMappable:
		c.warn("%s is not in the service's document; the commands that use it will not work.", name).
			Fix = mapping
	default:
		c.fail(payments.KindUnusable, "%s is not in the service's document.", name).Fix = "payctl profile show"
	}
}

// shortList joins the first differences of an operation: one breaking change often causes many.
func shortList(all []string) string {
	const limit = 3
	if more := len(all) - limit; more > 0 {
		return strings.Join(all[:limit], "; ") + fmt.Sprintf("; and %d more", more)
	}
	return strings.Join(all, "; ")
}
