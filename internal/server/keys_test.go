package server_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// Of many concurrent requests with one key, or with one reference and different keys, exactly one creates a transfer.
// All get the same response.
func TestConcurrentRequestsHaveOneEffect(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"in memory": "", "in a folder": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{Data: data})
			a.approved()
			body := `{"destinationSavedContactId":"` + a.saved("base",
				"USDC") + `","route":"ach:USD->base:USDC","amount":"50.00"`
			for transfers, ask := range []func(i int) *answer{
				func(int) *answer { return a.do("POST", autoPath, body+`}`, "Idempotency-Key", "k") },
				func(i int) *answer {
					return a.do("POST", autoPath, body+`,"reference":"r"}`, "Idempotency-Key", strconv.Itoa(i))
				},
			} {
				answers := make([]*answer, 64)
				start := make(chan struct{})
				var all sync.WaitGroup
				for i := range answers {
					all.Go(func() {
						<-start
						answers[i] = ask(i)
					})
				}
				close(start)
				all.Wait()
				first := 0
				for _, answer := range answers {
					require.Less(t, answer.status, 300, answer)
					require.Equal(t, answers[0].body, answer.body, "byte for byte")
					if answer.status == http.StatusCreated && answer.header.Get("Idempotency-Replayed") == "" {
						first++
					}
				}
				require.Equal(t, 1, first)
				require.Len(t, a.do("GET", "/transfers/v1", "").member("data"), transfers+1)
			}
		})
	}
}

// FuzzIdempotencyKey tests the forms of the header. A model in package service tests requests with keys.
func TestIdempotencyKeys(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	create := func(body string, keys ...string) *answer {
		var headers []string
		for _, key := range keys {
			headers = append(headers, "Idempotency-Key", key)
		}
		return a.do("POST", accountsPath, body, headers...)
	}
	first := create(adaBody, "k-1")
	require.Equal(t, http.StatusCreated, first.status)
	require.Empty(t, first.header.Get("Idempotency-Replayed"))
	a.Advance(t, time.Minute) // this changes the account, but not the answer
	check := strings.TrimSuffix(first.header.Get("Location"), "v1") + "kyc/v1"
	tag := a.do("GET", check, "").header.Get("ETag")
	reordered := `{ "country":"GB", "email":"ad\u0061@example.com", "lastName":"Lovelace",` +
		`"firstName":"Ada","type":"individual" }`
	for _, again := range []*answer{create(adaBody, "k-1"), create(adaBody, `"k-1"`), create(reordered, "k-1")} {
		require.Equal(t, http.StatusCreated, again.status)
		require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
		require.Equal(t, first.body, again.body, "byte for byte")
		require.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
	}
	requireProblem(t, create(strings.Replace(adaBody, "Ada", "Eve", 1), "k-1"), payments.ProblemKeyReuse)
	for _, keys := range [][]string{{`"k`}, {"schlüssel"}, {strings.Repeat("k", 256)}, {"k-1", "k-1"}} {
		requireProblem(t, create(adaBody, keys...), payments.ProblemMalformed)
	}
	require.Equal(t, tag, a.do("GET", check, "").header.Get("ETag"), "replays changed nothing")
	requireProblem(t, create(`{}`, "k-2"), payments.ProblemValidation)
	require.Equal(t, http.StatusCreated, create(adaBody, "k-2").status, "a refusal does not bind the key")
	require.Equal(t, http.StatusCreated, a.as("other").do("POST", accountsPath, adaBody, "Idempotency-Key", "k-1").status)

	whose := `{"accountId":"` + good[payments.Account](first).ID + `",`
	contact := good[payments.SavedContact](a.do("POST", contactsPath,
		strings.Replace(contactBody(t, "base", "USDC"), "{", whose, 1))).ID
	cancel := func(id string) *answer {
		return a.do("POST", "/transfers/"+id+"/cancel/v1", "", "Idempotency-Key", "k-1")
	}
	one, other := a.newTransfer(contact), a.newTransfer(contact)
	require.Equal(t, http.StatusOK, cancel(one).status, "each operation has its own keys")
	require.Equal(t, "true", cancel(one).header.Get("Idempotency-Replayed"))
	requireProblem(t, cancel(other), payments.ProblemKeyReuse)
	require.Equal(t, "awaiting_funds", a.do("GET", "/transfers/"+other+"/v1", "").member("state"))
}

func TestPreferWait(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	path := "/accounts/" + good[payments.Account](a.do("POST", accountsPath, adaBody)).ID + "/kyc/v1"
	tag := a.do("GET", path, "").header.Get("ETag")
	for _, prefer := range []string{"wait=0", "wait=-1", "wait=x", "wait=", "wait=1e1", "respond-async"} {
		answer := a.do("GET", path, "", "If-None-Match", tag, "Prefer", prefer)
		require.Equal(t, http.StatusNotModified, answer.status, prefer)
		require.Empty(t, answer.header.Get("Preference-Applied"), prefer)
	}
	unconditional := a.do("GET", path, "", "Prefer", "wait=60")
	require.Equal(t, http.StatusOK, unconditional.status, "without a known state, there is nothing to wait for")
	require.Empty(t, unconditional.header.Get("Preference-Applied"))
	for prefer, applied := range map[string]string{
		`wait=30`: "wait=30", `respond-async, WAIT = "7"`: "wait=7", "wait=8; x=1": "wait=8", "respond-async; wait=9": "",
		"wait=600": "wait=60", "wait=99999999999999999999": "wait=60", "wait=5, wait=9": "wait=5",
	} {
		answer := a.do("GET", path, "", "If-None-Match", `"other"`, "Prefer", prefer)
		require.Equal(t, http.StatusOK, answer.status)
		require.Equal(t, applied, answer.header.Get("Preference-Applied"), prefer)
	}
	woken, feed := make(chan *answer, 2), eventsPath+"?after="+a.events("").Cursor
	go func() { woken <- a.do("GET", path, "", "If-None-Match", tag, "Prefer", "wait=60") }()
	go func() { woken <- a.do("GET", feed, "", "Prefer", "wait=60") }()
	a.Advance(t, time.Minute)
	require.Less(t, (<-woken).status, 300)
	require.Less(t, (<-woken).status, 300)
}

// revised returns the paths of an identity check that requires a resubmission, and of two unfunded transfers.
func revised(t *testing.T, a *api) (kyc, transfer, other string) {
	t.Helper()
	account := a.approved()
	contact := a.saved("base", "USDC")
	transfer, other = a.newTransfer(contact), a.newTransfer(contact)
	good[payments.KYC](a.do("PUT", "/sandbox/accounts/"+account+"/kyc/v1", `{"status":"resubmission_required"}`))
	return "/accounts/" + account + "/kyc", "/transfers/" + transfer, "/transfers/" + other
}

// Tests of package service check which tags match.
func TestConditionalReadsByRFC9110(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	_, transfer, _ := revised(t, a)
	path := transfer + "/v1"
	tag := a.do("GET", path, "").header.Get("ETag")
	for _, c := range []struct {
		status  int
		headers []string
	}{
		{304, []string{"If-None-Match", "W/" + tag}},
		{304, []string{"If-None-Match", `"a"`, "If-None-Match", tag}},
		{304, []string{"If-Match", "*", "If-None-Match", tag}},
		{200, []string{"If-None-Match", `"other"`, "If-Match", tag}},
		{200, []string{"If-Modified-Since", "Thu, 01 Jan 2099 00:00:00 GMT"}},
		{200, []string{"If-Unmodified-Since", "Thu, 01 Jan 1970 00:00:00 GMT"}},
		{200, []string{"Range", "bytes=0-1", "If-Range", tag}},
		{412, []string{"If-Match", `"other"`}},
		{412, []string{"If-Match", `"other"`, "If-None-Match", tag}},
		{412, []string{"If-Match", " "}},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			answer := a.do(method, path, "", c.headers...)
			require.Equal(t, c.status, answer.status, "%s %s", method, c.headers)
			if c.status != http.StatusPreconditionFailed {
				require.Equal(t, tag, answer.header.Get("ETag"), c.headers)
				require.Equal(t, "no-cache", answer.header.Get("Cache-Control"))
				continue
			}
			require.Empty(t, answer.header.Get("ETag"))
		}
	}
}

// A write to a resource that has changed since it was read is refused before it takes effect.
func TestPreconditionsOfWrites(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{SettleDelay: 1000 * time.Hour})
	kyc, transfer, other := revised(t, a)
	account := strings.TrimSuffix(kyc, "/kyc") + "/v1"
	contact := a.do("POST", contactsPath, contactBody(t, "ach", "USD")).header.Get("Location")
	for _, c := range []struct{ method, path, body, read string }{
		{"POST", kyc + "/submissions/v1", `{"requirements":[{"name":"identity_document","value":"passport"}]}`, kyc + "/v1"},
		{"PUT", "/sandbox" + kyc + "/v1", `{"status":"approved"}`, kyc + "/v1"},
		{"POST", transfer + "/cancel/v1", "", transfer + "/v1"},
		{"POST", "/sandbox" + other + "/deposit/v1", `{"amount":"100"}`, other + "/v1"},
		{"PUT", "/sandbox" + other + "/state/v1", `{"state":"failed"}`, other + "/v1"},
		{"PATCH", account, `{"email":"bea@example.com"}`, account},
		{"PATCH", contact, `{"label":"Bea"}`, contact},
		{"DELETE", contact, "", contact},
	} {
		write := func(headers ...string) *answer {
			if c.method == "PATCH" {
				headers = append(headers, "Content-Type", "application/merge-patch+json")
			}
			return a.do(c.method, c.path, c.body, headers...)
		}
		before := a.do("GET", c.read, "")
		tag := before.header.Get("ETag")
		for _, headers := range [][]string{
			{"If-Match", `"other"`}, {"If-Match", "W/" + tag}, {"If-None-Match", "W/" + tag}, {"If-None-Match", "*"},
		} {
			requireProblem(t, write(append(headers, "Idempotency-Key", "k")...), payments.ProblemPreconditionFailed)
			after := a.do("GET", c.read, "")
			require.Equal(t, before.body, after.body, "nothing happened")
			require.Equal(t, tag, after.header.Get("ETag"))
		}
		guarded := []string{"If-Match", `"other", ` + tag, "Idempotency-Key", "k"}
		done := write(guarded...)
		require.Less(t, done.status, 300, done)
		after := a.do("GET", c.read, "").header.Get("ETag")
		require.NotEqual(t, tag, after)
		if c.method == "PATCH" {
			require.Equal(t, after, done.header.Get("ETag"))
		}
		if c.method == "PUT" || c.method == "DELETE" { // these take no key
			continue
		}
		again := write(guarded...)
		require.Equal(t, "true", again.header.Get("Idempotency-Replayed"),
			"a retry is not checked against the state that it made itself")
		require.Equal(t, done.body, again.body)
		requireProblem(t, write("If-Match", tag), payments.ProblemPreconditionFailed)
	}
}
