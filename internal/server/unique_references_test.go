package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
)

// invoice makes an approved account with a contact, and returns the body of a transfer to it with an amount.
func (a *api) invoice() (body func(reference, amount string) string) {
	a.t.Helper()
	a.approved()
	contact := a.saved("base", "USDC")
	return func(reference, amount string) string {
		return fmt.Sprintf(`{"destinationSavedContactId":%q,"route":"ach:USD->base:USDC","amount":%q,"reference":%q}`,
			contact, amount, reference)
	}
}

// pay sends the body of a transfer; without a key if that is empty.
func (a *api) pay(body, key string) *answer {
	a.t.Helper()
	return a.do("POST", autoPath, body, "Idempotency-Key", key)
}

// requireExisting holds an answer to be that of a create whose transfer existed before.
func requireExisting(t *testing.T, a *answer, id string) {
	t.Helper()
	require.Equal(t, http.StatusOK, a.status, a)
	require.Equal(t, "true", a.header.Get("Idempotency-Replayed"))
	require.Equal(t, contract.Expand(contract.GetTransfer.Path, id), a.header.Get("Location"))
	require.Equal(t, id, a.member("id"))
}

// In memory and in a folder, a reference stands for one transfer: at once, a day later and after a restore.
func TestUniqueReferences(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{"in memory": "", "in a folder": t.TempDir()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, refserver.Config{Data: data, TokenLifetime: 1000 * time.Hour})
			body := a.invoice()
			created := a.pay(body("r", "50.00"), "k1")
			require.Equal(t, http.StatusCreated, created.status, created)
			id := created.member("id").(string)
			requireExisting(t, a.pay(body("r", "50"), ""), id)
			other := a.pay(body("r", "50.00"), "k2")
			requireExisting(t, other, id)
			first := a.pay(body("r", "50.00"), "k1")
			require.Equal(t, http.StatusCreated, first.status, "the first response to its key")

			snapshot := a.snapshot()
			a.Advance(t, time.Minute)
			present := a.pay(body("r", "50.00"), "k3")
			requireExisting(t, present, id)
			require.Equal(t, "payment_processed", present.member("state"))
			again := a.pay(body("r", "50.00"), "k2")
			requireExisting(t, again, id)
			require.Equal(t, other.body, again.body, "byte for byte")

			a.Advance(t, 25*time.Hour)
			requireExisting(t, a.pay(body("r", "50.00"), "k1"), id)
			later := a.pay(body("later", "50.00"), "")
			require.Equal(t, http.StatusCreated, later.status)
			a.restore(snapshot)
			requireExisting(t, a.pay(body("r", "50.00"), "k4"), id)
			requireExisting(t, a.pay(body("r", "50.00"), "k2"), id)
			require.Equal(t, http.StatusCreated, a.pay(body("later", "50.00"), "").status, "the restored world has no such transfer")
			a.reset()
			body = a.invoice()
			require.Equal(t, http.StatusCreated, a.pay(body("r", "50.00"), "").status)
		})
	}
}

func TestReferenceInUse(t *testing.T) {
	t.Parallel()
	a := run(t, refserver.Config{})
	body := a.invoice()
	id := a.pay(body("r", "50.00"), "k1").member("id").(string)
	for _, key := range []string{"", "k2"} {
		refused := a.pay(body("r", "51.00"), key)
		problem := requireProblem(t, refused, payments.KindReferenceInUse)
		require.Equal(t, id, problem.TransferID)
		require.Equal(t, id, refused.member("transferId"))
		require.Contains(t, problem.Detail, id)
		require.Contains(t, problem.Detail, "amount")
	}
	require.Equal(t, http.StatusCreated, a.pay(body("other", "51.00"), "k2").status, "a refusal does not bind the key")
	requireProblem(t, a.pay(body("r", "51.00"), "k1"), payments.KindKeyReuse)
	requireProblem(t, a.pay(`{"reference":"r"}`, ""), payments.KindValidation)
}

// Of many requests at once with one reference and different keys or none, one creates the transfer.
func TestConcurrentRequestsWithOneReference(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]refserver.Config{"in memory": {}, "in a folder": {Data: t.TempDir()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := run(t, config)
			body := a.invoice()
			answers := make([]*answer, 64)
			start := make(chan struct{})
			var all sync.WaitGroup
			for i := range answers {
				all.Go(func() {
					<-start
					answers[i] = a.pay(body("r", "50.00"), []string{"", fmt.Sprint("k", i)}[i%2])
				})
			}
			close(start)
			all.Wait()
			id, created := answers[0].member("id").(string), 0
			for _, answer := range answers {
				if answer.status == http.StatusCreated {
					require.Equal(t, id, answer.member("id"))
					created++
				} else {
					requireExisting(t, answer, id)
				}
			}
			require.Equal(t, 1, created)
			require.Len(t, a.do("GET", "/transfers/v1", "").member("data"), 1)
		})
	}
}

// Each of the four kinds of service, keys honoured or not and references unique or not, keeps what its document declares.
func TestServicesWithAndWithoutUniqueReferences(t *testing.T) {
	t.Parallel()
	for _, ignoresKeys := range []bool{false, true} {
		for _, duplicates := range []bool{false, true} {
			t.Run(fmt.Sprintf("ignores keys %t, duplicates %t", ignoresKeys, duplicates), func(t *testing.T) {
				t.Parallel()
				a := run(t, refserver.Config{IgnoreIdempotencyKeys: ignoresKeys, DuplicateReferences: duplicates})
				body := a.invoice()
				a.pay(body("r", "50.00"), "k")
				status := map[bool]int{true: http.StatusCreated, false: http.StatusOK}
				require.Equal(t, status[duplicates], a.pay(body("r", "50.00"), "other").status)
				require.Equal(t, status[duplicates || !ignoresKeys], a.pay(body("r", "50.00"), "k").status)
				count := map[bool]int{false: 1, true: 2}[duplicates]
				if duplicates && ignoresKeys {
					count = 3
				}
				require.Len(t, a.do("GET", "/transfers/v1", "").member("data"), count)

				for path, own := range map[string][]byte{
					"/openapi.json": contract.JSON, "/openapi.yaml": contract.YAML, "/openapi-3.1.yaml": contract.YAML31,
				} {
					own = bytes.Join(contract.WithServer(own, a.URL), nil)
					require.Equal(t, !duplicates, declaresUniqueReferences(t, a.do("GET", path, "").body, own), path)
				}
			})
		}
	}
}

// declaresUniqueReferences reports whether an OpenAPI document says that references are unique. Otherwise it has to be
// that of the contract.
func declaresUniqueReferences(t *testing.T, text string, contracts []byte) bool {
	t.Helper()
	var served, own map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &served)) // JSON is YAML
	require.NoError(t, yaml.Unmarshal(contracts, &own))
	operation := func(document map[string]any) map[string]any {
		path := document["paths"].(map[string]any)[contract.CreateAutoTransfer.Path].(map[string]any)
		return path[strings.ToLower(contract.CreateAutoTransfer.Method)].(map[string]any)
	}
	members, declared := operation(served)["x-unique-members"]
	if declared {
		require.Equal(t, []any{"reference"}, members)
	} else {
		delete(operation(own), "x-unique-members")
	}
	require.True(t, reflect.DeepEqual(own, served), "the document differs from the contract")
	return declared
}
