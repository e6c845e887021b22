package server

import (
	"maps"
	"net/http"
	"slices"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// A handler answers one operation. Its error becomes a problem document.
type handler func(*call) error

type endpoint struct {
	op     *contract.Operation
	handle handler
}

// methods are the endpoints of one path.
type methods map[string]endpoint

// allowed lists the methods that the path answers, for the Allow header (RFC 9110 section 10.2.1).
func (m methods) allowed() []string {
	all := slices.Collect(maps.Keys(m))
	if _, get := m[http.MethodGet]; get {
		all = append(all, http.MethodHead)
	}
	all = append(all, http.MethodOptions)
	slices.Sort(all)
	return all
}

func (s *server) dispatch(m methods) http.Handler {
	allowed := m.allowed()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet // net/http drops the body
		}
		at, ok := m[method]
		switch {
		case ok:
			c := &call{server: s, w: w, r: r, op: at.op}
			c.serve(at.handle)
		case method == http.MethodOptions:
			s.options(w, r, allowed)
		default:
			refusal := payments.Refuse(payments.KindMethodNotAllowed, "%s has no method %s.", r.URL.Path, r.Method)
			refusal.Allow = allowed
			s.fail(w, r, refusal)
		}
	})
}

// options answers what a path, or the whole service, can do (RFC 9110 section 9.3.7, RFC 5789 section 3.1).
func (s *server) options(w http.ResponseWriter, r *http.Request, allowed []string) {
	header := w.Header()
	setAllow(header, allowed)
	if r.RequestURI != "*" && slices.Contains(allowed, http.MethodPatch) {
		header.Set("Accept-Patch", mediaJSON)
	}
	header.Set(headerRequestID, s.nameRequest(r))
	w.WriteHeader(http.StatusNoContent)
}

// handlers says which function answers which operation.
var handlers = map[*contract.Operation]handler{
	&contract.CreateAccessToken:      (*call).createAccessToken,
	&contract.DescribeAccessToken:    (*call).describeAccessToken,
	&contract.RevokeAccessToken:      (*call).revokeAccessToken,
	&contract.CreateAccount:          (*call).createAccount,
	&contract.ListAccounts:           (*call).listAccounts,
	&contract.GetAccount:             (*call).getAccount,
	&contract.GetKYCStatus:           (*call).getKYCStatus,
	&contract.SubmitKYC:              (*call).submitKYC,
	&contract.CreateSavedContact:     (*call).createSavedContact,
	&contract.ListSavedContacts:      (*call).listSavedContacts,
	&contract.GetSavedContact:        (*call).getSavedContact,
	&contract.DeleteSavedContact:     (*call).deleteSavedContact,
	&contract.SelectRoutes:           (*call).selectRoutes,
	&contract.CreateAutoTransfer:     (*call).createAutoTransfer,
	&contract.ListTransfers:          (*call).listTransfers,
	&contract.GetTransfer:            (*call).getTransfer,
	&contract.CancelTransfer:         (*call).cancelTransfer,
	&contract.ListEvents:             (*call).listEvents,
	&contract.GetHealth:              (*call).getHealth,
	&contract.GetProblemType:         (*call).getProblemType,
	&contract.GetOpenAPIDocumentYAML: (*call).getOpenAPIDocumentYAML,
	&contract.GetOpenAPIDocumentJSON: (*call).getOpenAPIDocumentJSON,
}
