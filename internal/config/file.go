package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/nearest"
	"github.com/payctl/payctl/internal/safefile"
)

// largestFile bounds what is read of the configuration file, in bytes.
const largestFile = 1 << 20

// File is the configuration file of one folder, with the changes made to it since [Load]. It is for one
// goroutine at a time; several programs may change one file at once.
type File struct {
	dir    string
	doc    *document
	edits  []edit
	checks []OperationCheck
}

// An OperationCheck says why an operation cannot be mapped to a "METHOD /path" that is well-formed; nil when it can.
type OperationCheck func(operationID, mapping string) error

// Load reads the configuration file in dir. A file that is absent is an empty configuration, in which
// [DefaultProfile] exists all the same. A file that cannot be understood, has an unknown key or passes
// 1 MiB is a [*FileError]. The checks hold the operations of each profile to what the caller knows of them.
func Load(dir string, checks ...OperationCheck) (*File, error) {
	path := filepath.Join(dir, FileName)
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	doc, err := parseDocument(data)
	if err == nil {
		err = doc.checkOperations(checks)
	}
	if err != nil {
		var bad *FileError
		if errors.As(err, &bad) {
			bad.Path = path
		}
		return nil, err
	}
	return &File{dir: dir, doc: doc, checks: checks}, nil
}

func read(path string) ([]byte, error) {
	data, err := safefile.ReadTrusted(path, largestFile)
	if found, ok := errors.AsType[*safefile.Error](err); ok {
		return nil, &FileError{Path: path, Reason: found.Reason + "; " + found.Next}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &FolderError{Op: "read", Path: path, Err: err}
	case len(data) > largestFile:
		return nil, &FileError{Path: path, Reason: fmt.Sprintf("larger than %d bytes, which no configuration needs; is it the right file?", largestFile)}
	}
	return data, nil
}

// Path returns the path of the configuration file, whether it exists or not.
func (f *File) Path() string { return filepath.Join(f.dir, FileName) }

// Profiles returns the names of the profiles in order, [DefaultProfile] always among them.
func (f *File) Profiles() []string { return f.doc.names() }

// Profile returns what the profile states, and false when there is none of that name.
func (f *File) Profile(name string) (Profile, bool) {
	raw, _, ok := f.profileValues(name)
	if !ok {
		return Profile{}, false
	}
	var p Profile
	for _, k := range keys() {
		value, set := raw[k.name]
		if k.profile == nil || !set {
			continue
		}
		// Load and SetValue have checked every value.
		if typed, err := k.typed(value); err == nil {
			k.profile(&p, typed)
		}
	}
	return p, true
}

// ProfileEntries lists what the profile states for itself, without the environment, flags and defaults.
// It is an [*UnknownProfileError] when there is none of that name.
func (f *File) ProfileEntries(name string) ([]Entry, error) {
	raw, sources, ok := f.profileValues(name)
	if !ok {
		return nil, &UnknownProfileError{Name: name, Known: f.Profiles()}
	}
	return entries(raw, sources, func(k key) bool { return raw[k.name] != nil }), nil
}

// Current returns the profile that is used when neither a flag nor the environment names one.
func (f *File) Current() string {
	if f.doc.current == "" {
		return DefaultProfile
	}
	return f.doc.current
}

// SetValue sets one key of a profile, which comes to exist by it. The operations are set one at a time,
// with a key such as operations.getKycStatus. An empty value takes the key out, except for
// idempotency_keys, for which it states that keys are not honoured. The change is written by [File.Save].
//
// Errors are [*UnknownKeyError], which lists the keys there are, [*ValueError], and
// [*UnknownProfileError] when there is nothing to take a key out of.
func (f *File) SetValue(profile, name, value string) error {
	if _, err := profileName(profile); err != nil {
		return &ValueError{Key: keyProfile, Reason: err.Error()}
	}
	keyName, member, dotted := strings.Cut(name, ".")
	k, ok := findKey(keyName)
	if ok && k.secret {
		return &ValueError{Key: k.name, Reason: fmt.Sprintf("secrets are not kept in the configuration file; run 'payctl auth login' or set %s", k.env)}
	}
	if !ok || !k.inProfile || dotted && !k.many {
		known := settable()
		return &UnknownKeyError{Key: name, Nearest: nearest.Guess(name, known), Known: known}
	}
	if k.many && (dotted || value != "") {
		if err := operationID(member); err != nil {
			return &ValueError{Key: name, Reason: fmt.Sprintf("%v; name it after a dot, as in %s.getKycStatus", err, k.name)}
		}
	}
	if value == "" && !k.emptyOK {
		if !slices.Contains(f.Profiles(), profile) {
			return &UnknownProfileError{Name: profile, Known: f.Profiles()}
		}
		return f.apply(unsetEdit(profile, k, member))
	}
	if k.file && !filepath.IsAbs(value) {
		full, err := filepath.Abs(value)
		if err != nil {
			return &ValueError{Key: name, Reason: err.Error()}
		}
		value = full
	}
	if _, err := k.check(value); err != nil {
		return &ValueError{Key: name, Reason: err.Error()}
	}
	if k.many {
		if err := checkOperation(f.checks, member, value); err != nil {
			return &ValueError{Key: name, Reason: err.Error()}
		}
	}
	return f.apply(setEdit(profile, k, member, value))
}

// Use makes the profile the current one. It is an [*UnknownProfileError] when there is none of that
// name. The change is written by [File.Save].
func (f *File) Use(name string) error { return f.apply(useEdit(name)) }

// Remove takes the profile out of the file; when it was the current one, [DefaultProfile] becomes
// current. Removing DefaultProfile restores its built-in values. It is an [*UnknownProfileError] when
// there is none of that name. The change is written by [File.Save].
func (f *File) Remove(name string) error {
	if !slices.Contains(f.Profiles(), name) {
		return &UnknownProfileError{Name: name, Known: f.Profiles()}
	}
	return f.apply(removeEdit(name))
}

func (f *File) apply(change edit) error {
	if err := change(f.doc); err != nil {
		return err
	}
	f.edits = append(f.edits, change)
	return nil
}

// profileLayers returns what is known of a profile, from the lowest layer to the highest.
func (f *File) profileLayers(name string) ([]map[string]any, bool) {
	var layers []map[string]any
	if name == DefaultProfile {
		builtin := map[string]any{}
		for _, k := range keys() {
			if k.local != "" {
				builtin[k.name] = layered{k.local, builtinProfile}
			}
		}
		layers = append(layers, builtin)
	}
	if values, ok := f.doc.profiles[name]; ok {
		own := map[string]any{}
		for key, raw := range values {
			own[key] = layered{raw, Source(fmt.Sprintf("profile %s (%s)", name, f.Path()))}
		}
		layers = append(layers, own)
	}
	return layers, len(layers) > 0
}

// profileValues lays the layers of a profile over each other.
func (f *File) profileValues(name string) (raw map[string]any, sources map[string]Source, ok bool) {
	layers, ok := f.profileLayers(name)
	if !ok {
		return nil, nil, false
	}
	table := keys()
	base, _ := stack(table, layers, nil).Get(keyBaseURL).(layered)
	about, _ := base.raw.(string)
	merged := map[string]any{}
	for _, layer := range vouchedFor(table, layers, about) {
		maps.Copy(merged, layer)
	}
	raw, sources = map[string]any{}, map[string]Source{}
	for name, value := range merged {
		value := value.(layered)
		raw[name], sources[name] = value.raw, value.source
	}
	return raw, sources, true
}

func (f *File) currentLayer() map[string]any {
	if f.doc.current == "" {
		return nil
	}
	return map[string]any{keyProfile: layered{f.doc.current, Source("current profile of " + f.Path())}}
}

// settable lists the keys as SetValue takes them.
func settable() []string {
	var names []string
	for _, k := range keys() {
		switch {
		case k.inProfile && k.many:
			names = append(names, k.name+".OPERATION")
		case k.inProfile:
			names = append(names, k.name)
		}
	}
	return names
}
