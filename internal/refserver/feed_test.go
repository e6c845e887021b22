package refserver_test

import (
	"context"
	"errors"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/refserver"
	"github.com/payctl/payctl/internal/test/paytest"
	"github.com/payctl/payctl/internal/test/testrun"
)

// fixed is a token that does not change.
type fixed string

func (f fixed) Token(context.Context) (string, error)         { return string(f), nil }
func (f fixed) Renew(context.Context, string) (string, error) { return "", errors.ErrUnsupported }

// connect logs in at a running service.
func connect(t *testing.T, at string) *client.Client {
	t.Helper()
	base, err := url.Parse(at)
	require.NoError(t, err)
	login, err := client.New(client.Config{BaseURL: base})
	require.NoError(t, err)
	t.Cleanup(login.CloseIdleConnections)
	token, err := login.CreateAccessToken(t.Context(), paytest.ClientID, paytest.ClientSecret, payments.AccessTokenRequest{})
	require.NoError(t, err)
	c, err := client.New(client.Config{BaseURL: base, Token: fixed(token.AccessToken)})
	require.NoError(t, err)
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// lists hides that a client can stream.
type lists struct{ payments.Events }

// watcherKills is how often a watcher is killed.
func watcherKills() int {
	if testing.Short() {
		return 20
	}
	return 100
}

// A watcher of the feed that is killed at random points, between events and in the middle of waiting, and begins again
// at the last cursor that it wrote down, sees every event once, in order, while transfers are made and the clock runs.
func TestWatcherThatIsKilledMissesNothing(t *testing.T) {
	t.Parallel()
	for name, service := range map[string]func(*client.Client) payments.Events{
		"streams":      func(c *client.Client) payments.Events { return c },
		"held answers": func(c *client.Client) payments.Events { return lists{c} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			running := paytest.Run(t, refserver.Config{TokenLifetime: 1000 * time.Hour})
			c := connect(t, running.URL)
			start, err := c.ListEvents(t.Context(), payments.EventFilter{After: payments.LatestEvent})
			require.NoError(t, err)
			var watched atomic.Bool // the last kill has been
			loaded := make(chan error, 1)
			ctx, fail := context.WithCancelCause(t.Context()) // without load there is nothing to wait for
			defer fail(nil)
			go func() {
				err := load(ctx, running, &watched)
				if err != nil {
					fail(err)
				}
				loaded <- err
			}()
			seen, cursor := watchAndDie(ctx, t, service(c), start.Cursor)
			watched.Store(true)
			require.NoError(t, <-loaded)

			// What came after the last kill.
			end, err := c.ListEvents(t.Context(), payments.EventFilter{After: payments.LatestEvent})
			require.NoError(t, err)
			last := follow.Feed{
				Service: service(c), Filter: payments.EventFilter{After: cursor}, Interval: time.Millisecond,
				Each: func(e payments.Event) (bool, error) {
					seen = append(seen, e)
					return e.ID == end.Cursor, nil
				},
			}
			if cursor != end.Cursor {
				require.NoError(t, last.Run(t.Context()))
			}
			var all []payments.Event
			for after := start.Cursor; ; {
				page, err := c.ListEvents(t.Context(), payments.EventFilter{After: after, Limit: 100})
				require.NoError(t, err)
				if len(page.Data) == 0 {
					break
				}
				all, after = append(all, page.Data...), page.Cursor
			}
			require.Greater(t, len(all), watcherKills())
			require.Equal(t, len(all), len(seen))
			for i := range all {
				require.Equal(t, all[i].ID, seen[i].ID, "event %d", i)
			}
			requireChains(t, all)
		})
	}
}

// load makes transfers and lets time pass until it is stopped.
func load(ctx context.Context, running *paytest.Service, enough *atomic.Bool) error {
	world, err := running.Worlds.Of(ctx, paytest.ClientID)
	if err != nil {
		return err
	}
	account, err := world.CreateAccount(ctx, payments.NewAccount{Type: payments.AccountTypeIndividual, FirstName: "Ada", LastName: "L", Email: "ada@example.com", Country: "GB"}, payments.Idempotency{})
	if err != nil {
		return err
	}
	if err := world.Advance(ctx, time.Minute); err != nil {
		return err
	}
	contact, err := world.CreateSavedContact(ctx, payments.NewSavedContact{
		AccountID: account.Value.ID, Label: "Grace", HolderName: "Grace Hopper", HolderType: payments.AccountTypeIndividual,
		PaymentRail: "base", Currency: "USDC", Address: paytest.Coordinates("base")["address"],
	}, payments.Idempotency{})
	if err != nil {
		return err
	}
	for i := 0; !enough.Load(); i++ {
		_, err := world.CreateAutoTransfer(ctx, payments.NewAutoTransfer{
			DestinationSavedContactID: contact.Value.ID, Route: payments.RouteChoice{RouteKey: "ach:USD->base:USDC"}, Amount: new(payments.MustDecimal("50.00")),
		}, payments.Idempotency{})
		if err != nil {
			return err
		}
		if err := world.Advance(ctx, time.Duration(1+97*i%700)*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// watchAndDie follows the feed and is killed again and again, at a random event or a random moment.
func watchAndDie(parent context.Context, t *testing.T, service payments.Events, cursor string) ([]payments.Event, string) {
	t.Helper()
	killed := errors.New("killed")
	var seen []payments.Event
	random := testrun.Random(t)
	for range watcherKills() {
		ctx, kill := context.WithCancelCause(parent)
		life := 1 + random.IntN(8)
		if random.IntN(2) == 0 {
			timer := time.AfterFunc(time.Duration(random.IntN(4000))*time.Microsecond, func() { kill(killed) })
			defer timer.Stop()
			life = 1 << 30
		}
		f := follow.Feed{
			Service: service, Filter: payments.EventFilter{After: cursor}, Interval: time.Millisecond,
			Each: func(e payments.Event) (bool, error) {
				if ctx.Err() != nil {
					return false, killed // a process that is dead writes nothing down
				}
				seen, cursor = append(seen, e), e.ID
				life--
				return life == 0, nil
			},
		}
		if err := f.Run(ctx); err != nil {
			require.ErrorIs(t, err, killed)
		}
		kill(nil)
	}
	return seen, cursor
}

// requireChains holds the states of every subject to follow each other, the first from nothing.
func requireChains(t *testing.T, events []payments.Event) {
	t.Helper()
	states := map[string]string{}
	for _, e := range events {
		if e.To == nil {
			continue
		}
		before, known := states[e.SubjectID]
		require.Equal(t, known, e.From != nil, "%+v", e)
		if known {
			require.Equal(t, before, *e.From)
		}
		states[e.SubjectID] = *e.To
	}
}
