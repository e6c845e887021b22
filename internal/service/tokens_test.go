package service_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sandbox"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
	"github.com/payctl/payctl/internal/store/memory"
)

func newIdentity(clients map[string]string) (*service.Identity, *sandbox.Clock) {
	clock := sandbox.NewManualClock(paytestStart)
	world := func(context.Context, string) (*store.World, time.Time, error) {
		return &store.World{Instance: "wld_1"}, clock.Now(), nil
	}
	return &service.Identity{Store: memory.New(), Clients: clients, Lifetime: time.Hour, World: world}, clock
}

// The next login deletes an expired token, unless the clock that it expires by stands still.
func TestExpiredTokensGo(t *testing.T) {
	t.Parallel()
	for mode, isKept := range map[payments.ClockMode]bool{"real": false, "scaled": false, "manual": true} {
		identity, clock := newIdentity(nil)
		identity.Lifetime = time.Nanosecond
		identity.World = func(context.Context, string) (*store.World, time.Time, error) {
			return &store.World{Instance: "wld_1", Clock: store.Clock{Mode: mode, Scale: 60}}, clock.Now(), nil
		}
		token := must(identity.CreateAccessToken(background, "sandbox", "secret", payments.AccessTokenRequest{}))
		must(identity.CreateAccessToken(background, "sandbox", "secret", payments.AccessTokenRequest{}))
		_, err := identity.FindToken(background, token.AccessToken)
		require.Equal(t, isKept, err == nil, mode)
	}
}

// The first login of a client fixes its secret, unless clients are configured. A refusal does not say what is wrong.
func TestSecretsOfClients(t *testing.T) {
	t.Parallel()
	open, _ := newIdentity(nil)
	named, _ := newIdentity(map[string]string{"a": "secret"})
	details := map[string]bool{}
	for _, test := range []struct {
		identity   *service.Identity
		id, secret string
		works      bool
	}{
		{open, "a", "first", true}, {open, "a", "second", false}, {open, "a", "first", true}, {open, "b", "second", true},
		{open, "", "x", false}, {open, "c", "", false}, {open, "A", "x", true},
		{named, "a", "secret", true}, {named, "a", "other", false}, {named, "b", "secret", false}, {named, "", "", false},
	} {
		_, err := test.identity.CreateAccessToken(background, test.id, test.secret, payments.AccessTokenRequest{})
		if test.works {
			require.NoError(t, err)
			continue
		}
		refusal := requireRefused(t, err, payments.ProblemUnauthenticated)
		if test.identity == named {
			details[refusal.Detail] = true
		}
	}
	require.Len(t, details, 1)
}

// Secrets are compared in constant time, so the time does not reveal how much of a guess is right. Lookups use hashes.
func TestSecretsAreComparedInConstantTime(t *testing.T) {
	t.Parallel()
	const secret = `(?i:(client)?secret|\w*hash|(access)?token|\w*password\w*|given|expected)(\[.*\])?`
	compares := regexp.MustCompile(`\b` + secret + ` [!=]= [^"n\d]` +
		`|[\w\]] [!=]= (\w+\.)?` + secret + `(\)| |\n)` +
		`|(bytes|strings)\.(Equal|EqualFold|Compare)\(.*\b` + secret + `\b`)
	constant := 0
	for _, folder := range []string{".", "../server", "../sandbox", "../refserver"} {
		files := must(filepath.Glob(filepath.Join(folder, "*.go")))
		for _, file := range files {
			text := must(os.ReadFile(file))
			if !strings.HasSuffix(file, "_test.go") {
				require.Empty(t, compares.FindString(string(text)), file)
				constant += strings.Count(string(text), "subtle.ConstantTimeCompare(")
			}
		}
	}
	require.Equal(t, 2, constant, "for configured clients, and for others")
}
