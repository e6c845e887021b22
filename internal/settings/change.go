package settings

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/shell"
)

// lockTimeout is how long a change waits for another process. A change takes much less time.
const lockTimeout = 5 * time.Second

// Set sets one key of a profile, and creates the profile if it does not exist. A key of the service map looks like
// members.transfer.id, and its value is YAML on one line. An empty value removes the key. Only for idempotency_keys
// it is a value: keys are not honoured. Set refuses a change that adds a mistake.
func (f *File) Set(name, key, value string) error {
	if _, err := profileName(name); err != nil {
		return invalidValue(KeyProfile, err)
	}
	k, path, err := splitKey(key)
	switch {
	case err != nil:
		return err
	case value == "" && !k.emptyOK:
		return f.change(name, func(root *yaml.Node) { remove(root, append([]string{memberProfiles, name}, path...)) })
	}
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: cmp.Or(k.tag, "!!str"), Value: value} // quotes are added where needed
	var document yaml.Node
	if !k.IsMapping {
		err = k.set(&Settings{}, value)
	} else if yaml.Unmarshal([]byte(value), &document) == nil && len(document.Content) == 1 {
		node = document.Content[0]
	}
	if err == nil && k.isPath {
		node.Value, err = filepath.Abs(value)
	}
	if err != nil {
		return invalidValue(key, err)
	}
	return f.change("", func(root *yaml.Node) { put(root, append([]string{memberProfiles, name}, path...), node) })
}

// Use makes the profile the current one.
func (f *File) Use(name string) error {
	return f.change(name, func(root *yaml.Node) {
		put(root, []string{memberCurrent}, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name})
	})
}

// Remove removes a profile from the file. If it was the current one, [DefaultProfile] becomes current. Removing
// DefaultProfile restores its built-in values.
func (f *File) Remove(name string) error {
	return f.change(name, func(root *yaml.Node) {
		remove(root, []string{memberProfiles, name})
		if i := member(root, memberCurrent); i >= 0 && root.Content[i+1].Value == name {
			remove(root, []string{memberCurrent})
		}
	})
}

// change applies an edit to the current content of the file, with a lock, so that no change of another process is lost.
// profile, if not empty, must exist. Comments and order stay. The file is replaced atomically and has mode 0600. A
// missing folder is created with mode 0700. Neither may be a symbolic link.
func (f *File) change(profile string, edit func(root *yaml.Node)) error {
	if f.noFolder != nil {
		return f.noFolder
	}
	if err := checkLink(f.Path()); err != nil {
		return err
	}
	err := securefile.MakeFolder(f.dir)
	release := func() {}
	if err == nil {
		release, err = securefile.Lock(context.Background(), f.Path()+".lock", lockTimeout)
	}
	if err != nil {
		return fileError("write", f.Path(), err)
	}
	defer release()
	fresh, err := Load(f.dir)
	if err != nil {
		return err
	}
	if profile != "" && !slices.Contains(fresh.Profiles(), profile) {
		return fresh.unknownProfile(profile, "")
	}
	before := maps.Clone(fresh.profiles)
	edit(fresh.tree.Content[0])
	data, err := fresh.encode()
	if err != nil {
		return err
	}
	for name, p := range fresh.profiles {
		if len(p.mistakes) > len(before[name].mistakes) {
			return &Error{Reason: p.mistakes[0].Text}
		}
	}
	if err := securefile.Replace(f.Path(), data); err != nil {
		return fileError("write", f.Path(), err)
	}
	*f = *fresh
	return nil
}

// checkLink refuses a file that is a symbolic link. Its target belongs to a person or a program, and replacing the link
// would not change the target.
func checkLink(path string) error {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil //nolint:nilerr // reading the file reports it
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		target, _ = os.Readlink(path)
	}
	return &Error{
		Reason: fmt.Sprintf("%s is a symbolic link to %s, and payctl does not change files through links", path, target),
		Next:   shell.Note("change %s itself, with an editor or the program that manages it", target),
	}
}

// encode returns the edited document as YAML, and reads its values again.
func (f *File) encode() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	err := errors.Join(encoder.Encode(f.tree), encoder.Close(), f.readValues())
	back := &File{}
	if err == nil {
		err = back.read(out.Bytes())
	}
	equal := func(a, b profile) bool { return maps.Equal(a.flat(), b.flat()) }
	same := err == nil && back.current == f.current && maps.EqualFunc(back.profiles, f.profiles, equal)
	if !same || out.Len() > maxFile { // the YAML package can put a comment where it breaks the text
		return nil, &Error{
			Path: f.Path(), Reason: "the change cannot be written without damage to the rest of the file",
			Next: shell.Note("make it in an editor"), Cause: err,
		}
	}
	return out.Bytes(), nil
}

// put sets the value at a path of names below a node, and creates missing mappings. An existing value keeps its
// comments.
func put(n *yaml.Node, path []string, value *yaml.Node) {
	if len(path) == 0 {
		n.Kind, n.Value, n.Tag, n.Style, n.Content = value.Kind, value.Value, value.Tag, value.Style, value.Content
		return
	}
	if n.Kind != yaml.MappingNode { // without a value yet
		n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "!!map", "", 0
	}
	i := member(n, path[0])
	if i < 0 {
		if len(n.Content) == 0 {
			n.Style &^= yaml.FlowStyle
		}
		i = len(n.Content)
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: path[0]}, &yaml.Node{})
	}
	put(n.Content[i+1], path[1:], value)
}

// remove removes the value at a path of names below a node.
func remove(n *yaml.Node, path []string) {
	i := member(n, path[0]) //nolint:gosec // a path has a name
	switch {
	case i < 0:
	case len(path) == 1:
		n.Content = slices.Delete(n.Content, i, i+2)
	default:
		remove(n.Content[i+1], path[1:]) //nolint:gosec // the value follows its name
	}
}

// member returns the index of a name in a mapping, or -1. Its value has the next index.
func member(n *yaml.Node, name string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}
