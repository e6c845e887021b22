// Command notices writes docs/NOTICES: the licences of everything that a released program is linked from. It fails
// for a licence that is not on its list. Run it from the project's root.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	text, err := notices(".")
	if err == nil {
		err = os.WriteFile("docs/NOTICES", text, 0o644) //nolint:gosec // a document of the project, which others may read
	}
	if err != nil {
		log.Fatal(err)
	}
}

// systems are those for which programs are released. The architecture makes no difference.
var systems = []string{"linux", "darwin", "windows"}

// A module is linked into a program: its path, its version, and the folder of its source.
type module struct{ path, version, folder string }

// notices returns the text of docs/NOTICES for the module in a folder.
func notices(folder string) ([]byte, error) {
	modules, err := linked(folder)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	text.WriteString("payctl is linked from the following modules and from Go's standard library. Their licences require that these\n" +
		"texts go with the program.\n")
	for _, m := range modules {
		if err := describe(&text, m); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// linked returns the modules that the program is linked from on any of the systems, and Go itself, which has no version
// here since any patch release may build it.
func linked(folder string) ([]module, error) {
	goroot, err := output(folder, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	found := map[string]module{}
	for _, system := range systems {
		const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}"
		list, err := output(folder, []string{"GOOS=" + system, "CGO_ENABLED=0"},
			"go", "list", "-deps", "-f", format, "./cmd/payctl")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(list) {
			if parts := strings.SplitN(strings.TrimSpace(line), " ", 3); len(parts) == 3 {
				found[parts[0]] = module{parts[0], parts[1], parts[2]}
			}
		}
	}
	modules := []module{{"Go", "the standard library", strings.TrimSpace(goroot)}}
	paths := make([]string, 0, len(found))
	for path := range found {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		modules = append(modules, found[path])
	}
	return modules, nil
}

func output(folder string, env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...) //nolint:noctx,gosec // Go, for a developer who can interrupt it
	cmd.Dir, cmd.Env, cmd.Stderr = folder, append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return string(out), nil
}

// notice matches the names of files that have to go with a program.
var notice = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|notice)([-._].*)?$`)

// thirdParties is the file in which modernc.org's modules list what they contain of others, with the licences. They were
// read: public domain, Apache, BSD, ISC, MIT and MPL.
const thirdParties = "LICENSE-3RD-PARTY.md"

// describe writes the notices of a module.
func describe(text *bytes.Buffer, m module) error {
	files, err := os.ReadDir(m.folder)
	if err != nil {
		return err
	}
	licensed := false
	for _, file := range files {
		if file.IsDir() || !notice.MatchString(file.Name()) || file.Name() == "LICENSE-LOGO" { // a picture is not linked
			continue
		}
		content, err := os.ReadFile(filepath.Join(m.folder, file.Name()))
		if err != nil {
			return err
		}
		kind := recognise(string(content))
		isNotice := strings.HasPrefix(strings.ToLower(file.Name()), "notice")
		if file.Name() == thirdParties {
			kind, isNotice = "", true
		}
		if kind == "" && !isNotice {
			return fmt.Errorf("%s %s: the licence in %s is not on the list of this program. Read it: if payctl may be linked "+
				"with it, add it to the list; if not, use another module", m.path, m.version, file.Name())
		}
		licensed = licensed || kind != ""
		if kind == "" {
			kind = "notice"
		}
		fmt.Fprintf(text, "\n%s\n%s %s: %s (%s)\n\n%s\n", strings.Repeat("-", 78), m.path, m.version, file.Name(), kind,
			strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n")))
	}
	if !licensed {
		return fmt.Errorf("%s %s has no licence at its root, so that payctl must not be linked with it", m.path, m.version)
	}
	return nil
}

// licences are the ones that payctl may be linked with, each by sentences that all have to be in its text. Those whose
// sentences are a part of another one's come last.
var licences = []struct {
	name      string
	sentences []string
}{
	{"Apache-2.0", []string{
		"apache license version 2.0, january 2004", "terms and conditions for use, reproduction, and distribution",
		"grant of patent license",
	}},
	{"MPL-2.0", []string{"mozilla public license version 2.0", "covered software"}},
	{"ISC", []string{
		"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted",
	}},
	{"ISC", []string{
		"permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted",
	}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	{"public domain", []string{"dedicated to the public domain by the authors"}},
	{"BSD-3-Clause", []string{
		"redistribution and use in source and binary forms, with or without modification, are permitted",
		"redistributions in binary form must reproduce the above copyright notice", "neither the name of",
		"endorse or promote products derived from this software",
	}},
	{"BSD-2-Clause", []string{
		"redistribution and use in source and binary forms, with or without modification, are permitted",
		"redistributions in binary form must reproduce the above copyright notice",
	}},
	{"MIT", []string{
		"permission is hereby granted, free of charge, to any person obtaining a copy of this software",
		"the software is provided \"as is\", without warranty of any kind",
	}},
}

// demanding are words of licences and of additions to licences that ask for more than a notice.
var demanding = []string{
	"gnu general public", "gnu lesser", "gnu affero", "server side public", "commons clause", "business source license",
	"all advertising materials", "non-commercial use", "non-commercial purposes", "shall be used for good",
}

// mplName is the licence whose own text names the GNU licences, which it allows in addition.
const mplName = "MPL-2.0"

// recognise returns the name of the licence that a text consists of or begins with; empty if it is none of the list.
func recognise(text string) string {
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	text = strings.NewReplacer("“", `"`, "”", `"`, "``", `"`, "''", `"`, "apache license, version 2.0", "").Replace(text)
	for _, licence := range licences {
		if slices.ContainsFunc(licence.sentences, func(sentence string) bool { return !strings.Contains(text, sentence) }) {
			continue
		}
		isDemanded := func(words string) bool { return strings.Contains(text, words) }
		if licence.name != mplName && slices.ContainsFunc(demanding, isDemanded) {
			return ""
		}
		return licence.name
	}
	return ""
}
