package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// play goes through a whole story as one client and returns every byte that came back, but for what is exempt: token
// values, the header Date, and the host in URLs.
func play(t testing.TB, a *api, client string) string {
	a = a.as(client)
	var all strings.Builder
	do := func(method, path, body string, headers ...string) *answer {
		t.Helper()
		answer := a.do(method, path, body, headers...)
		fmt.Fprintf(&all, "%s %s → %d\n", method, path, answer.status)
		for _, name := range slices.Sorted(maps.Keys(answer.header)) {
			if name != "Date" {
				fmt.Fprintf(&all, "%s: %q\n", name, answer.header[name])
			}
		}
		all.WriteString(strings.ReplaceAll(answer.body, a.URL, "http://host") + "\n")
		return answer
	}
	account := do("POST", accountsPath, adaBody, "Idempotency-Key", "a").member("id").(string)
	do("POST", accountsPath, adaBody, "Idempotency-Key", "a")
	do("GET", contract.Expand(contract.GetKYCStatus.Path, account), "")
	do("POST", advancePath, `{"duration":"1m"}`)
	contact := do("POST", contactsPath, contactBody(t, "base", "USDC")).member("id").(string)
	for _, amount := range []string{"10.00", "0.01", "12.50"} {
		do("POST", autoPath, `{"destinationSavedContactId":"`+contact+`","route":"ach:USD->base:USDC","amount":"`+amount+`"}`)
		do("POST", autoPath, `{}`)
		do("POST", advancePath, `{"duration":"10s"}`)
	}
	do("GET", "/transfers/v1", "")
	do("GET", "/nowhere", "")
	do("GET", accountsPath, "", "Authorization", "Bearer nobody")
	do("GET", "/sandbox/snapshot/v1", "")
	do("POST", "/sandbox/reset/v1", "")
	do("POST", accountsPath, adaBody)
	do("POST", advancePath, `{"duration":"P2D"}`)
	do("GET", accountsPath, "")
	return all.String()
}

func TestSeededRunsAreIdentical(t *testing.T) {
	t.Parallel()
	clients := []string{"ada", "bob", "eve", "mallory"}
	seeded := func(seed uint64) *api { return run(t, refserver.Config{Seed: &seed}) }
	first := map[string]string{}
	one := seeded(42)
	for _, client := range clients {
		first[client] = play(t, one, client)
		require.NotEmpty(t, first[client])
	}
	backwards := seeded(42)
	for _, client := range slices.Backward(clients) {
		require.Equal(t, first[client], play(t, backwards, client))
	}
	beside := seeded(42)
	var all sync.WaitGroup
	for _, client := range clients {
		all.Go(func() {
			if second := play(t, beside, client); second != first[client] {
				t.Errorf("%s: in parallel the bytes are others:\n%s", client, second)
			}
		})
	}
	all.Wait()
	kept := run(t, refserver.Config{Seed: new(uint64(42)), Data: t.TempDir()})
	for _, client := range clients {
		require.Equal(t, first[client], play(t, kept, client), "in a folder the bytes are others")
	}
	require.NotEqual(t, first["ada"], play(t, seeded(43), "ada"), "another seed is another run")
	require.NotEqual(t, first["ada"], first["bob"])
}

// Resets and restores over HTTP: the responses name the new instance at once.
func TestResetAndRestoreOverHTTP(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	id := a.approved()
	snapshot := a.do("GET", "/sandbox/snapshot/v1", "")
	require.Equal(t, "no-store", snapshot.header.Get("Cache-Control"))
	reset := a.do("POST", "/sandbox/reset/v1", "")
	require.Equal(t, reset.member("instance"), reset.header.Get("Payctl-World"))
	require.NotEqual(t, snapshot.header.Get("Payctl-World"), reset.header.Get("Payctl-World"))
	require.Equal(t, http.StatusNotFound, a.do("GET", "/accounts/"+id+"/v1", "").status)

	require.Less(t, len(snapshot.body), 1<<20)
	padded := strings.Replace(snapshot.body, "{", "{"+strings.Repeat(" ", 2<<20), 1)
	restored := a.do("PUT", "/sandbox/snapshot/v1", padded)
	require.Equal(t, http.StatusOK, restored.status, "a snapshot may be larger than other bodies")
	require.Equal(t, restored.member("instance"), restored.header.Get("Payctl-World"))
	require.NotEqual(t, snapshot.header.Get("Payctl-World"), restored.header.Get("Payctl-World"))
	require.Equal(t, http.StatusOK, a.do("GET", "/accounts/"+id+"/v1", "").status)
	other := a.as("bob").do("PUT", "/sandbox/snapshot/v1", snapshot.body)
	require.Equal(t, http.StatusOK, other.status, "another client's world takes it too")
	require.Equal(t, http.StatusBadRequest, a.do("PUT", "/sandbox/snapshot/v1", strings.Replace(snapshot.body, "Lovelace", "Hopper", 1)).status)
	require.Equal(t, paytest.ClientID, a.do("GET", tokenPath, "").member("clientId"))
}
