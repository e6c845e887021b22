package settings

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/shell"
)

// Flags are the settings on the command line: their texts by key, such as KeyBaseURL.
type Flags map[string]string

// A value is the text of a setting with its source. viper does not look into it, since it is not a map.
type value struct {
	text   string
	source Source
}

// Resolve determines every setting. A flag overrides the environment, which overrides the profile, which overrides the
// default. An empty variable counts as not set. Errors are [*Error].
//
// Some keys of a profile describe its service: credentials, authorities, the service map, idempotency keys. They apply
// only to the profile's base URL, and are ignored if a flag or a variable gives another one.
//
// PAYCTL_TOKEN and PAYCTL_CLIENT_SECRET belong to the origin of PAYCTL_BASE_URL, or else of PAYCTL_PROFILE, or else
// of the current profile. If one of them is set, a flag for another origin is an error.
func (f *File) Resolve(flags Flags, getenv func(string) string) (Settings, error) {
	s, err := f.resolve(flags, getenv)
	if err != nil {
		return Settings{}, err
	}
	if err := f.checkSecrets(s, flags, getenv); err != nil {
		return Settings{}, err
	}
	// After checkSecrets, whose message is more helpful if both fail.
	if s.BaseURL.Scheme == "http" && !s.AllowInsecureHTTP && !IsLoopback(s.BaseURL) {
		return Settings{}, &Error{
			Reason: fmt.Sprintf("%s (%s) is plain http to another machine, which would send credentials unencrypted",
				s.BaseURL, s.Sources[KeyBaseURL]),
			Next: shell.Note("use https, or accept it with " + FlagName(KeyAllowInsecureHTTP) + ", " + envInsecureHTTP +
				"=true or, for a profile's own base URL, " + KeyAllowInsecureHTTP),
		}
	}
	return s, nil
}

func (f *File) resolve(flags Flags, getenv func(string) string) (Settings, error) {
	v := viper.New()
	given := map[string]any{}
	v.SetDefault(KeyProfile, value{DefaultProfile, defaultValue})
	for _, k := range Keys() {
		if k.Default != "" {
			v.SetDefault(k.Name, value{k.Default, defaultValue})
		}
		if k.Variable != "" && getenv(k.Variable) != "" {
			text := getenv(k.Variable)
			if k.tag == "!!bool" { // like the variables of other programs
				text = cmp.Or(map[string]string{"1": "true", "0": "false"}[text], text)
			}
			v.Set(k.Name, value{text, Source(environmentPrefix + k.Variable)})
		}
		if text, ok := flags[k.Name]; ok {
			v.Set(k.Name, value{text, Source("flag " + FlagName(k.Name))})
		}
	}
	if f.current != "" {
		given[KeyProfile] = value{f.current, Source("current profile of " + f.Path())}
	}
	_ = v.MergeConfigMap(given) // it returns no error

	chosen := v.Get(KeyProfile).(value)
	stated, ok := f.profileValues(chosen.text)
	if !ok {
		return Settings{}, f.unknownProfile(chosen.text, chosen.source)
	}
	base, ok := v.Get(KeyBaseURL).(value)
	if !ok {
		base = stated[KeyBaseURL]
	}
	if base.text == "" {
		return Settings{}, &Error{
			Reason: fmt.Sprintf("profile %s has no %s", chosen.text, KeyBaseURL),
			Next:   shell.Payctl("profile set --", chosen.text, "base_url", "URL").With("or give --base-url or " + EnvBaseURL),
		}
	}
	if err := f.Broken(chosen.text); err != nil {
		return Settings{}, err
	}
	s := Settings{Sources: map[string]Source{}, ServiceMap: &servicemap.Map{}}
	own := stated[KeyBaseURL].text
	isOwn := sameBase(own, base.text)
	if service := f.profiles[chosen.text].service; service != nil && isOwn {
		s.ServiceMap = service
	}
	if base.source == environmentPrefix+EnvBaseURL && own != "" && !isOwn {
		s.Overridden = own
	}
	for name, value := range stated {
		keyName, _, _ := strings.Cut(name, ".")
		switch k := findKey(keyName); {
		case k.ofService && !isOwn:
			delete(stated, name)
		case k.IsMapping: // viper would change its names to lower case
			s.Sources[keyName] = value.source
		default:
			given[name] = value
		}
	}
	_ = v.MergeConfigMap(given)
	for _, k := range Keys() {
		if value, ok := v.Get(k.Name).(value); ok {
			if err := k.set(&s, value.text); err != nil {
				return Settings{}, invalidValue(string(value.source), err)
			}
			s.Sources[k.Name] = value.source
			stated[k.Name] = value
		}
		if _, ok := s.Sources[k.Name]; !ok {
			s.Sources[k.Name] = notSet
			stated[k.Name] = value{"", notSet}
		}
	}
	s.Origin = Origin(s.BaseURL)
	s.entries = entries(stated)
	return s, nil
}

// profileValues returns the values of a profile with their sources, and false if there is no such profile. The built-in
// values of DefaultProfile apply only to its built-in base URL.
func (f *File) profileValues(name string) (map[string]value, bool) {
	p, ok := f.profiles[name]
	values, own := map[string]value{}, p.flat()
	if name == DefaultProfile && (own[KeyBaseURL] == "" || sameBase(own[KeyBaseURL], DefaultBaseURL)) {
		for _, k := range Keys() {
			if k.local != "" {
				values[k.Name] = value{k.local, builtinProfile}
			}
		}
	}
	for key, text := range own {
		values[key] = value{text, Source(fmt.Sprintf("profile %s (%s)", name, f.Path()))}
	}
	return values, ok || name == DefaultProfile
}

// entries lists values in the order of the table, secrets hidden.
func entries(values map[string]value) []Entry {
	var all []Entry
	names := slices.Sorted(maps.Keys(values))
	for _, k := range Keys() {
		for _, name := range names {
			if name != k.Name && !strings.HasPrefix(name, k.Name+".") {
				continue
			}
			text := values[name].text
			if k.secret && text != "" {
				text = "set (hidden)"
			}
			all = append(all, Entry{Key: name, Value: text, Source: values[name].source})
		}
	}
	return all
}

// Value returns the value of one key of a profile, or else the default of the key, or else "". It is an error if
// there is no such profile.
func (f *File) Value(profile, name string) (string, error) {
	values, ok := f.profileValues(profile)
	if !ok {
		return "", f.unknownProfile(profile, "")
	}
	return cmp.Or(values[name].text, findKey(name).Default), nil
}

// ProfileEntries lists the profile's own values, without the environment, flags and defaults.
func (f *File) ProfileEntries(name string) ([]Entry, error) {
	values, ok := f.profileValues(name)
	if !ok {
		return nil, f.unknownProfile(name, "")
	}
	return entries(values), f.Broken(name)
}

func sameBase(a, b string) bool {
	x, errX := ParseBaseURL(a)
	y, errY := ParseBaseURL(b)
	return errX == nil && errY == nil && Origin(x) == Origin(y) && x.Path == y.Path
}

// checkSecrets returns an error for a flag that would send a secret in the environment to another origin than the
// environment names.
func (f *File) checkSecrets(s Settings, flags Flags, getenv func(string) string) error {
	variable := EnvToken
	if s.Token == "" {
		variable = EnvSecret
	}
	if s.Token == "" && s.ClientSecret == "" || flags[KeyBaseURL] == "" && flags[KeyProfile] == "" {
		return nil
	}
	intended, err := f.resolve(nil, getenv)
	switch {
	case err != nil:
		return &Error{
			Reason: fmt.Sprintf("%s is set, but its service is not clear: %v", variable, err),
			Next:   shell.Note("set " + EnvBaseURL + " as well"),
		}
	case intended.Origin == s.Origin:
		return nil
	}
	return &Error{
		Reason: fmt.Sprintf("%s belongs to %s (%s), but the flags name %s",
			variable, intended.Origin, intended.Sources[KeyBaseURL], s.Origin),
		Next: shell.Note("leave the flag out to stay there, unset "+variable+" to go on without it, or, if it is meant for "+
			"the other service, set "+EnvBaseURL+" to %s as well", s.BaseURL.String()),
	}
}
