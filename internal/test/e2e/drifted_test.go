package e2e

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/payctl/payctl/internal/contract"
)

// drifted serves an OpenAPI document that has moved on from payctl's, an hour late: `drifted NAME` puts its URL into
// the environment.
func drifted(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: drifted NAME")
	}
	var document map[string]any
	ts.Check(json.Unmarshal(contract.JSON, &document))
	paths := document["paths"].(map[string]any)

	paths["/kyc/{accountId}/v9"] = paths["/accounts/{accountId}/kyc/v1"]
	delete(paths, "/accounts/{accountId}/kyc/v1")
	delete(paths, "/transfers/info/v1")
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	account := schemas["NewAccount"].(map[string]any)
	account["required"] = []any{"shoeSize"}
	delete(schemas["Transfer"].(map[string]any)["properties"].(map[string]any), "id")
	state := schemas["TransferState"].(map[string]any)
	state["enum"] = append(state["enum"].([]any), "\x1b[31mlost")
	text, err := json.Marshal(document)
	ts.Check(err)
	serveCalls(ts, args[0], http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != contract.GetOpenAPIDocumentJSON.Path {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(text)
	}), "")
}
