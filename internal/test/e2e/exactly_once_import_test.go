package e2e

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/test/testkit"
)

// An importing is a command that imports a file, at a site.
type importing struct {
	*site

	noun, path string // such as accounts, and the path of their requests
	file       string
	rows       []string // external ids
}

// imports are the commands that import.
var imports = map[string]func(*site) *importing{
	"accounts": func(s *site) *importing {
		im := &importing{site: s, noun: "accounts", path: "/accounts/v1", rows: references(12)}
		im.write("external_id,type,first_name,last_name,email,country", "individual,A,B,a@example.com,GB")
		return im
	},
	"contacts": func(s *site) *importing {
		im := &importing{site: s, noun: "contacts", path: "/contacts/saved/v1", rows: references(12)}
		im.write("external_id,account,label,holder_name,holder_type,rail,currency,iban",
			s.account+",L,N,individual,sepa,EUR,DE89370400440532013000")
		return im
	},
}

// write writes the file: a header, and a row for each external id.
func (im *importing) write(header, row string) {
	var b strings.Builder
	b.WriteString(header + "\n")
	for _, externalID := range im.rows {
		b.WriteString(externalID + "," + row + "\n")
	}
	im.file = filepath.Join(im.t.TempDir(), "rows.csv")
	require.NoError(im.t, os.WriteFile(im.file, []byte(b.String()), 0o600))
}

func (im *importing) line(more ...string) []string {
	return append([]string{im.noun, "import", im.file, "-o", "json"}, more...)
}

// creates reports whether a request creates one.
func (im *importing) creates(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == im.path
}

// ids returns the identifiers at the service by external id, each of which has exactly one.
func (im *importing) ids() map[string]string {
	im.t.Helper()
	direct := machine{im.t, append(append([]string{}, im.machine.env...), "PAYCTL_BASE_URL="+im.service)}
	var all []struct{ ID, ExternalID string }
	text := direct.must(im.noun, "list", "--all", "-o", "json")
	require.NoError(im.t, json.Unmarshal([]byte(text), &all, json.MatchCaseInsensitiveNames(true)))
	ids := map[string]string{}
	for _, one := range all {
		if one.ExternalID != "" {
			require.Empty(im.t, ids[one.ExternalID], "%s was created twice", one.ExternalID)
			ids[one.ExternalID] = one.ID
		}
	}
	return ids
}

// requireImported requires that a report shows every row as existing, with what the service has.
func (im *importing) requireImported(e ended) {
	im.t.Helper()
	require.Zero(im.t, e.code)
	var rows []struct {
		ExternalID string `json:"external_id"`
		Outcome    string `json:"outcome"`
		ID         string `json:"id"`
	}
	require.NoError(im.t, json.Unmarshal([]byte(e.stdout), &rows))
	ids := map[string]string{}
	for _, row := range rows {
		require.Contains(im.t, []string{"created", "existed"}, row.Outcome)
		ids[row.ExternalID] = row.ID
	}
	require.Len(im.t, ids, len(im.rows))
	require.Equal(im.t, im.ids(), ids)
}

// unknown are the external ids of the rows whose outcome a report does not know.
func (im *importing) unknown(e ended) (names []string) {
	im.t.Helper()
	var rows []struct {
		ExternalID string `json:"external_id"`
		Outcome    string `json:"outcome"`
	}
	require.NoError(im.t, json.Unmarshal([]byte(e.stdout), &rows))
	for _, row := range rows {
		if row.Outcome == "unknown" {
			names = append(names, row.ExternalID)
		}
	}
	return names
}

// dismiss decides, as a person who knows it, that writes did not happen.
func (m machine) dismiss(names []string) {
	m.t.Helper()
	require.NotEmpty(m.t, names)
	m.must(append([]string{"transfer", "resolve", "--dismiss", "--yes"}, names...)...)
}

// killed runs the import on a machine, loses some requests and responses at random, and kills the program when one of its
// requests arrives or has had its effect. It returns when the service has answered all that was sent.
func (im *importing) killed(m machine, random *rand.Rand) {
	im.t.Helper()
	at, before := int64(1+random.IntN(len(im.rows))), random.IntN(2) == 0
	losses := make([]loss, 10*len(im.rows))
	for i := range losses {
		losses[i] = []loss{nothing, nothing, nothing, theRequest, theResponse}[random.IntN(5)]
	}
	var arrived atomic.Int64
	var pending sync.WaitGroup
	var program atomic.Pointer[run]
	started := make(chan struct{})
	im.intercept(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		pending.Add(1)
		defer pending.Done()
		if !im.creates(r) {
			service.ServeHTTP(w, r)
			return
		}
		<-started
		number := arrived.Add(1)
		if number == at && before {
			_ = program.Load().cmd.Process.Kill()
		}
		lost := losses[int(number)%len(losses)]
		if lost == theRequest {
			panic(http.ErrAbortHandler)
		}
		service.ServeHTTP(w, r)
		if number == at {
			_ = program.Load().cmd.Process.Kill()
		}
		if lost == theResponse {
			panic(http.ErrAbortHandler)
		}
	})
	program.Store(m.start(im.line("--retries", "1")...))
	close(started)
	program.Load().wait()
	im.between.Store(nil)
	pending.Wait()
}

// TestImportsThatAreKilled runs the same file on two machines again and again, while programs are killed and messages are
// lost. Each row is created once, at every kind of service.
func TestImportsThatAreKilled(t *testing.T) {
	t.Parallel()
	for noun, newImport := range imports {
		t.Run(noun, func(t *testing.T) {
			atEachKind(t, func(k kind) bool { return !k.unique }, func(s *site) { // references are not used
				random := testkit.Random(s.t)
				im := newImport(s)
				machines := []machine{s.machine, s.newMachine()}
				for round := range 4 {
					im.killed(machines[round%2], random)
				}
				for _, m := range machines {
					e := m.run(im.line()...)
					if e.code == exitUnknown { // a request was lost, and no time and no lookup shows that it never arrives
						require.False(s.t, s.kind.keys)
						s.pass(16*time.Minute, false)
						require.Equal(s.t, exitUnknown, m.run(im.line()...).code)
						m.dismiss(im.unknown(e))
						e = m.run(im.line()...)
					}
					im.requireImported(e)
				}
			})
		})
	}
}

// TestAnImportOnTwoMachinesAtOnce runs the same file on two machines at the same moment. A service that honours keys has
// each row once.
func TestAnImportOnTwoMachinesAtOnce(t *testing.T) {
	t.Parallel()
	for noun, newImport := range imports {
		t.Run(noun, func(t *testing.T) {
			atEachKind(t, func(k kind) bool { return k.keys && !k.unique }, func(s *site) {
				im := newImport(s)
				one, other := s.machine.start(im.line()...), s.newMachine().start(im.line()...)
				for _, program := range []*run{one, other} {
					im.requireImported(program.wait())
				}
			})
		})
	}
}

// TestAnImportAtAServiceThatIgnoresFilters runs a file on two machines, at a service that shows everything whatever
// external id is asked for.
func TestAnImportAtAServiceThatIgnoresFilters(t *testing.T) {
	t.Parallel()
	for noun, newImport := range imports {
		t.Run(noun, func(t *testing.T) {
			atEachKind(t, func(k kind) bool { return !k.keys && !k.unique }, func(s *site) {
				im := newImport(s)
				s.intercept(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
					query := r.URL.Query()
					query.Del("externalId")
					r.URL.RawQuery = query.Encode()
					service.ServeHTTP(w, r)
				})
				im.requireImported(s.machine.run(im.line()...))
				e := s.newMachine().run(im.line()...)
				im.requireImported(e)
				require.Contains(s.t, e.stderr, fmt.Sprintf("0 created, %d existed", len(im.rows)))
			})
		})
	}
}
