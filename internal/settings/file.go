package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract/servicemap"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/textutil"
)

// FileName is the name of the configuration file in the folder that [Dir] returns.
const FileName = "config.yaml"

// maxFile is the largest configuration file, in bytes.
const maxFile = 1 << 20

// The members of the file's top level.
const (
	memberCurrent  = "current"
	memberProfiles = "profiles"
)

// File is the configuration file of one folder. Several processes may change one file at the same time.
type File struct {
	dir      string
	noFolder error      // why there is no folder, or nil
	tree     *yaml.Node // the whole document, with comments and order
	current  string
	profiles map[string]profile
}

// A profile is one of the file. It cannot be used if it has mistakes.
type profile struct {
	texts    map[string]string // by key, as written; without the service map
	node     *yaml.Node
	service  *servicemap.Map
	mistakes []servicemap.Mistake
}

// Open is [Load] for the folder that the environment names. If it names none, as in a container without HOME, the
// configuration is empty and cannot be changed.
func Open(getenv func(string) string) (*File, error) {
	dir, err := Dir(getenv)
	if errors.Is(err, errNoFolder) {
		f := &File{noFolder: err}
		return f, f.read(nil)
	}
	if err != nil {
		return nil, err
	}
	return Load(dir)
}

// Load reads the configuration file in dir. A missing file is an empty configuration, which still has [DefaultProfile].
// The error is an [*Error] if the file is malformed, has an unknown key or exceeds 1 MiB.
func Load(dir string) (*File, error) {
	f := &File{dir: dir}
	data, err := securefile.ReadTrusted(f.Path(), maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fileError("read", f.Path(), err)
	case len(data) > maxFile:
		reason := fmt.Sprintf("larger than %d bytes; is it the right file?", maxFile)
		return nil, &Error{Path: f.Path(), Reason: reason}
	}
	if err := f.read(data); err != nil {
		bad, _ := errors.AsType[*Error](err)
		bad.Path, bad.Next = f.Path(), shell.Note("correct it in an editor")
		return nil, bad
	}
	return f, nil
}

// read reads one YAML document. Errors are [*Error] without a path.
func (f *File) read(data []byte) error {
	// The YAML package puts an empty line behind comments that end with CRLF.
	data = bytes.ReplaceAll(textutil.Decode(data), []byte("\r\n"), []byte("\n"))
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	f.tree = &yaml.Node{}
	switch err := decoder.Decode(f.tree); {
	case errors.Is(err, io.EOF): // only comments, which the YAML package drops
		f.tree = &yaml.Node{Kind: yaml.DocumentNode, HeadComment: string(bytes.TrimSpace(data))}
	case err != nil:
		return syntaxError(err)
	case decoder.Decode(&yaml.Node{}) != io.EOF: //nolint:errorlint // as documented
		return &Error{Reason: "the file has more than one YAML document; keep the first"}
	}
	if len(f.tree.Content) == 0 {
		f.tree.Content = []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!null"}}
	}
	return f.readValues()
}

// readValues reads the values from the nodes.
func (f *File) readValues() error {
	f.current, f.profiles = "", map[string]profile{}
	return f.readMembers(f.tree.Content[0], nil)
}

// readMembers reads a mapping at a path of names. Duplicate names are an error, since YAML readers disagree about
// them. A mapping without a value is empty.
func (f *File) readMembers(n *yaml.Node, path []string) error {
	if n.ShortTag() == "!!null" {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		return errorAt(n, errors.New("a mapping of names to values is expected here"))
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		if tag := name.ShortTag(); name.Kind != yaml.ScalarNode || tag == "!!merge" || tag == "!!null" {
			return errorAt(name, errors.New("a plain name is expected here, no alias, merge or null; put a name that YAML "+
				"reads as something else in quotes"))
		}
		if line, ok := seen[name.Value]; ok {
			return errorAt(name, fmt.Errorf("%q is given twice, first on line %d", shorten(name.Value), line))
		}
		seen[name.Value] = name.Line
		if err := f.readMember(append(path, name.Value), name, value); err != nil {
			return err
		}
	}
	return nil
}

// readMember reads the member at a path: current, profiles, or a profile.
func (f *File) readMember(path []string, name, value *yaml.Node) (err error) {
	last := name.Value
	switch len(path) {
	case 1:
		switch last {
		case memberProfiles:
			return f.readMembers(value, path)
		case memberCurrent:
			if f.current, err = scalar(value); err == nil {
				_, err = profileName(f.current)
			}
			return errorAt(value, err)
		}
		return errorAt(name, fmt.Errorf("unknown key %q; here are %s and %s, and below the name of a profile its keys",
			shorten(last), memberCurrent, memberProfiles))
	case 2:
		if _, err := profileName(last); err != nil {
			return errorAt(name, err)
		}
		f.profiles[last] = readProfile(value)
	}
	return nil
}

// readProfile reads a profile, and all its mistakes.
func readProfile(n *yaml.Node) profile {
	p := profile{texts: map[string]string{}, node: n}
	p.service, p.mistakes = servicemap.Parse(n)
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i], n.Content[i+1]
		k, err := profileKey(name.Value)
		at := name
		if err == nil && !k.IsMapping {
			at = value
			p.texts[k.Name], err = readValue(k, value)
		}
		if err != nil {
			p.mistakes = append(p.mistakes, servicemap.Mistake{Line: at.Line, Column: at.Column, Text: err.Error()})
		}
	}
	return p
}

// flat returns the text of each value, by a key such as timeout or members.transfer.id.
func (p profile) flat() map[string]string {
	all := maps.Clone(p.texts)
	var add func(path string, n *yaml.Node, deeper int)
	add = func(path string, n *yaml.Node, deeper int) {
		if n.Kind == yaml.MappingNode && deeper > 0 {
			for i := 0; i+1 < len(n.Content); i += 2 {
				add(strings.TrimPrefix(path+"."+n.Content[i].Value, "."), n.Content[i+1], deeper-1)
			}
			return
		}
		if servicemap.IsKey(strings.Split(path, ".")[0]) {
			all[path] = inFlow(n)
		}
	}
	if p.node != nil {
		add("", p.node, 3)
	}
	return all
}

// inFlow returns a value of the service map on one line.
func inFlow(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode {
		return n.Value
	}
	flow := *n
	flow.Style = yaml.FlowStyle
	text, _ := yaml.Marshal(&flow) // a node of a file has no errors
	return strings.Join(strings.Fields(string(text)), " ")
}

// Broken returns the error of a profile with mistakes, or nil.
func (f *File) Broken(name string) error {
	mistakes := f.profiles[name].mistakes
	if len(mistakes) == 0 {
		return nil
	}
	lines := make([]string, len(mistakes))
	for i, m := range mistakes {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", f.Path(), m.Line, m.Column, m.Text)
	}
	return &Error{
		Reason: "the profile " + name + " cannot be used:\n" + strings.Join(lines, "\n"),
		Next:   shell.Note("correct it in an editor"),
	}
}

func readValue(k Key, value *yaml.Node) (string, error) {
	text, err := scalar(value)
	if texts := []string{}; k.isList && value.Kind == yaml.SequenceNode && value.Decode(&texts) == nil {
		text, err = strings.Join(texts, ","), nil
	}
	if err == nil {
		err = k.set(&Settings{}, text)
	}
	if err == nil && k.isPath && !filepath.IsAbs(text) {
		err = fmt.Errorf("%q is not absolute; commands run in many folders, so write the path from the root", shorten(text))
	}
	if err != nil {
		return text, fmt.Errorf("%s: %w", k.Name, err)
	}
	return text, nil
}

// scalar returns the text of a value. A client id such as 0123 must not become a number.
func scalar(n *yaml.Node) (string, error) {
	switch tag := n.ShortTag(); {
	case n.Kind != yaml.ScalarNode:
		return "", errors.New("a single value is expected, not a list, a mapping or an alias")
	case tag == "!!null":
		return "", errors.New("no value is given; give one, in quotes if it is the word null, or remove the line")
	case !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}, tag):
		return "", fmt.Errorf("a value with the tag %s is not allowed here", shorten(tag))
	}
	return n.Value, nil
}

// ServiceMap returns the service map of a profile of the file.
func (f *File) ServiceMap(name string) (*servicemap.Map, error) {
	p, ok := f.profiles[name]
	if !ok {
		return nil, f.unknownProfile(name, "")
	}
	return p.service, f.Broken(name)
}

// At returns the text of a file with one profile: the named one, without credentials and with another base URL.
func (f *File) At(name, baseURL string) ([]byte, error) {
	profile := map[string]any{KeyBaseURL: baseURL}
	node := f.profiles[name].node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i].Value
		if slices.Contains([]string{KeyIdempotencyKeys, "list_lag", "references"}, key) || servicemap.IsKey(key) {
			profile[key] = node.Content[i+1]
		}
	}
	return yaml.Marshal(map[string]any{memberCurrent: name, memberProfiles: map[string]any{name: profile}})
}

// FileRules are the rules for the configuration folder dir and the file in it.
func FileRules(dir string) []securefile.FileRule {
	path := filepath.Join(dir, FileName)
	return []securefile.FileRule{
		{Path: dir, Public: true, Check: func() error { return securefile.CheckTrusted(dir) }},
		{Path: path, Check: func() error {
			_, err := securefile.ReadTrusted(path, 0)
			return err
		}},
	}
}

// Path returns the path of the configuration file, whether it exists or not.
func (f *File) Path() string { return filepath.Join(f.dir, FileName) }

// Profiles returns the names of the profiles in order. [DefaultProfile] is always among them.
func (f *File) Profiles() []string {
	names := slices.Collect(maps.Keys(f.profiles))
	if _, ok := f.profiles[DefaultProfile]; !ok {
		names = append(names, DefaultProfile)
	}
	slices.Sort(names)
	return names
}

// Current returns the profile that is used if neither a flag nor the environment names one.
func (f *File) Current() string {
	if f.current == "" {
		return DefaultProfile
	}
	return f.current
}
