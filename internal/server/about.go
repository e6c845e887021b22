package server

import (
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

func (c *call) getHealth() error {
	c.w.Header()["Cache-Control"] = noStore
	return c.reply(payments.Health{Status: "ok"})
}

func (c *call) getProblemType() error {
	kind := payments.Kind(c.r.PathValue("problemType"))
	description := payments.Describe(kind)
	if description.Type != string(kind) {
		return payments.NotFound("problem type", string(kind))
	}
	c.w.Header()["Cache-Control"] = noCache
	description.Type = baseURL(c.r) + c.r.URL.EscapedPath()
	return c.reply(description)
}

func (c *call) getOpenAPIDocumentYAML() error {
	c.w.Header()["Cache-Control"] = noCache
	c.w.Header().Set("Content-Type", mediaYAML)
	return write(c.w, http.StatusOK, contract.YAML)
}

func (c *call) getOpenAPIDocumentJSON() error {
	c.w.Header()["Cache-Control"] = noCache
	c.w.Header().Set("Content-Type", mediaJSON)
	return write(c.w, http.StatusOK, contract.JSON)
}
