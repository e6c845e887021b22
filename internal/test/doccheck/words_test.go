package doccheck_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// privateWords are words and phrases that this project once used with a meaning of its own, or in place of a plain
// sentence, each with what to write instead.
var privateWords = map[string]string{
	`says? whether`:                     "reports whether",
	`says? of`:                          "describes, tells about",
	`whoever|somebody|nobody`:           "the caller, the client, the user, no other program",
	`puts? down|is put down`:            "records, writes",
	`the hands|hands of`:                "overrides",
	`the lives|a life of|life of the`:   "instance, since the last reset",
	`laws?`:                             "invariants",
	`bury|buried|buries`:                "overwrite the failed commit",
	`lanes?`:                            "queue",
	`the desk|desks`:                    "live view",
	`mend(?:s|ed|ing)?`:                 "fix",
	`badly`:                             "failed",
	`heed(?:s|ed)?`:                     "handle, obey",
	`is told of|tells? of|told of`:      "reports, is reported",
	`beneath|beside`:                    "below, next to",
	`elsewhere|nowhere else`:            "another program, another machine, any other place",
	`is none that`:                      "does not exist",
	`transfer settle`:                   "transfer resolve",
	`is believed|is taken for|asked of`: "a plain sentence",
	`otherwise than`:                    "in another state than",
}

// TestPlainWords rejects private words in comments, in documents and in the help, from which docs/cli is generated.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	root := filepath.Join("..", "..", "..")
	rejected := map[string]*regexp.Regexp{}
	for pattern := range privateWords {
		rejected[pattern] = regexp.MustCompile(`(?i)\b(?:` + pattern + `)\b`)
	}
	files := 0
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != root && (strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "bin", "dist", "node_modules"}, name)) {
				return filepath.SkipDir
			}
			return nil
		}
		lines, err := prose(path)
		if err != nil || lines == nil {
			return err
		}
		files++
		for line, text := range lines {
			for pattern, words := range rejected {
				if found := words.FindString(text); found != "" {
					t.Errorf("%s:%d: %q: write %s", path, line, found, privateWords[pattern])
				}
			}
		}
		return nil
	}))
	require.Greater(t, files, 100)
}

// prose returns the text of a file that people read, by line: the comments of hand-written Go, or a whole document. It
// returns nil for any other file.
func prose(path string) (map[int]string, error) {
	lines := map[int]string{}
	switch {
	case strings.HasSuffix(path, ".md"):
		text, err := os.ReadFile(path)
		for i, line := range strings.Split(string(text), "\n") {
			lines[i+1] = line
		}
		return lines, err
	case strings.HasSuffix(path, ".go") && !strings.Contains(path, ".gen"):
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, group := range file.Comments {
			for _, comment := range group.List {
				lines[set.Position(comment.Pos()).Line] = comment.Text
			}
		}
		return lines, nil
	}
	return nil, nil
}
