package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/suggest"
)

// FileName is the name of the configuration file inside the folder that [Dir] returns.
const FileName = "config.yaml"

// maxFile is the most bytes of the configuration file that are read: far more than any number of profiles takes.
const maxFile = 1 << 20

// File is the configuration file of one folder, with the changes made to it since [Load]. It is not safe for concurrent
// use. Several processes may change one file at once.
type File struct {
	dir     string
	doc     *document
	nowhere *Error                  // why there is no folder; nil: there is one
	changes []func(*document) error // not saved yet
}

// Profile is what commands show of a profile: its own values and, for [DefaultProfile], the built-in ones.
type Profile struct {
	BaseURL  string
	ClientID string
}

// An OperationCheck returns an error if an operation cannot be mapped to a "METHOD /path", which is well-formed.
type OperationCheck func(operationID, mapping string) error

// Open is [Load] for the folder that the environment names. If it names none, as in a container without HOME, the
// configuration is empty and cannot be saved.
func Open(getenv func(string) string, check OperationCheck) (*File, error) {
	dir, err := Dir(getenv)
	if unknown, ok := errors.AsType[*Error](err); ok && errors.Is(err, errNoFolder) {
		f := Empty()
		f.nowhere = unknown
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	return Load(dir, check)
}

// Load reads the configuration file in dir. A file that does not exist is an empty configuration, in which
// [DefaultProfile] exists all the same. A file that is malformed, has an unknown key or exceeds 1 MiB is an [*Error].
// The check, which may be nil, is applied to the operations of each profile.
func Load(dir string, check OperationCheck) (*File, error) {
	path := filepath.Join(dir, FileName)
	data, err := read(path)
	if err != nil {
		return nil, err
	}
	doc, err := documentOf(path, data, check)
	if err != nil {
		return nil, err
	}
	return &File{dir: dir, doc: doc}, nil
}

// read returns the text of the configuration file; none if it does not exist.
func read(path string) ([]byte, error) {
	data, err := securefile.ReadTrusted(path, maxFile)
	unsafe, isUnsafe := errors.AsType[*securefile.Error](err)
	switch {
	case isUnsafe:
		return nil, unsafeError(unsafe)
	case errors.Is(err, fs.ErrPermission):
		denied := folderError("read", path, err)
		denied.Fix = securefile.ReadableCommand(path)
		return nil, denied
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, folderError("read", path, err)
	case len(data) > maxFile:
		reason := fmt.Sprintf("larger than %d bytes, which no configuration needs; is it the right file?", maxFile)
		return nil, &Error{Path: path, Reason: reason, Fix: securefile.MoveCommand(path)}
	}
	return data, nil
}

// documentOf is parseDocument for the text of a file, which its errors name.
func documentOf(path string, data []byte, check OperationCheck) (*document, error) {
	doc, err := parseDocument(data, check)
	if bad, ok := errors.AsType[*Error](err); ok {
		bad.Path = path
		bad.Fix = editCommand(path, bad.Line)
	}
	return doc, err
}

// editCommand returns the command that opens a file in an editor, at a line where the editor can be told so.
func editCommand(path string, line int) string {
	if runtime.GOOS == "windows" {
		return shell.Hint("notepad FILE", shell.Values{"FILE": path})
	}
	return shell.Hint("${EDITOR:-vi} +LINE -- FILE", shell.Values{"+LINE": fmt.Sprintf("+%d", line), "FILE": path})
}

// Empty is the configuration of a user who has no file. It cannot be saved.
func Empty() *File {
	doc, _ := parseDocument(nil, nil) // an empty document is valid
	return &File{doc: doc}
}

// Places lists the folder dir of the configuration and the file in it, each with its check.
func Places(dir string) []securefile.Place {
	path := filepath.Join(dir, FileName)
	return []securefile.Place{
		{Path: dir, Folder: true, Public: true, Check: func() error { return securefile.CheckTrusted(dir) }},
		{Path: path, Check: func() error {
			_, err := securefile.ReadTrusted(path, 0)
			return err
		}},
	}
}

// Nowhere returns why the environment names no folder of the configuration; nil if it names one.
func (f *File) Nowhere() *Error { return f.nowhere }

// Path returns the path of the configuration file, whether it exists or not.
func (f *File) Path() string { return filepath.Join(f.dir, FileName) }

// Profiles returns the names of the profiles in order. [DefaultProfile] is always among them.
func (f *File) Profiles() []string {
	names := sortedNames(f.doc.profiles)
	if _, ok := f.doc.profiles[DefaultProfile]; !ok {
		names = append(names, DefaultProfile)
		slices.Sort(names)
	}
	return names
}

// Profile returns the profile, and false when there is none of that name.
func (f *File) Profile(name string) (Profile, bool) {
	values, ok := f.profileValues(name)
	base, _ := values[KeyBaseURL].raw.(string)
	client, _ := values["client_id"].raw.(string)
	return Profile{BaseURL: base, ClientID: client}, ok
}

// ProfileEntries lists the profile's own values, without the environment, flags and defaults.
func (f *File) ProfileEntries(name string) ([]Entry, error) {
	values, ok := f.profileValues(name)
	if !ok {
		return nil, f.unknownProfile(name, "")
	}
	return entries(values, false), nil
}

// Current returns the profile that is used when neither a flag nor the environment names one.
func (f *File) Current() string {
	if f.doc.current == "" {
		return DefaultProfile
	}
	return f.doc.current
}

// Unset removes one key of a profile, named as in [File.SetValue], if the profile has it. [File.Save] writes the change.
func (f *File) Unset(profile, name string) error {
	if !slices.Contains(f.Profiles(), profile) {
		return f.unknownProfile(profile, "")
	}
	k, member, err := profileKey(name)
	if err != nil {
		return err
	}
	return f.change(func(d *document) error { d.unset(profile, k, member); return nil })
}

// SetValue sets one key of a profile, and creates the profile if it does not exist. The operations are set one at a
// time, with a key such as operations.getKycStatus. An empty value removes the key, except for idempotency_keys, where
// it means that keys are not honoured. [File.Save] writes the change.
func (f *File) SetValue(profile, name, value string) error {
	if _, err := profileName(profile); err != nil {
		return invalidValue(KeyProfile, err)
	}
	k, member, err := profileKey(name)
	if err != nil {
		return err
	}
	if k.isMap && (member != "" || value != "") {
		if err := operationID(member); err != nil {
			return invalidValue(name, fmt.Errorf("%w; name it after a dot, as in %s.getKycStatus", err, k.name))
		}
	}
	if value == "" && !k.emptyOK {
		return f.Unset(profile, name)
	}
	if k.isPath && !filepath.IsAbs(value) {
		absolute, err := filepath.Abs(value)
		if err != nil {
			return invalidValue(name, err)
		}
		value = absolute
	}
	_, err = k.check(value)
	if err == nil && k.isMap && f.doc.check != nil {
		err = f.doc.check(member, value)
	}
	if err != nil {
		return invalidValue(name, err)
	}
	return f.change(func(d *document) error { d.set(profile, k, member, value); return nil })
}

// profileKey returns the key of a profile that a name means, and the member if the key is a mapping and the name has one.
func profileKey(name string) (k key, member string, err error) {
	keyName, member, dotted := strings.Cut(name, ".")
	k, ok := findKey(keyName)
	if ok && k.secret {
		return k, "", &Error{
			Reason: k.name + ": secrets are not kept in the configuration file",
			Next:   shell.Hint("set VARIABLE or run payctl auth login", shell.Values{"VARIABLE": k.env}),
		}
	}
	if !ok || !k.inProfile || dotted && (!k.isMap || member == "") {
		return k, "", unknownKey(name)
	}
	return k, member, nil
}

// ErrNotSet is the error of a key that a profile does not have, and that has no default.
var ErrNotSet = errors.New("it is not set, and there is no default")

// Value returns the value of one key of a profile, named as in [File.SetValue], or else the default of the key. The
// error matches ErrNotSet if there is none.
func (f *File) Value(profile, name string) (string, error) {
	values, ok := f.profileValues(profile)
	if !ok {
		return "", f.unknownProfile(profile, "")
	}
	k, member, err := profileKey(name)
	if err != nil {
		return "", err
	}
	switch value := values[k.name].raw.(type) {
	case string:
		return value, nil
	case map[string]string:
		if member == "" {
			reason := k.name + " has a value for each operation: " + strings.Join(sortedNames(value), ", ")
			return "", &Error{Reason: reason, Next: "name one after a dot, as in operations.getKycStatus"}
		}
		if text, ok := value[member]; ok {
			return text, nil
		}
	}
	if k.fallback == "" {
		return "", fmt.Errorf("the profile %s has no %s: %w", profile, name, ErrNotSet)
	}
	return k.fallback, nil
}

func unknownKey(name string) error {
	known := ProfileKeys()
	for i, k := range known {
		if found, _ := findKey(k); found.isMap {
			known[i] += ".OPERATION"
		}
	}
	reason := fmt.Sprintf("unknown key %q", name)
	if nearest := suggest.Guess(name, known); nearest != "" {
		reason += fmt.Sprintf(", did you mean %q", nearest)
	}
	return &Error{Reason: reason, Next: "the keys of a profile are " + strings.Join(known, ", ")}
}

// Use makes the profile the current one. [File.Save] writes the change.
func (f *File) Use(name string) error {
	return f.change(func(d *document) error {
		if _, ok := d.profiles[name]; !ok && name != DefaultProfile {
			return f.unknownProfile(name, "")
		}
		put(d.root, memberCurrent, name, "")
		return nil
	})
}

// Remove removes the profile from the file; if it was the current one, [DefaultProfile] becomes current. Removing
// DefaultProfile restores its built-in values. [File.Save] writes the change.
func (f *File) Remove(name string) error {
	if !slices.Contains(f.Profiles(), name) {
		return f.unknownProfile(name, "")
	}
	return f.change(func(d *document) error { d.remove(name); return nil })
}

// change applies a change to the document, and keeps it for Save.
func (f *File) change(change func(*document) error) error {
	if err := f.doc.apply(change); err != nil {
		return err
	}
	f.changes = append(f.changes, change)
	return nil
}

// profileLayers returns the values of a profile, the built-in ones first, and false if there is no such profile.
func (f *File) profileLayers(name string) (layers []layer, ok bool) {
	if name == DefaultProfile {
		builtIn := layer{}
		for _, k := range keys() {
			if k.local != "" {
				builtIn[k.name] = sourced{k.local, builtinProfile}
			}
		}
		layers = append(layers, builtIn)
	}
	if values, ok := f.doc.profiles[name]; ok {
		own := layer{}
		for key, raw := range values {
			own[key] = sourced{raw, Source(fmt.Sprintf("profile %s (%s)", name, f.Path()))}
		}
		layers = append(layers, own)
	}
	return layers, len(layers) > 0
}

// profileValues merges the layers of a profile, and returns false if there is no such profile.
func (f *File) profileValues(name string) (values layer, ok bool) {
	layers, ok := f.profileLayers(name)
	base, _ := merge(layers...)[KeyBaseURL].raw.(string)
	return merge(withoutOtherURLs(layers, base)...), ok
}
