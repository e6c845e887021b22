package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

func TestPreferWait(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account := a.do("POST", accountsPath, adaBody).member("id").(string)
	path := "/accounts/" + account + "/kyc/v1"
	tag := a.do("GET", path, "").header.Get("ETag")
	for prefer, applied := range map[string]string{
		"wait=0": "", "wait=-1": "", "wait=x": "", "wait=": "", "wait=1e1": "", "respond-async": "", "wait=99999999999": "",
	} {
		answer := a.do("GET", path, "", "If-None-Match", tag, "Prefer", prefer)
		require.Equal(t, http.StatusNotModified, answer.status, prefer)
		require.Equal(t, applied, answer.header.Get("Preference-Applied"), prefer)
	}
	unconditional := a.do("GET", path, "", "Prefer", "wait=60")
	require.Equal(t, http.StatusOK, unconditional.status, "without a known state there is nothing to wait for")
	require.Empty(t, unconditional.header.Get("Preference-Applied"))
	for prefer, applied := range map[string]string{`wait=30`: "wait=30", `respond-async, WAIT = "7"`: "wait=7", "wait=8; x=1": "wait=8", "respond-async; wait=9": "", `a="b, wait=9"`: "", `a="b\", wait=9", wait=6`: "wait=6", `wait="5`: "", "wait=600": "wait=60", "wait=5, wait=9": "wait=5"} {
		answer := a.do("GET", path, "", "If-None-Match", `"other"`, "Prefer", prefer)
		require.Equal(t, http.StatusOK, answer.status)
		require.Equal(t, applied, answer.header.Get("Preference-Applied"), prefer)
	}

	woken := make(chan *answer, 1)
	go func() { woken <- a.do("GET", path, "", "If-None-Match", tag, "Prefer", "wait=60") }()
	a.Advance(t, time.Minute)
	require.Equal(t, "approved", (<-woken).member("status"))
}

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
	check := strings.TrimSuffix(first.header.Get("Location"), "v1") + "kyc/v1"
	tag := a.do("GET", check, "").header.Get("ETag")
	reordered := `{ "country":"GB", "email":"ad\u0061@example.com", "lastName":"Lovelace","firstName":"Ada","type":"individual" }`
	for _, again := range []*answer{create(adaBody, "k-1"), create(adaBody, `"k-1"`), create(reordered, "k-1")} {
		require.Equal(t, http.StatusCreated, again.status)
		require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
		require.Equal(t, first.body, again.body, "byte for byte")
		require.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
	}
	requireProblem(t, create(strings.Replace(adaBody, "Ada", "Eve", 1), "k-1"), payments.KindKeyReuse)
	for _, keys := range [][]string{{`"k`}, {`k"`}, {`""`}, {`"a"b"`}, {`"a\x"`}, {"k\t1"}, {"schlüssel"}, {strings.Repeat("k", 256)}, {"k-1", "k-1"}} {
		answer := create(adaBody, keys...)
		if keys[0] == `k"` { // bare, a quotation mark is a character like any other
			require.Equal(t, http.StatusCreated, answer.status)
			continue
		}
		requireProblem(t, answer, payments.KindMalformed)
	}
	require.Equal(t, http.StatusCreated, create(adaBody, strings.Repeat("k", 255)).status)
	require.Equal(t, tag, a.do("GET", check, "").header.Get("ETag"), "replays changed nothing")

	invalid := create(`{}`, "k-2")
	requireProblem(t, invalid, payments.KindValidation)
	require.Equal(t, http.StatusCreated, create(adaBody, "k-2").status, "a refusal does not bind the key")
}

func TestCancelKeyBelongsToItsTransfer(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	a.approved()
	contact := a.saved("base", "USDC")
	create := func() string {
		return a.do("POST", autoPath, `{"destinationSavedContactId":"`+contact+`","route":"ach:USD->base:USDC"}`).member("id").(string)
	}
	cancel := func(id string) *answer {
		return a.do("POST", "/transfers/"+id+"/cancel/v1", "", "Idempotency-Key", "k")
	}
	one, other := create(), create()
	require.Equal(t, http.StatusOK, cancel(one).status)
	require.Equal(t, "true", cancel(one).header.Get("Idempotency-Replayed"))
	requireProblem(t, cancel(other), payments.KindKeyReuse)
	require.Equal(t, "awaiting_funds", a.do("GET", "/transfers/"+other+"/v1", "").member("state"))
}
