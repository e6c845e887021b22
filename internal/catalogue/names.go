package catalogue

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/nearest"
)

// The forms of names, for errors.
const (
	railNameForm = "lower-case letters, digits and _, at most 40, beginning with a letter"
	codeForm     = "upper-case letters and digits, at most 12, beginning with a letter"
)

// isRailName also holds for providers.
func isRailName(s string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	return isName(s, longestRail, letters, letters+"0123456789_")
}

func isCode(s string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return isName(s, longestCode, letters, letters+"0123456789")
}

func isName(s string, longest int, first, rest string) bool {
	return s != "" && len(s) <= longest && strings.Contains(first, s[:1]) && strings.Trim(s, rest) == ""
}

// readNamed reads a mapping whose keys are names that the file declares, and lists them in order.
func readNamed(n *yaml.Node, what string, names *[]string, valid func(string) bool, form string, visit func(key, value *yaml.Node) error) error {
	return readEntries(n, what, func(key, value *yaml.Node) error {
		if !valid(key.Value) {
			return at(key, "a name in %s must be %s, not %s", what, form, quote(key.Value))
		}
		if len(*names) == maxNames {
			return at(key, "%s has more than %d entries", what, maxNames)
		}
		*names = append(*names, key.Value)
		return visit(key, value)
	})
}

// readName reads the name of something that the file declares.
func readName(n *yaml.Node, what string, declared []string, into *string) error {
	word, err := text(n, what)
	if err != nil {
		return err
	}
	if !slices.Contains(declared, word) {
		return unknown(n, what, word, declared)
	}
	*into = word
	return nil
}

func unknown(n *yaml.Node, what, word string, declared []string) error {
	if len(declared) == 0 {
		return at(n, "there is no %s %s: the catalogue declares none", what, quote(word))
	}
	return at(n, "there is no %s %s; did you mean %q?", what, quote(word), nearest.To(word, declared))
}
