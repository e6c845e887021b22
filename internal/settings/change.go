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

// lockWait is how long a change waits for another process: much longer than a change takes.
const lockWait = 5 * time.Second

// Set sets one key of a profile, and creates the profile if it does not exist. A value of the service map has a key such as
// members.transfer.id, and is YAML on one line. An empty value removes the key, except for idempotency_keys, where it means
// that keys are not honoured. A change that adds a mistake is refused.
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

// Remove removes the profile from the file; if it was the current one, [DefaultProfile] becomes current. Removing
// DefaultProfile restores its built-in values.
func (f *File) Remove(name string) error {
	return f.change(name, func(root *yaml.Node) {
		remove(root, []string{memberProfiles, name})
		if i := member(root, memberCurrent); i >= 0 && root.Content[i+1].Value == name {
			remove(root, []string{memberCurrent})
		}
	})
}

// change applies an edit to what the file contains by now, under a lock, so that no change of another process is lost.
// The profile has to exist, if one is named. Comments and order stay. The file is replaced in one step and has mode 0600; a
// folder that does not exist is created with mode 0700. Neither may be a symbolic link.
func (f *File) change(profile string, edit func(root *yaml.Node)) error {
	if f.nowhere != nil {
		return f.nowhere
	}
	if err := checkLink(f.Path()); err != nil {
		return err
	}
	err := securefile.MakeFolder(f.dir)
	release := func() {}
	if err == nil {
		release, err = securefile.Lock(context.Background(), f.Path()+".lock", lockWait)
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

// checkLink refuses a file that is a symbolic link: the file that it leads to belongs to a person or a program that
// manages it, and replacing the link would leave that file behind without the change.
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
		Reason: fmt.Sprintf("%s is a symbolic link to %s, and payctl changes no file through a link", path, target),
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
	same := err == nil && back.current == f.current && maps.EqualFunc(back.profiles, f.profiles, func(a, b profile) bool { return maps.Equal(a.flat(), b.flat()) })
	if !same || out.Len() > maxFile { // the YAML package can write a comment where it breaks the text
		return nil, &Error{
			Path: f.Path(), Reason: "the change cannot be written without damage to the rest of the file",
			Next: shell.Note("make it in an editor"), Cause: err,
		}
	}
	return out.Bytes(), nil
}

// put sets the value at a path of names below a node, and creates the mappings on the way. A value that exists keeps its
// comments.
func put(n *yaml.Node, path []string, value *yaml.Node) {
	if len(path) == 0 {
		n.Kind, n.Value, n.Tag, n.Style, n.Content = value.Kind, value.Value, value.Tag, value.Style, value.Content
		return
	}
	if n.Kind != yaml.MappingNode { // there is no value yet
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

// remove removes what is at a path of names below a node.
func remove(n *yaml.Node, path []string) {
	i := member(n, path[0]) //nolint:gosec // a path has a name
	switch {
	case i < 0:
	case len(path) == 1:
		n.Content = slices.Delete(n.Content, i, i+2)
	default:
		remove(n.Content[i+1], path[1:]) //nolint:gosec // a name of a mapping has its value behind it
	}
}

// member returns the index of a name in a mapping, which its value follows; -1 if there is none.
func member(n *yaml.Node, name string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return i
		}
	}
	return -1
}
