package settings

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSecretsStayWithTheirOrigin(t *testing.T) {
	t.Parallel()
	const sandbox, work, other = "http://127.0.0.1:9", "https://work.example", "https://other.example"
	profile := func(s string) Flags { return Flags{KeyProfile: s} }
	base := func(s string) Flags { return Flags{KeyBaseURL: s} }
	both := func(p, b string) Flags { return Flags{KeyProfile: p, KeyBaseURL: b} }
	for _, variable := range []string{EnvToken, EnvSecret} {
		for _, c := range []struct {
			name    string
			flags   Flags
			env     []string
			origin  string // of the settings; "" when refused
			belongs string // named by the refusal
		}{
			{"no flag, current profile", Flags{}, nil, "https://work.example:443", ""},
			{"no flag, base URL", Flags{}, []string{EnvBaseURL, sandbox}, sandbox, ""},
			{"no flag, base URL over profile", Flags{}, []string{EnvBaseURL, sandbox, EnvProfile, "other"}, sandbox, ""},
			{"flag names the same", base(work + ":443/x"), nil, "https://work.example:443", ""},
			{"same profile", profile("work"), nil, "https://work.example:443", ""},
			{"same by other means", base(other), []string{EnvProfile, "other"}, "https://other.example:443", ""},
			{"flag away from current", base(other), nil, "", "https://work.example:443"},
			{"profile away from current", profile("other"), nil, "", "https://work.example:443"},
			{"flag away from base URL", base(work), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"profile away from base URL", profile("work"), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"flag away from named profile", base(work), []string{EnvProfile, "other"}, "", "https://other.example:443"},
			{"other port", base("http://127.0.0.1:10"), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"other scheme", base("https://127.0.0.1:9"), []string{EnvBaseURL, sandbox}, "", sandbox},
			{"base URL decides over profile", both("other", work), nil, "https://work.example:443", ""},
			{"other output only", Flags{KeyOutput: "json"}, []string{EnvBaseURL, sandbox}, sandbox, ""},
		} {
			t.Run(variable+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				s, err := twoProfiles(t).Resolve(c.flags, environ(append(c.env, variable, "hunter2")...))
				if c.origin != "" {
					require.NoError(t, err)
					require.Equal(t, c.origin, s.Origin)
					return
				}
				var usage *Error
				require.ErrorAs(t, err, &usage)
				require.Contains(t, usage.Reason, variable+" belongs to "+c.belongs)
				require.Contains(t, usage.Next, "unset "+variable)
				require.NotContains(t, err.Error(), "hunter2")
				require.Equal(t, Settings{}, s)

				_, err = twoProfiles(t).Resolve(c.flags, environ(c.env...))
				require.NoError(t, err, "without the secret the flag is fine")
			})
		}
	}
}

// Whatever the flags and the environment, a secret never leaves the origin that the environment means.
func TestSecretsNeverTravelProperty(t *testing.T) {
	t.Parallel()
	f := twoProfiles(t)
	rapid.Check(t, func(t *rapid.T) {
		urls := rapid.SampledFrom([]string{"", "https://work.example", "https://other.example/x", "http://localhost:1"})
		names := rapid.SampledFrom([]string{"", "work", "other", "local"})
		env := environ(EnvToken, "t", EnvBaseURL, urls.Draw(t, "env url"), EnvProfile, names.Draw(t, "env profile"))
		flags := Flags{}
		if u := urls.Draw(t, "flag url"); u != "" {
			flags[KeyBaseURL] = u
		}
		if p := names.Draw(t, "flag profile"); p != "" {
			flags[KeyProfile] = p
		}
		home, err := f.Resolve(Flags{}, env)
		require.NoError(t, err)
		if s, err := f.Resolve(flags, env); err == nil {
			require.Equal(t, home.Origin, s.Origin)
		} else {
			require.ErrorAs(t, err, new(*Error))
		}
	})
}

func TestSecretsAreHidden(t *testing.T) {
	t.Parallel()
	s, err := twoProfiles(t).Resolve(Flags{}, environ(EnvToken, "hunter2", EnvSecret, "hunter3"))
	require.NoError(t, err)
	require.Equal(t, "hunter2", s.Token)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "settings", s)
	encoded, err := json.Marshal(s)
	require.NoError(t, err)
	for _, text := range []string{
		s.String(), fmt.Sprint(s), fmt.Sprintf("%v %+v %#v %s", s, s, &s, &s), log.String(), string(encoded), fmt.Sprint(s.Entries()),
	} {
		require.NotContains(t, text, "hunter")
		require.Contains(t, text, "work")
	}
	require.Equal(t, "set (hidden)", shown(t, s, "token").Value)
}
