package server_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
)

// A victim is a client with something of each kind.
type victim struct {
	*api
	account, contact, transfer string
	cursors, etags             []string
}

const (
	victimMark = "mark-of-the-victim"
	victimKey  = "key-of-the-victim"
)

func newVictim(a *api) *victim {
	v := &victim{api: a}
	v.account = a.approved()
	contact := strings.Replace(contactBody(a.t, "base", "USDC"), `"Grace"`, `"`+victimMark+`"`, 1)
	v.contact = good[payments.SavedContact](a.do("POST", contactsPath, contact)).ID
	v.transfer = good[payments.Transfer](a.do("POST", autoPath, v.newTransfer(), "Idempotency-Key", victimKey)).ID
	for range 25 { // more than a page
		good[payments.Account](a.do("POST", accountsPath, strings.Replace(adaBody, "Lovelace", victimMark, 1)))
	}
	for _, path := range []string{accountsPath, "/transfers/v1", contactsPath, contract.ListEvents.Path, contract.ListSandboxRequests.Path} {
		page := a.do("GET", path+"?limit=5", "")
		for _, match := range cursors.FindAllStringSubmatch(page.body, -1) {
			v.cursors = append(v.cursors, match[1])
		}
	}
	require.GreaterOrEqual(a.t, len(v.cursors), 3)
	v.etags = []string{a.do("GET", contract.Expand(contract.GetTransfer.Path, v.transfer), "").header.Get("ETag")}
	return v
}

func (v *victim) newTransfer() string {
	return `{"destinationSavedContactId":"` + v.contact + `","route":"ach:USD->base:USDC","reference":"` + victimMark + `"}`
}

// world is all that there is to see of the victim's world, but for what looking leaves there.
func (v *victim) world() string {
	snapshot := good[payments.SandboxSnapshot](v.do("GET", contract.GetSandboxSnapshot.Path, ""))
	return fmt.Sprint(string(snapshot.World), v.do("GET", contract.GetSandboxClock.Path, "").body, v.do("GET", contract.ListSandboxFaults.Path, "").body,
		v.do("GET", contract.ListSandboxRequests.Path+"?limit=100", "").body)
}

// attackBodies are what another client sends to each operation that takes a body.
func (v *victim) attackBodies() map[string]string {
	return map[string]string{
		"createAccessToken":       `{"scope":"transfers:read"}`,
		"createAccount":           adaBody,
		"updateAccount":           `{"email":"eve@example.com"}`,
		"updateSavedContact":      `{"label":"Eve"}`,
		"submitKyc":               `{"requirements":[{"name":"registrationNumber","value":"01234567"}]}`,
		"createSavedContact":      strings.Replace(contactBody(v.t, "base", "USDC"), "{", `{"accountId":"`+v.account+`",`, 1),
		"selectRoutes":            `{}`,
		"createAutoTransfer":      v.newTransfer(),
		"setSandboxClock":         `{"mode":"manual","now":"2031-01-01T00:00:00Z"}`,
		"advanceSandboxClock":     `{"duration":"1h"}`,
		"setSandboxFaults":        `{"faults":[{"operation":"listAccounts","action":"status","status":503}]}`,
		"restoreSandboxSnapshot":  `{"version":"1","takenAt":"2026-01-01T00:00:00Z","instance":"wld_1","checksum":"x","world":{}}`,
		"setSandboxKyc":           `{"status":"rejected"}`,
		"createSandboxDeposit":    `{"amount":"1.00"}`,
		"setSandboxTransferState": `{"state":"failed"}`,
	}
}

// Whatever another client asks of any operation with a client's identifiers, keys, cursors and tags: it reaches nothing, is told
// nothing, and leaves the client's world as it was.
func TestEveryOperationKeepsWorldsApart(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"memory": "", "durable": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVictim(run(t, refserver.Config{Data: data}))
			before := v.world()
			bodies := v.attackBodies()
			for _, op := range contract.Operations {
				if op.Body != nil {
					require.Contains(t, bodies, op.ID, "the test has become blind")
				}
				for _, id := range []string{v.account, v.contact, v.transfer} {
					v.attack(op, id, bodies[op.ID])
				}
			}
			require.Equal(t, before, v.world(), "the world of the victim")
			require.Equal(t, http.StatusOK, v.do("GET", accountsPath, "").status, "its token works")
			again := v.do("POST", autoPath, v.newTransfer(), "Idempotency-Key", victimKey)
			require.Equal(t, "true", again.header.Get("Idempotency-Replayed"), "its key is its own")
		})
	}
}

// attack asks one operation all that another client could.
func (v *victim) attack(op *contract.Operation, id, body string) {
	v.t.Helper()
	name := "attacker-" + op.ID + id[:3] // with nothing of its own yet
	other := v.as(name)
	queries := []string{""}
	for _, member := range op.Query {
		for _, value := range slices.Concat([]string{v.account, v.contact, v.transfer, victimMark, victimKey}, v.cursors) {
			queries = append(queries, "?"+member.Name+"="+url.QueryEscape(value))
		}
	}
	headers := [][]string{nil, {"Idempotency-Key", victimKey}, {"Prefer", "wait=0"}, {"If-Match", v.etags[0]}, {"If-None-Match", v.etags[0]}}
	if op == &contract.ListEvents {
		for _, cursor := range v.cursors {
			headers = append(headers, []string{"Last-Event-ID", cursor})
		}
	}
	path := contract.Expand(op.Path, id)
	for i, query := range queries {
		for _, header := range headers[:max(1, len(headers)*(1-min(i, 1)))] { // all of them without a query
			if op.Access == contract.Basic {
				header = append(slices.Clone(header), "Authorization", basic(name, "secret-of-"+name))
			}
			header = append([]string{"Content-Type", op.BodyMedia}, header...)
			answer := other.do(op.Method, path+query, body, header...)
			what := fmt.Sprintf("%s %s%s %v → %v", op.Method, path, query, header, answer)
			if strings.Contains(op.Path, "{") {
				require.Equal(v.t, http.StatusNotFound, answer.status, what)
			}
			require.Less(v.t, answer.status, 500, what)
			require.Empty(v.t, answer.header.Get("Idempotency-Replayed"), what)
			received := answer.body
			for name, values := range answer.header {
				received += name + ": " + strings.Join(values, ", ")
			}
			sent := path + query + body + strings.Join(header, " ")
			for _, secret := range []string{v.account, v.contact, v.transfer, victimMark, v.token} {
				require.False(v.t, strings.Contains(received, secret) && !strings.Contains(sent, secret), what)
			}
			if answer.status < 300 && (op == &contract.CreateSavedContact || op == &contract.CreateAutoTransfer) {
				require.Fail(v.t, "it used what is the victim's", what)
			}
		}
	}
}

// Neither a folder that keeps everything, nor a snapshot, nor the log of requests holds a token, a secret or what would do in their place.
func TestTokensAreNotKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	a := run(t, refserver.Config{Data: folder})
	other := a.as("somebody")
	other.do("POST", accountsPath, adaBody)
	other.do("GET", accountsPath+"?access_token="+other.token, "")
	requests := other.do("GET", contract.ListSandboxRequests.Path, "").body
	snapshot := a.do("GET", contract.GetSandboxSnapshot.Path, "").body
	secrets := []string{a.token, other.token, paytest.ClientSecret, "secret-of-somebody", basic("somebody", "secret-of-somebody")[len("Basic "):]}
	files := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for _, secret := range secrets {
			require.False(t, bytes.Contains(content, []byte(secret)), path)
		}
		return err
	}))
	require.NotZero(t, files)
	for _, secret := range append(secrets, "attacker", paytest.ClientID+`"`) {
		require.NotContains(t, snapshot, secret)
		require.NotContains(t, requests, secret)
	}
	var members map[string]any
	require.NoError(t, json.Unmarshal([]byte(snapshot), &members))
	require.NotContains(t, strings.ToLower(snapshot), "token")
	require.NotContains(t, strings.ToLower(snapshot), "secrethash")
}
