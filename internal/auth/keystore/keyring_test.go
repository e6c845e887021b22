package keystore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"
)

// newFake returns a store in a keyring in memory, which tests replace functions of.
func newFake() (s *keyringStore, items map[string]string) {
	var mu sync.Mutex
	items = map[string]string{}
	return &keyringStore{
		timeout: KeyringTimeout, probe: probed(false, nil),
		getItem: func(_, user string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			if value, ok := items[user]; ok {
				return value, nil
			}
			return "", keyring.ErrNotFound
		},
		setItem: func(_, user, value string) error {
			mu.Lock()
			defer mu.Unlock()
			items[user] = value
			return nil
		},
		deleteItem: func(_, user string) error {
			mu.Lock()
			defer mu.Unlock()
			if _, ok := items[user]; !ok {
				return keyring.ErrNotFound
			}
			delete(items, user)
			return nil
		},
	}, items
}

func probed(locked bool, err error) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) { return locked, err }
}

func exercise(t *testing.T, s Store) {
	t.Helper()
	ctx := t.Context()
	other := Key{Profile: testKey.Profile, Origin: "https://api.example.com:443"}
	_, err := s.Get(ctx, testKey)
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorIs(t, s.Delete(ctx, testKey), ErrNotFound)

	require.NoError(t, s.Set(ctx, testKey, testLogin()))
	got, err := s.Get(ctx, testKey)
	require.NoError(t, err)
	require.True(t, got == testLogin(), "%s", got)
	_, err = s.Get(ctx, other)
	require.ErrorIs(t, err, ErrNotFound, "a login is for one origin")

	bare := Login{AccessToken: "second", ObtainedAt: testNow.Add(time.Minute)}
	require.NoError(t, s.Set(ctx, testKey, bare))
	require.NoError(t, s.Set(ctx, other, Login{AccessToken: "third"}))
	got, err = s.Get(ctx, testKey)
	require.NoError(t, err)
	bare.Origin = testKey.Origin
	require.True(t, got == bare, "%s", got)
	require.ErrorIs(t, s.Set(ctx, other, bare), ErrOrigin)

	require.NoError(t, s.Delete(ctx, testKey))
	require.ErrorIs(t, s.Delete(ctx, testKey), ErrNotFound)
	_, err = s.Get(ctx, testKey)
	require.ErrorIs(t, err, ErrNotFound)
	got, err = s.Get(ctx, other)
	require.NoError(t, err)
	require.Equal(t, "third", got.AccessToken)
	require.NoError(t, s.Delete(ctx, other))

	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, s.Set(ended, testKey, bare), context.Canceled)
	_, err = s.Get(ended, testKey)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Get(ctx, testKey)
	require.ErrorIs(t, err, ErrNotFound, "nothing is stored after the end of the context")
}

func TestKeyringStore(t *testing.T) {
	t.Parallel()
	s, _ := newFake()
	exercise(t, s)
}

func TestKeyringComparesAfterSet(t *testing.T) {
	t.Parallel()
	older, newer, foreign := testLogin(), testLogin(), testLogin()
	older.ObtainedAt = testNow.Add(-time.Minute)
	newer.ObtainedAt = testNow.Add(time.Minute)
	foreign.ObtainedAt, foreign.Origin = newer.ObtainedAt, "https://elsewhere:443"
	same := testLogin()
	same.AccessToken = "another"
	for name, c := range map[string]struct {
		held *Login
		want error
	}{
		"nothing":                   {nil, ErrNotStored},
		"what was there before":     {&older, ErrNotStored},
		"another of the same time":  {&same, ErrNotStored},
		"a newer one, elsewhere's":  {&foreign, ErrNotStored},
		"another process's renewal": {&newer, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, items := newFake()
			s.setItem = func(string, string, string) error { return nil }
			if c.held != nil {
				value, err := encodeItem(*c.held)
				require.NoError(t, err)
				items["local@http://127.0.0.1:8700"] = value
			}
			require.ErrorIs(t, s.Set(t.Context(), testKey, testLogin()), c.want)
		})
	}
}

func TestKeyringChecksDelete(t *testing.T) {
	t.Parallel()
	s, _ := newFake()
	s.deleteItem = func(string, string) error { return nil }
	require.ErrorIs(t, s.Delete(t.Context(), testKey), ErrNotDeleted)
}

func TestKeyringSizes(t *testing.T) {
	t.Parallel()
	s, _ := newFake()
	s.setItem = func(string, string, string) error { t.Error("asked the keyring"); return nil }
	l := testLogin()
	l.AccessToken = strings.Repeat("t", 64<<10)
	require.ErrorIs(t, s.Set(t.Context(), testKey, l), ErrTooLarge)
	_, err := s.Get(t.Context(), Key{Profile: strings.Repeat("p", 600)})
	require.ErrorIs(t, err, ErrTooLarge)
}

func TestKeyringErrors(t *testing.T) {
	t.Parallel()
	odd := errors.New("failed to unlock correct collection")
	for name, c := range map[string]struct {
		locked         bool
		probe, backend error
		want           error
	}{
		"not found":             {backend: keyring.ErrNotFound, want: ErrNotFound},
		"not found, unlocked":   {locked: true, backend: keyring.ErrNotFound, want: ErrNotFound},
		"too big":               {backend: keyring.ErrSetDataTooBig, want: ErrTooLarge},
		"platform":              {backend: keyring.ErrUnsupportedPlatform, want: ErrAbsent},
		"locked":                {locked: true, backend: odd, want: ErrLocked},
		"unknown":               {backend: odd, want: odd},
		"no bus":                {probe: &Error{Kind: ErrAbsent, Cause: odd}, want: ErrAbsent},
		"unknown to the probe":  {probe: odd, want: odd},
		"an end of the context": {locked: true, backend: context.Canceled, want: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, _ := newFake()
			r.getItem = func(string, string) (string, error) { return "", c.backend }
			r.probe = probed(c.locked, c.probe)
			l, err := r.Get(t.Context(), testKey)
			require.ErrorIs(t, err, c.want)
			require.Zero(t, l)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.NotEmpty(t, e.Next())
			require.Equal(t, testKey, e.Key)
			for _, kind := range []error{ErrNotFound, ErrLocked, ErrAbsent, ErrTimeout, ErrTooLarge} {
				require.Equal(t, errors.Is(c.want, kind), errors.Is(err, kind), "%v is told apart", kind)
			}
		})
	}
}

func TestKeyringSurvivesPanics(t *testing.T) {
	t.Parallel()
	s, _ := newFake()
	s.getItem = func(string, string) (string, error) { panic("nil signal") }
	_, err := s.Get(t.Context(), testKey)
	require.ErrorContains(t, err, "nil signal")
}

func TestKeyringDeadline(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		locked bool
		want   error
	}{
		"silent":                    {false, ErrTimeout},
		"waiting in its own dialog": {true, ErrLocked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				defer close(release)
				r, _ := newFake()
				r.getItem = func(string, string) (string, error) { <-release; return "", keyring.ErrNotFound }
				r.probe = probed(c.locked, nil)
				start := time.Now()
				_, err := r.Get(t.Context(), testKey)
				require.ErrorIs(t, err, c.want)
				require.NotErrorIs(t, err, context.DeadlineExceeded, "that is the caller's")
				require.Equal(t, KeyringTimeout, time.Since(start))
			})
		})
	}
}

func TestKeyringContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		defer close(release)
		s, _ := newFake()
		s.getItem = func(string, string) (string, error) { <-release; return "", keyring.ErrNotFound }

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := s.Get(ctx, testKey)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, ErrTimeout)
		require.Equal(t, time.Second, time.Since(start))

		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(2*time.Second, stop)
		_, err = s.Get(ctx, testKey)
		require.ErrorIs(t, err, context.Canceled)
	})
}

// After a probe that answers too late nothing is written: the caller has already got an error.
func TestKeyringWritesNothingAfterALateProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		r, items := newFake()
		r.probe = func(context.Context) (bool, error) { <-release; return false, nil }
		require.ErrorIs(t, r.Set(t.Context(), testKey, testLogin()), ErrTimeout)
		close(release)
		synctest.Wait()
		require.Empty(t, items)
	})
}

func TestGetWithoutPromptUnlocksNothing(t *testing.T) {
	t.Parallel()
	s, _ := newFake()
	s.probe = probed(true, nil)
	s.getItem = func(string, string) (string, error) { t.Error("a locked keyring was asked"); return "", nil }
	_, err := GetWithoutPrompt(t.Context(), s, testKey)
	require.ErrorIs(t, err, ErrLocked)
}
