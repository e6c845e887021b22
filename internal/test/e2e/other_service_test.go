package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/test/testkit"
)

// An otherService is a payments service that was not written for payctl. It has other paths, PUT to create objects,
// snake_case, other words for states, plain JSON errors and another name for the cursor. It has neither idempotency
// keys nor unique references.
type otherService struct {
	mu   sync.Mutex
	rows map[string][]map[string]any // by collection, oldest first
}

// other starts an otherService: `other NAME` sets NAME to its URL.
func other(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: other NAME")
	}
	document, err := os.ReadFile("testdata/other_service.json")
	ts.Check(err)
	serveCalls(ts, args[0], (&otherService{rows: map[string][]map[string]any{}}).routes(document), "")
}

func (s *otherService) routes(document []byte) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v3/api-docs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(document)
	})
	mux.HandleFunc("POST /identity/auth/tokens/current/v1", func(w http.ResponseWriter, r *http.Request) {
		if _, secret, _ := r.BasicAuth(); secret == "" {
			s.answer(w, 401, failure("unauthorized"))
			return
		}
		s.answer(w, 200, map[string]any{"access_token": "token-of-the-other-service"})
	})
	mux.HandleFunc("PATCH /transfers/info/v1", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"selectedSource":{},"selectedDestination":{},"availableSources":[],"availableDestinations":[],`+
			`"transactionsInfo":[],"routes":[{"routeKey":"sepa:EUR->sepa:EUR","flowType":"transfer","provider":"north"}]}`)
	})
	create := func(path, collection, id string, required ...string) {
		mux.HandleFunc("PUT "+path, func(w http.ResponseWriter, r *http.Request) {
			var row map[string]any
			_ = json.NewDecoder(r.Body).Decode(&row) // an invalid body has no members
			for _, name := range required {
				if row[name] == nil {
					s.answer(w, 400, failure(name+" is missing"))
					return
				}
			}
			s.mu.Lock()
			row[id] = fmt.Sprintf("%s-%d", collection, len(s.rows[collection])+1)
			row["created_at"] = "2026-01-01T00:00:00+00:00"
			if amount, ok := row["amount"].(string); ok {
				row["amount"], row["status"] = json.Number(amount), "PAID"
			}
			s.rows[collection] = append(s.rows[collection], row)
			s.mu.Unlock()
			if row["client_reference"] == "held" {
				<-r.Context().Done() // the response is never sent
				return
			}
			s.answer(w, 200, row)
		})
	}
	create("/v2/customers", "customers", "customer_id", "type", "first_name", "last_name", "email", "country")
	create("/contacts/saved/v1", "beneficiaries", "beneficiary_id", "holder_name", "payment_rail", "currency", "iban")
	create("/transfers/auto/v1", "payments", "transferId", "destinationSavedContactId", "route", "amount")
	mux.HandleFunc("GET /v2/customers/{id}/verification", func(w http.ResponseWriter, r *http.Request) {
		s.answer(w, 200, map[string]any{"customer_id": r.PathValue("id"), "status": "VERIFIED"})
	})
	for _, c := range [][]string{
		{"customers", "customer_id", "/v2/customers", ""}, {"beneficiaries", "beneficiary_id", "/contacts/saved", "/v1"},
		{"payments", "transferId", "/v2/payments", ""},
	} {
		collection, id := c[0], c[1]
		mux.HandleFunc("GET "+c[2]+c[3], func(w http.ResponseWriter, r *http.Request) { s.list(w, r, collection, id) })
		mux.HandleFunc("GET "+c[2]+"/{id}"+c[3], func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			i := slices.IndexFunc(s.rows[collection], func(row map[string]any) bool { return row[id] == r.PathValue("id") })
			if i < 0 {
				s.answer(w, 404, failure("no such thing"))
				return
			}
			s.answer(w, 200, s.rows[collection][i])
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isOpen := r.URL.Path == "/v3/api-docs" || strings.HasPrefix(r.URL.Path, "/identity/")
		if !isOpen && r.Header.Get("Authorization") != "Bearer token-of-the-other-service" {
			s.answer(w, 401, failure("unauthorized"))
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// list answers with a page of two rows, newest first.
func (s *otherService) list(w http.ResponseWriter, r *http.Request, collection, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rows := slices.Clone(s.rows[collection])
	slices.Reverse(rows)
	if reference := r.URL.Query().Get("client_reference"); reference != "" {
		rows = slices.DeleteFunc(rows, func(row map[string]any) bool { return row["client_reference"] != reference })
	}
	if after := r.URL.Query().Get("page_token"); after != "" {
		rows = rows[1+slices.IndexFunc(rows, func(row map[string]any) bool { return row[id] == after }):]
	}
	page := map[string]any{"items": []any{}, "next_page_token": nil}
	if len(rows) > 2 {
		page["next_page_token"], rows = rows[1][id], rows[:2]
	}
	if len(rows) > 0 {
		page["items"] = rows
	}
	s.answer(w, 200, page)
}

func (s *otherService) answer(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

func failure(text string) any { return map[string]any{"error": map[string]any{"message": text}} }

// atImitated are the scenarios that pass unchanged with an imitated service. They neither call paths of the contract
// nor show raw requests and responses. The first ones run with -short.
var atImitated = strings.Fields(`accounts transfer batch kyc_list lists
	batch_contacts batch_mapped complete contacts errors external_ids import kyc names next ping report required resolve
	routes update waits`)

const inShort = 5

// TestScenariosAtAnImitatedService runs scenarios with services that differ as the profiles in testdata/imitated say.
func TestScenariosAtAnImitatedService(t *testing.T) {
	t.Parallel()
	profiles, err := filepath.Glob("testdata/imitated/*.yaml")
	require.NoError(t, err)
	require.Len(t, profiles, 2)
	for _, path := range profiles {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal(text, &document))
			service, mistakes := servicemap.Parse(document.Content[0])
			require.Empty(t, mistakes)
			config := quick
			config.As = service
			url := serveAs(t, config)
			profile := "profiles:\n  local:\n    base_url: " + url + "\n    " +
				strings.ReplaceAll(string(text), "\n", "\n    ")
			params := scripts("", url)
			for i, scenario := range atImitated {
				isTooSlow := scenario == "complete" && testkit.Raced // a completion gives up after a second
				if (i < inShort || !testing.Short()) && !isTooSlow {
					params.Files = append(params.Files, filepath.Join("testdata", scenario+".txtar"))
				}
			}
			setup := params.Setup
			params.Setup = func(env *testscript.Env) error {
				folder := filepath.Join(env.WorkDir, "config")
				return errors.Join(setup(env), os.Mkdir(folder, 0o700),
					os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(profile), 0o600))
			}
			testscript.Run(t, params)
		})
	}
}

// drifted serves an OpenAPI document that has changed since payctl's, with a clock an hour behind: `drifted NAME` sets
// NAME to its URL.
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
