package server

import (
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (x *exchange) handleGetHealth() error {
	x.w.Header()["Cache-Control"] = noStore
	return x.reply(payments.Health{Status: "ok"}, nil)
}

// handleGetReadiness fails with the problem of a service that cannot reach its data, or that stops.
func (x *exchange) handleGetReadiness() error {
	x.w.Header()["Cache-Control"] = noStore
	if ready := x.server.config.Ready; ready != nil {
		if err := ready(x.ctx); err != nil {
			return err
		}
	}
	if x.server.draining.Load() {
		x.sendProblem(stoppingProblem()) // which is no failure to log
		return nil
	}
	return x.reply(payments.Health{Status: "ok"}, x.ctx.Err())
}

func (x *exchange) handleGetProblemType() error {
	kind := payments.Kind(x.r.PathValue("problemType"))
	description := payments.Describe(kind)
	if description.Type != string(kind) {
		return payments.NotFound("problem type", string(kind))
	}
	x.w.Header()["Cache-Control"] = noCache
	description.Type = x.baseURL() + x.r.URL.EscapedPath()
	return x.reply(description, nil)
}

func (x *exchange) handleGetOpenAPIDocumentYAML() error {
	x.w.Header()["Cache-Control"] = noCache
	return x.send(http.StatusOK, []string{mediaYAML}, x.document(contract.YAML))
}

func (x *exchange) handleGetOpenAPIDocumentJSON() error {
	x.w.Header()["Cache-Control"] = noCache
	return x.send(http.StatusOK, jsonHeader, x.document(contract.JSON))
}

func (x *exchange) handleGetOpenAPI31DocumentYAML() error {
	x.w.Header()["Cache-Control"] = noCache
	return x.send(http.StatusOK, []string{mediaYAML}, x.document(contract.YAML31))
}

// document returns the OpenAPI document of this service by that of the contract.
func (x *exchange) document(contracts []byte) []byte {
	if x.server.config.DuplicateReferences {
		return contract.WithoutUniqueMembers(contracts)
	}
	return contracts
}
