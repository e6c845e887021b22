package server

import (
	"crypto/rand"
	"net/http"
	"slices"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// newPageKey returns the key of the page's tokens; nil where there is no page: beyond this machine, and without the
// sandbox.
func newPageKey(config Config) *pageTokenKey {
	if !config.Local || config.NoSandbox {
		return nil
	}
	key := &pageTokenKey{}
	_, _ = rand.Read(key[:]) // it never fails
	return key
}

// PageURL returns the address of a client's page, which also links to all others. It is empty without a page. Base is
// the URL of the service.
func (s *Server) PageURL(base, client string) string {
	if s.pageKey == nil {
		return ""
	}
	return base + "/#" + s.pageKey.Token(client, true)
}

// servePage answers a browser that asks for a file of the page. Programs that ask for / get a problem.
func (x *exchange) servePage() (served bool) {
	if x.server.pageKey == nil || x.r.Method != http.MethodGet && x.r.Method != http.MethodHead {
		return false
	}
	mediaType, content := pageFile(x.r.URL.Path)
	accept := x.r.Header.Get("Accept")
	if mediaType == "" || x.r.URL.Path == "/" && quality(accept, "text/html") <= quality(accept, mediaProblem) {
		return false
	}
	x.ofPage = true
	header := x.w.Header()
	header.Set("Content-Security-Policy", pagePolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header["Cache-Control"] = noCache
	_ = x.send(http.StatusOK, []string{mediaType}, content) // the browser may be gone
	return true
}

// pageOperations are the operations of the page. It reads, advances the clock, moves checks and transfers, and resets
// the world.
var pageOperations = []*contract.Operation{
	&contract.ListAccounts, &contract.GetAccount, &contract.GetKYCStatus, &contract.ListTransfers, &contract.GetTransfer,
	&contract.ListEvents, &contract.GetSandboxClock, &contract.ListSandboxRequests, &contract.ListSandboxPages,
	&contract.AdvanceSandboxClock, &contract.SetSandboxKYC, &contract.SetSandboxTransferState, &contract.ResetSandbox,
}

// openPageSession opens the session of a token of the page. Its requests have no faults and no limits, are not counted,
// and are not logged.
func (x *exchange) openPageSession() (is bool, err error) {
	if x.server.pageKey == nil {
		return false, nil
	}
	client, others, ok := x.server.pageKey.Read(x.token)
	if !ok {
		return false, nil
	}
	site, origin := x.r.Header.Get("Sec-Fetch-Site"), x.r.Header.Get("Origin")
	if site != "" && site != "same-origin" || origin != "" && origin != x.baseURL() ||
		!slices.Contains(pageOperations, x.op) {
		return true, invalidToken(payments.NewProblem(payments.ProblemUnauthenticated,
			"The token is for the service's own page, and for what it does."))
	}
	x.ofPage, x.allPages = true, others
	world, err := x.server.config.Identity.WorldOf(x.ctx, client)
	if err != nil {
		return true, err
	}
	x.session = Session{World: world, Instance: world.Instance(), Now: world.Now()}
	for _, op := range pageOperations {
		x.session.Scopes = append(x.session.Scopes, op.Scope)
	}
	return true, nil
}

// listSandboxPages answers with the page of the client, or with all pages if the token is for all.
func (x *exchange) listSandboxPages() error {
	found, err := x.session.World.ListSandboxPages(x.ctx)
	if err != nil {
		return err
	}
	switch {
	case x.server.pageKey == nil:
		found.Pages = found.Pages[:0]
	case !x.allPages:
		found.Pages = found.Pages[:1]
	}
	for i := range found.Pages {
		p := &found.Pages[i]
		p.URL = x.baseURL() + "/#" + x.server.pageKey.Token(p.ClientID, x.allPages)
	}
	return x.reply(found, nil)
}
