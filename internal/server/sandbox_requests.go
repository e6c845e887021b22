package server

import "net/http"

func (c *call) listSandboxRequests() error {
	page, err := c.session.Sandbox.ListSandboxRequests(c.r.Context(), pageQuery(c.r.URL.Query()))
	if err != nil {
		return err
	}
	return c.reply(page)
}

func (c *call) clearSandboxRequests() error {
	if err := c.session.Sandbox.ClearSandboxRequests(c.r.Context()); err != nil {
		return err
	}
	c.w.WriteHeader(http.StatusNoContent)
	return nil
}
