package settings

import (
	"fmt"
	"maps"
	"net/url"

	"github.com/spf13/viper"

	"github.com/payctl/payctl/internal/shell"
)

// A layer has values by key: those of the flags, the environment, a profile or the defaults.
type layer map[string]sourced

// A sourced value knows its source. raw is a string or, for a mapping, a map[string]string.
type sourced struct {
	raw    any
	source Source
}

// Resolve determines every setting: a flag wins over the environment, that over the profile, and that over the default.
// An empty variable counts as not set.
//
// PAYCTL_TOKEN and PAYCTL_CLIENT_SECRET belong to the origin of PAYCTL_BASE_URL, or else of PAYCTL_PROFILE, or else of
// the current profile. If one of them is set, a flag that names another origin is an error: the credentials of one
// service are never sent to another. What a profile states about its service (ca_cert, idempotency_keys,
// allow_insecure_http) is ignored at any other base URL. Without a folder of the configuration, a flag or a variable has
// to give the base URL. Errors are [*Error].
func (f *File) Resolve(flags Flags, getenv func(string) string) (Settings, error) {
	s, err := f.resolve(flags, getenv)
	if err != nil {
		return Settings{}, err
	}
	if err := f.checkSecrets(s, flags, getenv); err != nil {
		return Settings{}, err
	}
	// After checkSecrets, whose message is more helpful when both fail.
	if s.BaseURL.Scheme == "http" && !s.AllowInsecureHTTP && !IsLoopback(s.BaseURL) {
		return Settings{}, &Error{
			Reason: fmt.Sprintf("%s (%s) is plain http to another machine, which would show credentials to the network",
				s.BaseURL, s.Sources[KeyBaseURL]),
			Next: "use https, or accept it with " + FlagName(KeyAllowInsecureHTTP) + ", " + EnvInsecureHTTP +
				"=true or, for a profile's own base URL, " + KeyAllowInsecureHTTP,
		}
	}
	return s, nil
}

func (f *File) resolve(flags Flags, getenv func(string) string) (Settings, error) {
	defaults, current, environment, commandLine := layer{}, layer{}, layer{}, layer{}
	for _, k := range keys() {
		if k.fallback != "" {
			defaults[k.name] = sourced{k.fallback, defaultValue}
		}
		if k.env != "" && getenv(k.env) != "" {
			environment[k.name] = sourced{k.fromEnvironment(getenv(k.env)), Source(environmentPrefix + k.env)}
		}
		if text, ok := flags[k.name]; ok {
			commandLine[k.name] = sourced{text, Source("flag " + FlagName(k.name))}
		}
	}
	if f.doc.current != "" {
		current[KeyProfile] = sourced{f.doc.current, Source("current profile of " + f.Path())}
	}

	named := merge(defaults, current, environment, commandLine)[KeyProfile]
	profile := named.raw.(string)
	if _, err := profileName(profile); err != nil {
		return Settings{}, invalidValue(string(named.source), err)
	}
	layers, ok := f.profileLayers(profile)
	if !ok {
		return Settings{}, f.unknownProfile(profile, named.source)
	}
	named = merge(append(layers, environment, commandLine)...)[KeyBaseURL]
	if f.nowhere != nil && named.source.IsBuiltIn() { // a file that is not found may name another service
		unknown := *f.nowhere
		unknown.Next = "set " + EnvBaseURL + " to the URL of the service, or " + EnvConfigDir + " to the folder of a configuration"
		return Settings{}, &unknown
	}
	base, ok := named.raw.(string)
	if !ok {
		return Settings{}, &Error{
			Reason: fmt.Sprintf("profile %s has no %s", profile, KeyBaseURL),
			Next: shell.Hint("run payctl profile set -- PROFILE base_url URL   (or give --base-url or "+EnvBaseURL+")",
				shell.Values{"PROFILE": profile}),
		}
	}
	layers = append([]layer{defaults, current}, withoutOtherURLs(layers, base)...)
	s := Settings{Sources: map[string]Source{}, values: merge(append(layers, environment, commandLine)...)}
	for _, k := range keys() {
		value, ok := s.values[k.name]
		if !ok {
			s.Sources[k.name] = notSet
			continue
		}
		typed := value.raw // a mapping, whose values were checked when the file was read
		if text, ok := value.raw.(string); ok {
			var err error
			if typed, err = k.check(text); err != nil {
				return Settings{}, invalidValue(string(value.source), err)
			}
		}
		k.set(&s, typed)
		s.Sources[k.name] = value.source
	}
	return s, nil
}

// merge returns the values of the layers, of which the later wins. The decision is viper's. It gets each value as a
// sourced struct, since it would change the operation ids of a plain map to lower case, and a key delimiter that occurs
// in no key.
func merge(layers ...layer) layer {
	v := viper.NewWithOptions(viper.KeyDelimiter("::"))
	for _, l := range layers {
		values := map[string]any{}
		for name, value := range l {
			values[name] = value
		}
		_ = v.MergeConfigMap(values) // which returns nil
	}
	merged := layer{}
	for _, k := range keys() {
		if value, ok := v.Get(k.name).(sourced); ok {
			merged[k.name] = value
		}
	}
	return merged
}

// withoutOtherURLs removes from the layers of a profile the statements about a service that is not the one at base. A
// layer without a base URL of its own refers to that of the layer below it.
func withoutOtherURLs(layers []layer, base string) []layer {
	var kept []layer
	about := ""
	for _, l := range layers {
		if own, ok := l[KeyBaseURL].raw.(string); ok {
			about = own
		}
		l = maps.Clone(l)
		maps.DeleteFunc(l, func(name string, _ sourced) bool {
			k, _ := findKey(name)
			return k.perURL && !sameBase(about, base)
		})
		kept = append(kept, l)
	}
	return kept
}

func sameBase(a, b string) bool {
	x, errX := ParseBaseURL(a)
	y, errY := ParseBaseURL(b)
	return errX == nil && errY == nil && Origin(x) == Origin(y) && x.Path == y.Path
}

// checkSecrets returns an error for a flag that would send a secret of the environment to another origin than the one
// that the environment means.
func (f *File) checkSecrets(s Settings, flags Flags, getenv func(string) string) error {
	variable := EnvToken
	if s.Token == "" {
		variable = EnvSecret
	}
	_, namesURL := flags[KeyBaseURL]
	_, namesProfile := flags[KeyProfile]
	if s.Token == "" && s.ClientSecret == "" || !namesURL && !namesProfile {
		return nil
	}
	intended, err := f.resolve(nil, getenv)
	if err != nil {
		return &Error{
			Reason: fmt.Sprintf("%s is set, but it is not clear to which service it belongs: %v", variable, err),
			Next:   "set " + EnvBaseURL + " as well",
		}
	}
	flag, target := KeyBaseURL, s.BaseURL
	if !namesURL {
		// The profile counts even where PAYCTL_BASE_URL overrides its base URL: the user asked for that service.
		flag = KeyProfile
		target = f.ownURL(s)
	}
	if Origin(target) == intended.Origin && s.Origin == intended.Origin {
		return nil
	}
	return &Error{
		Reason: fmt.Sprintf("%s belongs to %s (%s), but flag %s names %s",
			variable, intended.Origin, intended.Sources[KeyBaseURL], FlagName(flag), Origin(target)),
		Next: shell.Hint("leave the flag out to stay there, unset VARIABLE to go on without it, or, if it is meant for "+
			"the other service, set "+EnvBaseURL+" to URL as well",
			shell.Values{"VARIABLE": variable, "URL": target.String()}),
	}
}

// ownURL is the base URL of the profile of s, or that of s if the profile has none.
func (f *File) ownURL(s Settings) *url.URL {
	if p, _ := f.Profile(s.Profile); p.BaseURL != "" {
		if u, err := ParseBaseURL(p.BaseURL); err == nil {
			return u
		}
	}
	return s.BaseURL
}
