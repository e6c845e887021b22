package server_test

import (
	"context"
	"maps"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/server"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/test/testkit"
)

// fuzzTime is the environment variable for how long TestAnythingFromTwoWorlds repeats rapid's checks, such as
// PAYCTL_FUZZ=5m. Without it, they run once.
const fuzzTime = "PAYCTL_FUZZ"

// An actor is a client that sends random requests and remembers what it received.
type actor struct {
	name, secret, token string
	received, said      map[string]bool // identifiers: from the service, and in its requests
	worldless           map[string]bool // identifiers of requests outside any world
	ids                 []string        // of accounts, contacts and transfers, the latest last
	texts               []string        // cursors and entity tags
	snapshot            string
}

// marker returns a text that is in what the actor writes, and nowhere else.
func (a *actor) marker() string { return "mark-of-" + a.name }

// two is a service with two clients. Neither may learn what the other received. They send one request at a time.
type two struct {
	*refserver.Server
	actors    [2]*actor
	succeeded map[string]bool
	broken    []contract.Violation // found by the service itself
}

func newTwo(t testing.TB, config refserver.Config) *two {
	t.Helper()
	seed := uint64(7)
	config.Seed, config.Clock = &seed, sandbox.ClockSetting{Mode: payments.ClockModeManual, Start: paytest.Start}
	x := &two{succeeded: map[string]bool{}}
	config.Check = true
	config.OnResponse = func(r server.ResponseSummary) { x.broken = append(x.broken, r.Violations...) }
	x.Server = must(refserver.New(config))
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	return x
}

// begin empties both worlds, so that rapid can repeat what it drew.
func (x *two) begin(t require.TestingT) {
	for i, name := range []string{"ada", "bob"} {
		x.actors[i] = &actor{
			name: name, secret: "secret-of-" + name,
			received: map[string]bool{}, said: map[string]bool{}, worldless: map[string]bool{},
		}
		world := must(x.Worlds.Of(context.Background(), name))
		must(world.ResetSandbox(context.Background()))
		x.login(t, x.actors[i])
		x.furnish(t, x.actors[i], world)
	}
}

// furnish puts one of each resource into a world, so that some requests succeed.
func (x *two) furnish(t require.TestingT, a *actor, world *sandbox.World) {
	ctx := context.Background()
	once := service.WriteKey{}
	business := payments.NewAccount{
		Type: payments.AccountTypeBusiness, LegalName: a.marker(), Email: "office@example.com", Country: "GB",
	}
	incomplete := must(world.CreateAccount(ctx, business, once)).Value.ID
	business.RegistrationNumber = "01234567"
	account := must(world.CreateAccount(ctx, business, once)).Value.ID
	require.NoError(t, world.Advance(ctx, time.Minute))
	contact := must(world.CreateSavedContact(ctx, payments.NewSavedContact{
		AccountID: account, Label: a.marker(), HolderName: "Grace", HolderType: "individual", PaymentRail: "base",
		Currency: "USDC", Address: paytest.Coordinates("base")["address"],
	}, once)).Value.ID
	transfer := must(world.CreateAutoTransfer(ctx, payments.NewAutoTransfer{
		DestinationSavedContactID: contact, Route: payments.RouteChoice{RouteKey: "ach:USD->base:USDC"},
	}, once)).Value.ID
	for _, id := range []string{incomplete, account, contact, transfer} {
		a.learn(id)
	}
	a.snapshot = string(must(json.Marshal(must(world.GetSandboxSnapshot(ctx)))))
}

// learn remembers an identifier that the actor received.
func (a *actor) learn(id string) {
	a.received[id] = true
	if strings.HasPrefix(id, "acc_") || strings.HasPrefix(id, "sct_") || strings.HasPrefix(id, "trf_") {
		a.ids = append(a.ids, id)
	}
}

func (x *two) login(t require.TestingT, a *actor) {
	r := httptest.NewRequest("POST", tokenPath, nil)
	r.SetBasicAuth(a.name, a.secret)
	recorder := httptest.NewRecorder()
	x.Handler.ServeHTTP(recorder, r)
	var token payments.AccessToken
	require.NoError(t, json.Unmarshal(recorder.Body.Bytes(), &token))
	a.token = token.AccessToken
}

// identifiers matches the identifiers of the service: three letters and a unique part.
var identifiers = regexp.MustCompile(`(?:acc|sct|trf|evt|wld|req)_[0-9A-Za-z]{10,}`)

// Two clients send any requests in any order. No answer is a failure of the service, and all fit the contract. Neither
// client receives the other's data or reaches it by an identifier. Every operation succeeds at least once.
func TestAnythingFromTwoWorlds(t *testing.T) {
	t.Parallel()
	until := time.Now()
	if text := os.Getenv(fuzzTime); text != "" {
		until = until.Add(must(time.ParseDuration(text)))
	}
	usual := slices.DeleteFunc(slices.Clone(contract.Operations),
		func(op *contract.Operation) bool { return slices.Contains(rare, op) })
	const enough = 100 // tries of an operation: a few may all fail by chance
	for name, config := range map[string]struct {
		refserver.Config
		steps int
	}{
		"memory": {steps: 80}, "durable": {refserver.Config{Data: t.TempDir()}, 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newTwo(t, config.Config)
			for goOn := true; goOn; goOn = time.Now().Before(until) {
				rapid.Check(t, func(t *rapid.T) {
					x.begin(t)
					for _, op := range slices.Concat(usual, rare) {
						for try := 0; try == 0 || try < enough && !x.succeeded[op.ID]; try++ {
							x.ask(t, drawFor(t, op, x.actors[0], x.actors[1]), x.actors[0], x.actors[1])
						}
					}
					x.begin(t)
					for range config.steps {
						i := rapid.IntRange(0, 1).Draw(t, "client")
						x.ask(t, drawAsked(t, x.actors[i], x.actors[1-i]), x.actors[i], x.actors[1-i])
					}
					x.requireUniqueReferences(t)
				})
			}
			for _, op := range contract.Operations {
				if testing.Short() || testkit.Raced { // too few requests
					break
				}
				require.True(t, x.succeeded[op.ID], "%s never succeeded, so the test does not cover it", op.ID)
			}
		})
	}
}

// requireUniqueReferences fails the test if two transfers of a client have the same reference.
func (x *two) requireUniqueReferences(t require.TestingT) {
	for _, a := range x.actors {
		world := must(x.Worlds.Of(context.Background(), a.name))
		all := payments.TransferFilter{PageQuery: payments.PageQuery{Limit: payments.LargestPage}}
		list := must(world.ListTransfers(context.Background(), all))
		seen := map[string]bool{"": false}
		for _, transfer := range list.Data {
			require.False(t, seen[transfer.Reference], "two transfers have the reference %s", transfer.Reference)
			seen[transfer.Reference] = transfer.Reference != ""
		}
	}
}

// ask sends an actor's request and checks the answer.
func (x *two) ask(t require.TestingT, asked *asked, a, other *actor) {
	response, body, err := paytest.Serve(x.Handler, asked.request())
	require.NoError(t, err, "%s → %d %.1000s", asked, response.StatusCode, body)
	require.NoError(t, response.Body.Close())
	unknownMethod := response.StatusCode == 501 && asked.op == nil
	require.True(t, response.StatusCode < 500 || unknownMethod, "%s → %s", asked, body)
	require.Empty(t, x.broken, "%s → %.3000s", asked, body)

	text := string(body)
	if asked.op != nil && response.StatusCode == 200 && strings.HasPrefix(asked.op.ID, "getOpenAPI") {
		text = "" // its examples have the identifiers of a seeded world, which a client may also have
	}
	for _, name := range slices.Sorted(maps.Keys(response.Header)) {
		text += "\n" + name + ": " + strings.Join(response.Header[name], ", ")
	}
	sent := asked.String()
	if !strings.Contains(sent, other.marker()) {
		require.NotContains(t, text, other.marker(), "%s", asked)
	}
	for _, id := range identifiers.FindAllString(sent, -1) {
		a.said[id] = true
	}
	for _, id := range identifiers.FindAllString(text, -1) {
		switch {
		case strings.HasPrefix(id, "req_") && (a.worldless[id] || response.Header.Get("Payctl-World") == ""):
			a.worldless[id] = true // it belongs to neither client
		case a.received[id] || a.said[id]:
		case other.received[id]:
			require.Fail(t, "an identifier of the other's world", "%s in %s → %.3000s", id, asked, text)
		default:
			a.learn(id)
		}
	}
	if response.StatusCode < 300 {
		foreign := asked.method != "OPTIONS" && asked.foreign(a, other)
		require.False(t, foreign, "it reached the other's world: %s → %.3000s", asked, text)
		if asked.op != nil {
			x.succeeded[asked.op.ID] = true
		}
		x.remember(t, a, asked, response.Header.Get("ETag"), string(body))
	}
	if response.StatusCode == 401 {
		x.login(t, a) // the token expired, was revoked or was invalid
	}
}

// remember keeps what later requests may use, and undoes what would make them all fail.
func (x *two) remember(t require.TestingT, a *actor, asked *asked, etag, body string) {
	if etag != "" {
		a.texts = append(a.texts, etag)
	}
	for _, match := range cursors.FindAllStringSubmatch(body[max(len(body)-200, 0):], -1) { // they are at the end
		a.texts = append(a.texts, match[1])
	}
	a.texts = a.texts[max(len(a.texts)-20, 0):]
	world := must(x.Worlds.Of(context.Background(), a.name))
	switch path, _, _ := strings.Cut(asked.path, "?"); {
	case asked.op == &contract.GetSandboxSnapshot:
		a.snapshot = body
	case asked.method == "PUT" && strings.HasPrefix(path, contract.SetSandboxFaults.Path):
		require.NoError(t, world.ClearSandboxFaults(context.Background()))
	case asked.method == "PUT" && strings.HasPrefix(path, contract.SetSandboxClock.Path):
		must(world.SetSandboxClock(context.Background(), payments.SandboxClockSettings{Mode: payments.ClockModeManual}))
	}
}

var cursors = regexp.MustCompile(`"(?:nextCursor|cursor)":"([^"]+)"`)
