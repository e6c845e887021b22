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

// TestExamplesAreCommandLines parses every command line that the help and the documents show. Each command, flag and
// argument exists.
func TestExamplesAreCommandLines(t *testing.T) {
	t.Parallel()
	pages := map[string][]string{}
	for _, cmd := range commands(Command()) {
		pages[cmd.CommandPath()] = strings.Split(cmd.Example, "\n")
		require.NotEmpty(t, cmd.Example, "%s has no example", cmd.CommandPath())
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
			if slices.Contains(args, "…") { // stands for omitted arguments
				continue
			}
			read++
			require.NoError(t, accepts(args), "%s shows: payctl %s", page, line)
		}
	}
	require.Greater(t, read, 150)
}

// code returns the lines of code in a Markdown text, except those that TestPages runs.
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
	// aCommand matches a payctl command at the start of a line, or in a shell's $(…).
	aCommand = regexp.MustCompile(`^\s*(?:\w+=\$\()?payctl (.*)$`)
	// goesOn matches the end of a line that continues on the next one.
	goesOn = regexp.MustCompile(`\\\n\s*`)
	// forTheReader matches a remark after a command: after wide space, or as a comment.
	forTheReader = regexp.MustCompile(`( {3,}| #).*$`)
	// aWord matches a shell word, which may contain quotes.
	aWord = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
)

// typed returns the arguments on each line that runs payctl.
func typed(lines []string) []string {
	var found []string
	for line := range strings.SplitSeq(goesOn.ReplaceAllString(strings.Join(lines, "\n"), ""), "\n") {
		if match := aCommand.FindStringSubmatch(line); match != nil {
			found = append(found, forTheReader.ReplaceAllString(match[1], ""))
		}
	}
	return found
}

// shellWords returns the words of a line up to the first shell operator, without their quotes.
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

// accepts returns an error if payctl does not accept these arguments.
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
