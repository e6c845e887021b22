package server

import (
	"cmp"
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
	return x.sendDocument([]string{mediaYAML}, contract.YAML)
}

func (x *exchange) handleGetOpenAPIDocumentJSON() error {
	return x.sendDocument(jsonHeader, contract.JSON)
}

func (x *exchange) handleGetOpenAPI31DocumentYAML() error {
	return x.sendDocument([]string{mediaYAML}, contract.YAML31)
}

// sendDocument sends the OpenAPI document of this service, which is that of the contract with the address at which the
// client reached it. Tools take the address from there.
func (x *exchange) sendDocument(mediaType []string, document []byte) error {
	x.w.Header()["Cache-Control"] = noCache
	if x.server.config.DuplicateReferences {
		document = contract.WithoutUniqueMembers(document)
	}
	return x.send(http.StatusOK, mediaType, contract.WithServer(document, cmp.Or(x.baseURL(), "/"))...)
}
