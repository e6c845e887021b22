package refserver_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/test/testkit"
)

// identifiers matches what differs between services: identifiers, entity tags and hashes.
var identifiers = regexp.MustCompile(`(acc|sct|trf|evt|wld|req)_[0-9A-Za-z]+|"[0-9a-v]{16}-|0x[0-9a-f]{64}`)

// A twin is one of two services that get the same requests. Its identifiers are named in order of appearance, so the
// names of both match.
type twin struct {
	any   func() *caller
	names map[string]string
	ids   map[string]string // by name
	saved string            // a snapshot
}

// name replaces the identifiers in a text with their names.
func (w *twin) name(text string) string {
	return identifiers.ReplaceAllStringFunc(text, func(id string) string {
		if w.names[id] == "" {
			kind := id[:3]
			if !strings.Contains(id, "_") {
				kind = "any"
			}
			name := fmt.Sprintf("<%s%d>", kind, len(w.names))
			w.names[id], w.ids[name] = name, id
		}
		return w.names[id]
	})
}

var named = regexp.MustCompile(`<...\d+>`)

// do sends a request that has names instead of identifiers, and returns what the client sees, also with names.
func (w *twin) do(t *testing.T, method, path, body, key string) string {
	t.Helper()
	real := func(text string) string {
		return named.ReplaceAllStringFunc(text, func(name string) string { return w.ids[name] })
	}
	body = real(body)
	if method+path == "PUT/sandbox/snapshot/v1" {
		body = w.saved
	}
	a, err := w.any().do(t.Context(), method, real(path), body, key)
	if err != nil {
		return "no answer" // a fault
	}
	if strings.HasPrefix(path, "/sandbox/snapshot/") && a.status == 200 {
		w.saved, a.body = string(a.body), nil
	}
	text := fmt.Sprint(a.status, " ", a.header.Get("Idempotency-Replayed"), " ", a.header.Get("Payctl-World"), " ",
		a.header.Get("ETag"), " ", a.header.Get("Location"), " ", string(a.body))
	return w.name(strings.ReplaceAll(text, w.url(a), ""))
}

// url returns the URL of the service in a response body. "\x00" means none.
func (*twin) url(a answer) string {
	at := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(string(a.body))
	if at == "" {
		return "\x00"
	}
	return at
}

// A client that spreads its requests over several servers sees the same as with one server in memory: states, clocks,
// faults, keys, events, pages, resets and snapshots.
func TestManyServersAreAsOne(t *testing.T) {
	t.Parallel()
	config := refserver.Config{Database: newDatabase(t)}
	clock := sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: sandbox.SeededStart}
	config.Clock, config.TokenLifetime = clock, 10_000*time.Hour
	alone := refserver.Config{Clock: clock, TokenLifetime: config.TokenLifetime}
	one := login(t, serve(t, alone), connections)
	many := serveMany(t, config, 3)
	// net/http would send a read twice if a fault cut a connection that was used before.
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: longestRequest}
	for _, c := range append(many, one) {
		c.http = fresh
	}
	both := []*twin{
		{any: func() *caller { return one }, names: map[string]string{}, ids: map[string]string{}},
		{any: many.any, names: map[string]string{}, ids: map[string]string{}},
	}
	random, requests := testkit.Random(t), 100
	if testing.Short() {
		requests = 40
	}
	var known []string // names of identifiers
	pick := func(kind string) string {
		var of []string
		for _, name := range known {
			if strings.HasPrefix(name, "<"+kind) {
				of = append(of, name)
			}
		}
		if len(of) == 0 {
			return kind + "none"
		}
		return of[random.IntN(len(of))]
	}
	some := func(of ...string) string { return of[random.IntN(len(of))] }
	do := func(method, path, body, key string) {
		expected := both[0].do(t, method, path, body, key)
		got := both[1].do(t, method, path, body, key)
		require.Equal(t, expected, got, "%s %s %s", method, path, body)
		known = slices.Sorted(maps.Keys(both[0].ids))
	}
	begin := func() { // with a contact that takes transfers
		do("POST", "/accounts/v1", person, "")
		do("POST", "/sandbox/clock/advance/v1", `{"duration":"3s"}`, "")
		do("POST", "/contacts/saved/v1", contactOf(pick("acc"), "Ada+transfer-polls-2"), "")
	}
	begin()
	for range requests {
		key := some("", "", fmt.Sprint("k", random.IntN(5)))
		switch random.IntN(19) {
		case 0, 1:
			local := some("ada@", "ada+kyc-polls-2@", "ada+kyc-rejected@")
			do("POST", "/accounts/v1", strings.Replace(person, "ada@", local, 1), key)
		case 2:
			label := some("Ada", "Ada+transfer-returned", "Ada+transfer-unfunded")
			do("POST", "/contacts/saved/v1", contactOf(pick("acc"), label), key)
		case 3, 4, 16, 17:
			do("POST", "/transfers/auto/v1", transferTo(pick("sct"), fmt.Sprint("r", random.IntN(8))), key)
		case 5:
			do("GET", "/accounts/"+pick("acc")+"/kyc/v1", "", "")
		case 6, 18:
			do("GET", "/transfers/"+pick("trf")+"/v1", "", "")
		case 7:
			do("POST", "/transfers/"+pick("trf")+"/cancel/v1", "", key)
		case 8:
			do("POST", "/sandbox/transfers/"+pick("trf")+"/deposit/v1", `{"amount":"100.00"}`, key)
		case 9:
			do("POST", "/sandbox/clock/advance/v1", `{"duration":"`+some("1ms", "600ms", "3s")+`"}`, key)
		case 10:
			do("GET", some("/accounts/v1?limit=100", "/transfers/v1?limit=3", "/contacts/saved/v1"), "", "")
		case 11:
			do("GET", "/events/v1?limit=100&after="+some("", pick("evt")), "", "")
		case 12:
			do("PUT", "/sandbox/faults/v1", `{"faults":[{"operation":"`+some("*", "listAccounts", "createAutoTransfer")+
				`","action":"`+some("drop", "reset", "malformed")+`","times":2}]}`, "")
		case 13, 14:
			do(some("GET", "GET", "DELETE"), "/sandbox/faults/v1", "", "")
		case 15:
			switch random.IntN(6) {
			case 0:
				do("POST", "/sandbox/reset/v1", "", "")
				begin()
			case 1:
				do("PUT", "/sandbox/snapshot/v1", "", "")
			default:
				do("GET", "/sandbox/snapshot/v1", "", "")
			}
		}
	}
	do("GET", "/events/v1?limit=100", "", "")
}
