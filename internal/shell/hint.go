// Package shell writes command lines for people to copy.
package shell

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// A Hint is a next step: a command, a note, or both. Its words may come from the service, a file or the environment.
type Hint struct {
	Command []string // "--" before arguments is written only where one of them begins with "-"
	Note    string
}

// Payctl returns the hint to run payctl with the words of line, followed by args.
func Payctl(line string, args ...string) Hint {
	return Hint{Command: slices.Concat([]string{"payctl"}, strings.Fields(line), args)}
}

// With returns the hint with a note.
func (h Hint) With(note string) Hint {
	h.Note = note
	return h
}

// Note returns a hint without a command. Each %s of the format stands for a value, which Note quotes.
func Note(format string, values ...string) Hint {
	quoted := make([]any, len(values))
	for i, value := range values {
		quoted[i] = word(value)
	}
	return Hint{Note: fmt.Sprintf(format, quoted...)}
}

// IsZero reports whether the hint is empty.
func (h Hint) IsZero() bool { return len(h.Command) == 0 && h.Note == "" }

// String returns the hint for people. Pasted into a shell, it runs only the command, and each word is one argument.
func (h Hint) String() string {
	words := slices.Clone(h.Command)
	separator := slices.Index(words, "--")
	isOption := func(word string) bool { return strings.HasPrefix(word, "-") }
	if separator >= 0 && separator < len(words)-1 && !slices.ContainsFunc(words[separator+1:], isOption) {
		words = slices.Delete(words, separator, separator+1)
	}
	for i := range words {
		words[i] = word(words[i])
	}
	switch line := strings.Join(words, " "); {
	case line == "":
		return h.Note
	case h.Note == "":
		return line
	default:
		return line + "   (" + h.Note + ")"
	}
}

// word is [Word] with a placeholder for a value that cannot be pasted.
func word(value string) string {
	if value == "" {
		return "''"
	}
	if quoted, ok := Word(value); ok {
		return quoted
	}
	return "VALUE"
}

// Word returns a value as one word of the shells of this system, and reports whether that is possible: of sh, bash, zsh
// and fish, or of PowerShell and cmd.
func Word(value string) (word string, ok bool) {
	if runtime.GOOS == "windows" {
		return quoteForWindows(value)
	}
	return Quote(value), isVisible(value)
}

// expanded are the characters that PowerShell, cmd or bash treat specially between double quotes. PowerShell reads
// typographic quotes as ". No way to quote a " works in cmd and in every version of PowerShell.
const expanded = "\"“”„$`%!"

// quoteForWindows returns a value as a word that means the same in PowerShell and in cmd, and reports whether there
// is one. payctl cannot know where a hint is pasted: a batch file or a program may have started it. In bash the word
// is one argument too, but a double backslash, as before the name of a server, becomes a single one.
func quoteForWindows(value string) (word string, ok bool) {
	// A backslash would escape the closing quote.
	if !isVisible(value) || strings.ContainsAny(value, expanded) || strings.HasSuffix(value, `\`) {
		return "", false
	}
	// PowerShell splits words at a comma, replaces @name by a variable, and splits -a.b in two.
	isPlain := !strings.ContainsFunc(value, isSpecial) && !strings.Contains(value, ",") &&
		!strings.HasPrefix(value, "@") &&
		(!strings.HasPrefix(value, "-") || strings.HasPrefix(value, "--") || !strings.ContainsAny(value, ".:"))
	if isPlain {
		return value, true
	}
	return `"` + value + `"`, true
}

// isVisible reports whether a value is not empty and has no hidden characters.
func isVisible(value string) bool { return value != "" && !strings.ContainsFunc(value, isHidden) }

// isHidden reports whether payctl replaces a character on the terminal, or people cannot see it.
func isHidden(c rune) bool {
	return !unicode.IsPrint(c) || c == unicode.ReplacementChar ||
		unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Quote returns text as one word of a POSIX shell (XCU section 2.2.2) and of fish. It uses single quotes if a character
// is special.
func Quote(text string) string {
	// zsh and fish expand these at the beginning of a word.
	expands := strings.HasPrefix(text, "=") || strings.HasPrefix(text, "%")
	if text != "" && !expands && !strings.ContainsFunc(text, isSpecial) {
		return text
	}
	// A backslash has no meaning between single quotes, except in fish before a quote or another backslash.
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `'\\'`).Replace(text) + "'"
}

func isSpecial(c rune) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	return !letter && (c < '0' || c > '9') && !strings.ContainsRune("-_./:,%+@=", c)
}

// Unset returns the hint to unset a variable, on Windows in PowerShell.
func Unset(variable string) Hint {
	if runtime.GOOS == "windows" {
		return Hint{Command: []string{"Remove-Item", "Env:" + variable}, Note: "in cmd: set " + variable + "="}
	}
	return Hint{Command: []string{"unset", variable}}
}
