package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/dialect"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/contract/verify"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// contract lists which operations the service seems to have, by its own OpenAPI document where it offers one, or else by
// safe reads, and what cannot work without the others.
func (e *examination) contract(ctx context.Context) findings {
	if _, skipped := e.reach(); skipped != nil {
		return skipped
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	terms, err := dialect.New(client.DifferencesOf(resolved))
	if err != nil {
		return skip("The profile does not say where the service has its operations: %v.", err)
	}
	document, _, err := service.Document(ctx, "")
	if err != nil {
		return warn("try again later", "The service's OpenAPI document could not be read: %s", payments.Sentence(err.Error()))
	}
	if theirs, err := diff.Parse(document); err == nil {
		return described(theirs, terms, resolved.Profile)
	}
	return e.seen(ctx, service, terms, resolved.Profile, resolved.Token)
}

// described are the operations of a service's document, and how they differ.
func described(theirs *diff.Document, terms *dialect.Dialect, profile string) (all findings) {
	var has []string
	for _, op := range diff.Compare(theirs, terms) {
		if op.IsMissing {
			all = append(all, missing(op.Operation, terms, op.Elsewhere, profile)...)
			continue
		}
		has = append(has, op.ID)
		var texts []string
		isBroken := false
		for _, d := range op.Found {
			if !d.IsHidden {
				texts, isBroken = append(texts, d.Text), isBroken || d.Breaks
			}
		}
		text := fmt.Sprintf("%s (%s): %s. It concerns payctl %s.", op.ID, op.At, verify.Shortened(texts), diff.Commands[op.ID])
		const advice = "run: payctl contract diff"
		switch {
		case isBroken:
			all = append(all, fail(payments.KindUnusable, advice, "%s", text)...)
		case len(texts) > 0:
			all = append(all, warn(advice, "%s", text)...)
		}
	}
	if len(all) == 0 {
		return ok("The service's own document agrees with what payctl relies on (%d operations).", len(has))
	}
	return append(listed("By its own document", has), all...)
}

// seen are the operations that a service has by how it answers reads, of which the ids are those of nothing. With a token
// it is one that the user has; without, a service that answers everything alike is not understood.
func (e *examination) seen(ctx context.Context, service *client.Client, terms *dialect.Dialect, profile, token string) (all findings) {
	if login, err := e.login(); token == "" && err == nil && e.Now().Before(login.ExpiresAt) {
		token = login.AccessToken
	}
	ask := func(call verify.Call) (status int) {
		if token != "" {
			call.Header = map[string]string{"Authorization": "Bearer " + token}
		}
		answer, _ := service.Observe(ctx, call)
		return answer.Status
	}
	nothing := contract.Operation{ID: "none", Method: "GET", Path: "/payctl-doctor-looks-for-nothing"}
	if !payments.IsLacking(ask(verify.Call{Op: &nothing})) {
		return skip("Which operations the service has is not known: it has no OpenAPI document, and answers other paths alike.")
	}
	var has []string
	for _, op := range contract.Operations {
		at, _ := terms.Route(op)
		if op.Access != contract.Bearer || op.IsSandbox() || !dialect.IsRead(op) || strings.Contains(at.Path, "{") {
			continue // of a path with an id, a 404 would be that of the id
		}
		call := verify.Call{Op: op}
		if op.Body != nil {
			call.Body = struct{}{}
		}
		switch status := ask(call); {
		case payments.IsLacking(status):
			all = append(all, missing(op, terms, "", profile)...)
		case status != 0:
			has = append(has, op.ID)
		}
	}
	return append(listed("By how it answers reads", has), all...)
}

func listed(how string, has []string) findings {
	return ok("%s, the service has: %s.", how, cmp.Or(strings.Join(has, ", "), "none of the operations"))
}

// missing is that an operation is not where it is called. Found is where the service seems to have it, or empty, and
// profile the one that may map it.
func missing(op *contract.Operation, terms *dialect.Dialect, found, profile string) findings {
	at, _ := terms.Route(op)
	name := fmt.Sprintf("%s (%s %s)", op.ID, at.Method, at.Path)
	mapping := shell.Hint("run: payctl profile set -- PROFILE OPERATION TARGET",
		shell.Values{"PROFILE": profile, "OPERATION": "operations." + op.ID, "TARGET": cmp.Or(found, "METHOD /PATH")})
	without := "Without it these cannot work: payctl " + diff.Commands[op.ID] + "."
	switch {
	case found != "":
		return fail(payments.KindUnusable, mapping, "%s seems to be at %s. %s", name, found, without)
	case op.Origin == contract.Assumed:
		return warn(mapping, "The service does not seem to have %s. %s", name, without)
	}
	return fail(payments.KindUnusable, "run: payctl profile show", "The service does not seem to have %s, which is published. %s", name, without)
}
