package config

import (
	"fmt"
	"net/url"

	"github.com/spf13/viper"
)

// A layered value is what viper holds under each key, so that the value that wins still knows which
// layer it came from. raw is a string or, for a mapping, a map[string]string: viper lower-cases the
// names in maps that it sees into, and operation ids have capitals.
type layered struct {
	raw    any
	source Source
}

// Resolve settles every setting: flag over environment over profile over default. An empty variable
// counts as not set.
//
// PAYCTL_TOKEN and PAYCTL_CLIENT_SECRET belong to the origin that PAYCTL_BASE_URL names, else
// PAYCTL_PROFILE, else the current profile. With one of them set, a flag that names another origin is a
// [*UsageError]: no credential of one service reaches another. What a profile vouches for
// (idempotency_keys, allow_insecure_http) holds for its own base URL only.
//
// Other errors are [*ValueError], [*UnknownProfileError] and [*UsageError]; all match [ErrUsage].
func (f *File) Resolve(flags Flags, getenv func(string) string) (Settings, error) {
	s, err := f.resolve(flags, getenv)
	if err != nil {
		return Settings{}, err
	}
	if err := f.guardSecrets(s, flags, getenv); err != nil {
		return Settings{}, err
	}
	// After guardSecrets, whose refusal explains more when both apply.
	if s.BaseURL.Scheme == "http" && !s.AllowInsecureHTTP && !IsLoopback(s.BaseURL) {
		return Settings{}, &UsageError{
			Reason: fmt.Sprintf("%s (%s) is plain http to another machine, which would show credentials to the network", s.BaseURL, s.Sources[keyBaseURL]),
			Hint:   fmt.Sprintf("use https, or accept it with %s or, for a profile's own base URL, %s", flagInsecure, keyInsecure),
		}
	}
	return s, nil
}

func (f *File) resolve(flags Flags, getenv func(string) string) (Settings, error) {
	table := keys()
	environment, commandLine := environmentLayer(table, getenv), flagLayer(table, flags)

	named := stack(table, []map[string]any{f.currentLayer(), environment}, commandLine)
	name := named.Get(keyProfile).(layered)
	if _, err := profileName(name.raw.(string)); err != nil {
		return Settings{}, &ValueError{Key: keyProfile, Source: name.source, Reason: err.Error()}
	}
	own, ok := f.profileLayers(name.raw.(string))
	if !ok {
		return Settings{}, &UnknownProfileError{Name: name.raw.(string), Source: name.source, Known: f.Profiles()}
	}

	base, ok := stack(table, append(own, environment), commandLine).Get(keyBaseURL).(layered)
	if !ok {
		return Settings{}, &UsageError{
			Reason: fmt.Sprintf("profile %s has no %s", name.raw, keyBaseURL),
			Hint:   fmt.Sprintf("run 'payctl profile set %s %s URL', or give %s or %s", name.raw, keyBaseURL, flagBaseURL, EnvBaseURL),
		}
	}
	layers := append(vouchedFor(table, own, base.raw.(string)), f.currentLayer(), environment)
	won := stack(table, layers, commandLine)

	s := Settings{Sources: map[string]Source{}, raw: map[string]any{}}
	for _, k := range table {
		value, ok := won.Get(k.name).(layered)
		if !ok {
			s.Sources[k.name] = unsetValue
			continue
		}
		typed, err := k.typed(value.raw)
		if err != nil {
			return Settings{}, &ValueError{Key: k.name, Source: value.source, Reason: err.Error()}
		}
		k.setting(&s, typed)
		s.raw[k.name], s.Sources[k.name] = value.raw, value.source
	}
	return s, nil
}

// stack lets viper decide which layer wins: the defaults, over them the layers from the lowest to the
// highest, and the command line over all. Merging copies the layers into viper's own map. The key
// delimiter is one that no key holds; the environment is passed in, for viper would read the process's.
func stack(table []key, layers []map[string]any, commandLine map[string]any) *viper.Viper {
	v := viper.NewWithOptions(viper.KeyDelimiter("::"))
	for _, k := range table {
		if k.fallback != "" {
			v.SetDefault(k.name, layered{k.fallback, defaultValue})
		}
	}
	for _, layer := range layers {
		// The error is that of reading a file, and is always nil for a map.
		_ = v.MergeConfigMap(layer)
	}
	for name, value := range commandLine {
		v.Set(name, value)
	}
	return v
}

func environmentLayer(table []key, getenv func(string) string) map[string]any {
	layer := map[string]any{}
	for _, k := range table {
		if k.env == "" {
			continue
		}
		if text := getenv(k.env); text != "" {
			layer[k.name] = layered{text, Source("environment " + k.env)}
		}
	}
	return layer
}

func flagLayer(table []key, flags Flags) map[string]any {
	layer := map[string]any{}
	for _, k := range table {
		if k.given == nil {
			continue
		}
		if text, ok := k.given(flags); ok {
			layer[k.name] = layered{text, Source("flag " + k.flag)}
		}
	}
	return layer
}

// vouchedFor leaves out of each profile layer the judgements about a service that is not the one at
// base. A layer without a base URL of its own speaks of the base URL below it.
func vouchedFor(table []key, layers []map[string]any, base string) []map[string]any {
	var kept []map[string]any
	about := ""
	for _, layer := range layers {
		if own, ok := layer[keyBaseURL].(layered); ok {
			about = own.raw.(string)
		}
		copied := map[string]any{}
		for _, k := range table {
			if value, ok := layer[k.name]; ok && (!k.vouched || sameBase(about, base)) {
				copied[k.name] = value
			}
		}
		kept = append(kept, copied)
	}
	return kept
}

func sameBase(a, b string) bool {
	x, errX := ParseBaseURL(a)
	y, errY := ParseBaseURL(b)
	return errX == nil && errY == nil && Origin(x) == Origin(y) && x.Path == y.Path
}

// guardSecrets refuses a flag that would take a secret of the environment to another origin than the
// one the environment means.
func (f *File) guardSecrets(s Settings, flags Flags, getenv func(string) string) error {
	variable := EnvToken
	if s.Token == "" {
		variable = EnvSecret
	}
	if s.Token == "" && s.ClientSecret == "" || flags.BaseURL == nil && flags.Profile == nil {
		return nil
	}
	flag, aims := f.aim(s, flags)
	home, err := f.resolve(Flags{}, getenv)
	if err != nil {
		return &UsageError{
			Reason: fmt.Sprintf("%s is set, but which service it belongs to cannot be told: %v", variable, err),
			Hint:   fmt.Sprintf("set %s beside it", EnvBaseURL),
		}
	}
	if Origin(aims) == home.Origin && s.Origin == home.Origin {
		return nil
	}
	return &UsageError{
		Reason: fmt.Sprintf("%s belongs to %s (%s), but flag %s names %s", variable, home.Origin, home.Sources[keyBaseURL], flag, Origin(aims)),
		Hint: fmt.Sprintf("leave the flag out to stay there, unset %s to go on without it, or, if it is meant for %s, set %s=%s beside it",
			variable, Origin(aims), EnvBaseURL, aims),
	}
}

// aim returns the base URL that the flags name and the flag that names it. A profile that is named by
// flag counts even where PAYCTL_BASE_URL overrides it: the user asked for that service.
func (f *File) aim(s Settings, flags Flags) (string, *url.URL) {
	if flags.BaseURL != nil {
		return flagBaseURL, s.BaseURL
	}
	if p, _ := f.Profile(s.Profile); p.BaseURL != "" {
		if u, err := ParseBaseURL(p.BaseURL); err == nil {
			return flagProfile, u
		}
	}
	return flagProfile, s.BaseURL
}
