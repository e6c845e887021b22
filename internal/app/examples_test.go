package app

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// TestExamplesAreCommandLines reads every line that the help and the documents show as one to type, as the program
// reads its arguments: each command, flag and argument exists.
func TestExamplesAreCommandLines(t *testing.T) {
	t.Parallel()
	pages := map[string][]string{}
	for _, cmd := range commands(Command()) {
		pages[cmd.CommandPath()] = strings.Split(cmd.Example, "\n")
		if !strings.Contains(cmd.CommandPath(), " completion ") { // which say it in their own words
			require.NotEmpty(t, cmd.Example, "%s has no example", cmd.CommandPath())
		}
	}
	pages["payctl"] = strings.Split(Command().Long, "\n")
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	for _, file := range append(files, "../../README.md", "../../docs/recipes/README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		pages[filepath.Base(file)] = code(string(text))
	}
	read := 0
	for page, lines := range pages {
		for _, line := range typed(lines) {
			args := shellWords(line)
			if slices.Contains(args, "…") { // left out for the reader
				continue
			}
			read++
			require.NoError(t, accepts(args), "%s shows: payctl %s", page, line)
		}
	}
	require.Greater(t, read, 150)
}

// code is the lines of a Markdown text that are set as code, but for those that TestPages runs.
func code(text string) []string {
	var lines []string
	fenced, console := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, console = !fenced, line == "```console"
		case console:
		case fenced || strings.HasPrefix(line, "    "):
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	// aCommand is where a command of the program begins on a line: at the start, or in a shell's $(…).
	aCommand = regexp.MustCompile(`^\s*(?:\w+=\$\()?payctl (.*)$`)
	// goesOn is the end of a line that the next one goes on with.
	goesOn = regexp.MustCompile(`\\\n\s*`)
	// forTheReader is what stands apart behind a command, or is a comment.
	forTheReader = regexp.MustCompile(`( {3,}| #).*$`)
	// aWord is a word of a shell, in which quotes may be.
	aWord = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
)

// typed is what follows the program's name on each line that runs it.
func typed(lines []string) []string {
	var found []string
	for line := range strings.SplitSeq(goesOn.ReplaceAllString(strings.Join(lines, "\n"), ""), "\n") {
		if match := aCommand.FindStringSubmatch(line); match != nil {
			found = append(found, forTheReader.ReplaceAllString(match[1], ""))
		}
	}
	return found
}

// shellWords are the words of a line up to the first thing that a shell takes for itself, without their quotes.
func shellWords(line string) []string {
	var words []string
	for _, word := range aWord.FindAllString(line, -1) {
		if strings.ContainsAny(word[:1], "|>&;<#") {
			break
		}
		bare, closed := strings.CutSuffix(word, ")")
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(bare))
		if closed {
			break
		}
	}
	return words
}

// accepts returns an error if the program does not accept a line's arguments.
func accepts(args []string) error {
	cmd, rest, err := Command().Find(args)
	if err != nil {
		return err
	}
	if err := cmd.ParseFlags(rest); errors.Is(err, pflag.ErrHelp) {
		return nil
	} else if err != nil {
		return cmd.FlagErrorFunc()(cmd, err)
	}
	return cmd.ValidateArgs(cmd.Flags().Args())
}
