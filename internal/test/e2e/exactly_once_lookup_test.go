package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
)

// TestPaidBeforeARestore restores a snapshot of a world in which everything is paid, a day later. The journal's entries
// are of the world before; the transfers are looked up.
func TestPaidBeforeARestore(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(3)
		m, snapshot := s.machine, filepath.Join(s.t.TempDir(), "world.json")
		withKey := []string{
			"transfer", "auto", "--contact", s.contact, "--route", "base:USDC->sepa:EUR", "--amount", "5",
			"--idempotency-key", "k", "--jq", ".id",
		}
		file := batch(s.file(rows...))
		paid := m.must(s.auto("r")...)
		paidWithKey := m.must(withKey...)
		s.requireOnce(m.run(file...), rows, "r", "")
		s.pass(aDay, false)
		m.must("sandbox", "snapshot", snapshot)
		m.must("sandbox", "restore", snapshot, "--yes")
		require.Equal(s.t, paid, m.must(s.auto("r")...))
		require.Equal(s.t, paidWithKey, m.must(withKey...))
		s.requireOnce(m.run(file...), rows, "r", "")
	})
}

// TestReferencesThatDifferInCase pays a reference at a service whose list shows transfers with another one, too. One
// that differs in case is neither the same payment, nor certainly another one.
func TestReferencesThatDifferInCase(t *testing.T) {
	for name, answer := range map[string]func(asked, has string) bool{
		"a list that ignores the filter": func(string, string) bool { return true },
		"a list that ignores case":       strings.EqualFold,
	} {
		t.Run(name, func(t *testing.T) {
			atEachKind(t, everyKind, func(s *site) {
				s.intercept(listWith(answer))
				first := s.machine.must(s.auto("Invoice-1")...)
				e := s.machine.run(s.auto("invoice-1")...)
				require.Equal(s.t, exitUnknown, e.code)
				require.Contains(s.t, e.stderr, `"invoice-1"`)
				require.Contains(s.t, e.stderr, `"Invoice-1"`)
				require.Contains(s.t, e.stderr, first)
				require.Len(s.t, s.transfers(), 1)
				// A batch as well, unless the service itself says that they are two.
				e = s.newMachine().run(batch(s.file("INVOICE-1", "invoice-2"))...)
				outcomes, ids := e.report(s.t)
				if s.kind.unique {
					require.Zero(s.t, e.code)
					require.Equal(s.t, ids["INVOICE-1"], s.ids()["INVOICE-1"])
				} else {
					require.Equal(s.t, exitUnknown, e.code)
					require.Equal(s.t, map[string]int{"created": 1, "unknown": 1}, outcomes)
					require.Contains(s.t, e.stdout, first)
				}
				require.Equal(s.t, ids["invoice-2"], s.ids()["invoice-2"])
			})
		})
	}
}

// listWith makes lists of transfers show those whose reference counts as an answer to the one that is asked for.
func listWith(answer func(asked, has string) bool) interceptor {
	return func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		query := r.URL.Query()
		asked := query.Get("reference")
		if !listsTransfers(r) || asked == "" {
			service.ServeHTTP(w, r)
			return
		}
		query.Del("reference")
		r.URL.RawQuery = query.Encode()
		r.Header.Del("Accept-Encoding")
		response := httptest.NewRecorder()
		service.ServeHTTP(response, r)
		var page map[string]any
		if err := json.Unmarshal(response.Body.Bytes(), &page); err != nil {
			panic(err)
		}
		shown := []any{}
		for _, transfer := range page["data"].([]any) {
			has, _ := transfer.(map[string]any)["reference"].(string)
			if answer(asked, has) {
				shown = append(shown, transfer)
			}
		}
		page["data"] = shown
		body, err := json.Marshal(page)
		if err != nil {
			panic(err)
		}
		respond(w, response, body)
	}
}

// TestAServiceThatChangesReferences pays two references at a service that writes all in capitals, and for which they
// are one. The second one is not taken for paid.
func TestAServiceThatChangesReferences(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		s.intercept(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
			if createsTransfer(r) {
				var body bytes.Buffer
				_, _ = body.ReadFrom(r.Body)
				changed := bytes.ReplaceAll(body.Bytes(), []byte(`"Invoice-`), []byte(`"INVOICE-`))
				changed = bytes.ReplaceAll(changed, []byte(`"invoice-`), []byte(`"INVOICE-`))
				r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(changed)), int64(len(changed))
			}
			service.ServeHTTP(w, r)
		})
		for _, reference := range []string{"Invoice-1", "invoice-1"} {
			require.Equal(s.t, exitUnknown, s.machine.run(s.auto(reference)...).code)
		}
		e := s.newMachine().run(batch(s.file("Invoice-2", "invoice-2"))...)
		require.Equal(s.t, exitUnknown, e.code)
		outcomes, _ := e.report(s.t)
		require.Equal(s.t, map[string]int{"unknown": 2}, outcomes)
	})
}

// TestAFewRowsPaidElsewhereLongAgo pays three references of a large file on another machine, as other payments. A day
// later, when the service has forgotten the keys, the file does not pay them again.
func TestAFewRowsPaidElsewhereLongAgo(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(largeFile)
		elsewhere, paid := s.newMachine(), map[string]string{}
		for _, reference := range []string{rows[101], rows[305], rows[707]} {
			paid[reference] = elsewhere.must(s.auto(reference)...)
		}
		s.pass(aDay, false)
		e := s.machine.run(batch(s.file(rows...), "--concurrency", "32")...)
		require.Equal(s.t, exitRefused, e.code)
		outcomes, ids := e.report(s.t)
		require.Equal(s.t, map[string]int{"created": len(rows) - len(paid), "refused": len(paid)}, outcomes)
		require.Equal(s.t, s.ids(), ids)
		require.Contains(s.t, e.stdout, "the reference belongs to the transfer "+paid[rows[305]])
		require.Equal(s.t, paid[rows[305]], s.newMachine().must(s.auto(rows[305])...))
	})
}

// largeFile is so many rows that looking up a share of them would be tempting.
const largeFile = 1010
