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

// mergePatch is the header of a JSON Merge Patch.
var mergePatch = []string{"Content-Type", "application/merge-patch+json"}

// patched opens an account and saves a contact, and returns their paths.
func patched(a *api) (account, contact string) {
	account = a.do("POST", accountsPath, adaBody).header.Get("Location")
	return account, "/contacts/saved/" + a.saved("sepa", "EUR") + "/v1"
}

func TestMergePatches(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account, contact := patched(a)
	answer := a.do("PATCH", account, `{"email":"bea@example.com","phoneNumber":"+442079460000","metadata":{"team":"ops"}}`, mergePatch...)
	require.Equal(t, http.StatusOK, answer.status, answer)
	require.Equal(t, "bea@example.com", answer.member("email"))
	answer = a.do("PATCH", account, `{"phoneNumber":null,"metadata":{"team":null,"note":"x"},"unheardOf":{"a":null}}`, mergePatch...)
	require.Equal(t, map[string]any{"note": "x"}, answer.member("metadata"))
	require.NotContains(t, answer.body, "phoneNumber")
	require.NotContains(t, answer.body, "unheardOf")
	require.Equal(t, answer.body, a.do("GET", account, "").body)

	require.Equal(t, http.StatusOK, a.do("PATCH", contact, `{"label":"Hopper","externalId":"vendor-7"}`, mergePatch...).status)
	shown := a.do("GET", contact, "")
	require.Equal(t, "Hopper", shown.member("label"))
	require.Equal(t, http.StatusOK, a.do("PATCH", contact, shown.body, mergePatch...).status, "the coordinates are as they are shown")
	problem := requireProblem(t, a.do("PATCH", contact, `{"iban":"GB82WEST12345698765432","label":""}`, mergePatch...), payments.KindValidation)
	require.Equal(t, []string{"iban", "label"}, problem.Errors.Names(), "all mistakes at once")
	require.Equal(t, shown.body, a.do("GET", contact, "").body)
}

// The media type says what null means, so that no other one is taken (RFC 5789 sections 2.2 and 3.1).
func TestMediaTypeOfMergePatches(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account, contact := patched(a)
	for _, path := range []string{account, contact} {
		for _, media := range []string{"application/json", "application/json-patch+json", "text/plain", ""} {
			answer := a.do("PATCH", path, `{"externalId":"x"}`, "Content-Type", media)
			requireProblem(t, answer, payments.KindUnsupportedMediaType)
			require.Equal(t, "application/merge-patch+json", answer.header.Get("Accept-Patch"), media)
		}
		require.Equal(t, http.StatusOK, a.do("PATCH", path, `{"externalId":"x"}`, "Content-Type", "application/merge-patch+json; charset=utf-8").status)
		options := a.do("OPTIONS", path, "")
		require.Equal(t, "application/merge-patch+json", options.header.Get("Accept-Patch"))
		require.Contains(t, options.header.Get("Allow"), "PATCH")
		for _, body := range []string{`[]`, `null`, `"x"`, `7`} {
			requireProblem(t, a.do("PATCH", path, body, mergePatch...), payments.KindValidation)
		}
		requireProblem(t, a.do("PATCH", path, `{"metadata":{"a":"1","a":"2"}}`, mergePatch...), payments.KindMalformed)
	}
	require.Equal(t, "application/json", a.do("OPTIONS", infoPath, "").header.Get("Accept-Patch"))
}

func TestStrictMergePatches(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{Strict: true})
	account, contact := patched(a)
	for _, path := range []string{account, contact} {
		problem := requireProblem(t, a.do("PATCH", path, `{"externalId":"x","unheardOf":1}`, mergePatch...), payments.KindValidation)
		require.Equal(t, []string{"unheardOf"}, problem.Errors.Names())
		require.Equal(t, http.StatusOK, a.do("PATCH", path, a.do("GET", path, "").body, mergePatch...).status, "the whole document has known members")
	}
}

// A client that ignores what others have changed since it read is refused, also by a service that ignores keys.
func TestPreconditionsOfMergePatches(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]refserver.Config{"keys": {}, "no keys": {IgnoreIdempotencyKeys: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, config)
			account, contact := patched(a)
			for _, path := range []string{account, contact} {
				before := a.do("GET", path, "")
				tag := before.header.Get("ETag")
				require.Regexp(t, `^"[^"]+"$`, tag)
				require.Equal(t, http.StatusNotModified, a.do("GET", path, "", "If-None-Match", tag, "Prefer", "wait=5").status)
				for _, stale := range []string{`"other"`, "W/" + tag, "garbage"} {
					answer := a.do("PATCH", path, `{"externalId":"x"}`, append(mergePatch, "If-Match", stale)...)
					requireProblem(t, answer, payments.KindPreconditionFailed)
					require.Equal(t, before.body, a.do("GET", path, "").body)
				}
				guarded := append(mergePatch, "If-Match", tag, "Idempotency-Key", "k")
				done := a.do("PATCH", path, `{"externalId":"x"}`, guarded...)
				require.Equal(t, http.StatusOK, done.status)
				require.NotEqual(t, tag, a.do("GET", path, "").header.Get("ETag"))
				again := a.do("PATCH", path, `{"externalId":"x"}`, guarded...)
				if config.IgnoreIdempotencyKeys {
					requireProblem(t, again, payments.KindPreconditionFailed)
					continue
				}
				require.Equal(t, "true", again.header.Get("Idempotency-Replayed"))
				require.Equal(t, done.body, again.body)
			}
		})
	}
}

// Patches of any size cost no more than their bytes, and leave everything as it was.
func TestLargeMergePatches(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	account, _ := patched(a)
	before := a.do("GET", account, "").body
	const size = 900_000
	long := strings.Repeat("x", size)
	for name, body := range map[string]string{
		"a long value":   `{"metadata":{"a":"` + long + `"}}`,
		"a long name":    `{"metadata":{"` + long + `":5}}`,
		"many pairs":     `{"metadata":{` + pairs(size/20) + `"z":"z"}}`,
		"many unknown":   `{` + pairs(size/20) + `"email":"no address"}`,
		"a deep address": `{"address":` + strings.Repeat(`{"a":`, 5000) + `"` + long + `"` + strings.Repeat(`}`, 5000) + `,"email":7}`,
	} {
		began := time.Now()
		requireProblem(t, a.do("PATCH", account, body, mergePatch...), payments.KindValidation)
		t.Logf("%s: %v", name, time.Since(began))
		require.Equal(t, before, a.do("GET", account, "").body, name)
	}
}

// pairs are members with names of their own, each with a comma behind it.
func pairs(count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString(`"` + strings.Repeat("k", 4) + string(rune('a'+i%26)) + time.Duration(i).String() + `":"v",`)
	}
	return b.String()
}
