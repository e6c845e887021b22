package doctor

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
)

// mostDrift is how many differences of one operation are told.
const mostDrift = 3

// contract compares the service's own OpenAPI document, where it offers one, with the one that payctl was built for.
func (e *examination) contract(ctx context.Context) []Finding {
	if left := e.unreached(CheckContract); left != nil {
		return left
	}
	settings, _ := e.settings()
	c, err := e.plain()
	if err != nil {
		return e.unreached(CheckContract)
	}
	answer, err := c.Do(ctx, contract.GetOpenAPIDocumentJSON.Method, contract.GetOpenAPIDocumentJSON.Path, nil, nil, nil)
	if problem, isProblem := errors.AsType[*payments.Refusal](err); isProblem && problem.Status >= 400 && problem.Status < 500 {
		return one(skipped(CheckContract, "The service offers no OpenAPI document at %s.", contract.GetOpenAPIDocumentJSON.Path))
	}
	if err != nil {
		return one(warning(CheckContract, "The service's OpenAPI document could not be read: "+payments.Sentence(err.Error()), "try again later"))
	}
	if media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type")); media == "text/html" {
		return one(skipped(CheckContract, "The service offers no OpenAPI document at %s.", contract.GetOpenAPIDocumentJSON.Path))
	}
	theirs, err := parse(answer.Body)
	if err != nil {
		return one(warning(CheckContract, "What the service offers at "+contract.GetOpenAPIDocumentJSON.Path+" is no OpenAPI document.", "tell its operator"))
	}
	ours, err := parse(contract.JSON)
	if err != nil {
		return one(failed(CheckContract, payments.KindInternal, "The contract in this program cannot be read.", "install payctl anew"))
	}
	var findings []Finding
	compared := 0
	for _, op := range contract.Operations {
		if !reliedOn(op) {
			continue
		}
		compared++
		if f := drift(ours, theirs, op, settings.Operations[op.ID], settings.Profile); f.Result != "" {
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 {
		return one(ok(CheckContract, "The service's own document agrees with what payctl relies on (%d operations).", compared))
	}
	return findings
}

// reliedOn leaves out the sandbox, which only the reference service has, and what no command uses.
func reliedOn(op *contract.Operation) bool {
	return op.Access != contract.Open && !op.IsSandbox()
}

// drift tells in one finding how an operation differs; no result when it does not.
func drift(ours, theirs *document, op *contract.Operation, mapped, profile string) Finding {
	method, path := op.Method, op.Path
	if m, p, isMapped := strings.Cut(mapped, " "); isMapped {
		method, path = m, p
	}
	name := fmt.Sprintf("%s (%s %s)", op.ID, method, path)
	there := theirs.operation(method, path)
	if there == nil {
		return missing(theirs, op, name, profile)
	}
	d := &differences{ours: ours, theirs: theirs}
	d.operation(ours.operation(op.Method, op.Path), there, op)
	switch {
	case len(d.breaking) > 0:
		return failed(CheckContract, payments.KindUnusable, name+": "+listed(append(d.breaking, d.other...))+".", advice)
	case len(d.other) > 0:
		return warning(CheckContract, name+": "+listed(d.other)+".", advice)
	}
	return Finding{}
}

const advice = "use a version of payctl that knows this; until then payctl api makes any call"

// missing tells of an operation that is not where it is called.
func missing(theirs *document, op *contract.Operation, name, profile string) Finding {
	mappable := op.Origin == contract.Assumed && op.Access == contract.Bearer
	where := theirs.withID(op.ID)
	switch {
	case where != "" && mappable:
		return failed(CheckContract, payments.KindUnusable, fmt.Sprintf("%s is elsewhere: %s.", name, where),
			fmt.Sprintf("payctl profile set %s operations.%s %s", profile, op.ID, safefile.Quote(where)))
	case mappable:
		return warning(CheckContract, name+" is not in the service's document; the commands that use it will not work.",
			fmt.Sprintf("payctl profile set %s operations.%s 'METHOD /PATH'", profile, op.ID))
	}
	return failed(CheckContract, payments.KindUnusable, name+" is not in the service's document.", "payctl profile show")
}

func listed(all []string) string {
	if more := len(all) - mostDrift; more > 0 {
		return strings.Join(all[:mostDrift], "; ") + fmt.Sprintf("; and %d more", more)
	}
	return strings.Join(all, "; ")
}
