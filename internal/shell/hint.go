// Package shell writes words of command lines, for people to copy.
package shell

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// A Hint is a next step: a command with a note on it, or a note alone. Its words may come from the service, a file or the
// environment.
type Hint struct {
	Command []string // "--" before arguments is written only where one of them begins with "-"
	Note    string
}

// Payctl returns the hint of a command of payctl. Each of args is one argument behind the words of line.
func Payctl(line string, args ...string) Hint {
	return Hint{Command: slices.Concat([]string{"payctl"}, strings.Fields(line), args)}
}

// With returns the hint with a note.
func (h Hint) With(note string) Hint {
	h.Note = note
	return h
}

// Note returns a hint without a command. A %s of the format stands for a value, which is quoted.
func Note(format string, values ...string) Hint {
	quoted := make([]any, len(values))
	for i, value := range values {
		quoted[i] = word(value)
	}
	return Hint{Note: fmt.Sprintf(format, quoted...)}
}

// IsZero reports whether the hint is empty.
func (h Hint) IsZero() bool { return len(h.Command) == 0 && h.Note == "" }

// String returns the hint for people. Pasted into a shell, it runs nothing but the command, and each word is one argument.
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

// Word returns a value as one word of the shells that people use on this system, and reports whether that is possible:
// sh, bash, zsh and fish quote alike, and so do PowerShell and cmd in the way of quoteForWindows.
func Word(value string) (word string, ok bool) {
	if runtime.GOOS == "windows" {
		return quoteForWindows(value)
	}
	return Quote(value), isVisible(value)
}

// expanded are the characters that PowerShell, cmd or bash treat specially between double quotes. PowerShell takes the
// typographic quotes for the same as ", and no quoting of a " reaches the program in each version of PowerShell and in cmd.
const expanded = "\"“”„$`%!"

// quoteForWindows returns a value as a word that means the same in PowerShell and in cmd, and reports whether there is
// one. In which of them a hint is pasted is not known: payctl may have been started by a batch file in PowerShell, or by
// a program. In bash the word is one argument too, only that a pair of backslashes, as before the name of a server, is
// one backslash there.
func quoteForWindows(value string) (word string, ok bool) {
	// The program would take a backslash before the closing quote for one of the quote.
	if !isVisible(value) || strings.ContainsAny(value, expanded) || strings.HasSuffix(value, `\`) {
		return "", false
	}
	// PowerShell makes a list of the words around a comma, puts a variable in the place of @name, and cuts -a.b in two.
	isPlain := !strings.ContainsFunc(value, isSpecial) && !strings.Contains(value, ",") &&
		!strings.HasPrefix(value, "@") && (!strings.HasPrefix(value, "-") || strings.HasPrefix(value, "--"))
	if isPlain {
		return value, true
	}
	return `"` + value + `"`, true
}

// isVisible reports whether a value is shown as it is: it is not empty, and has no hidden characters.
func isVisible(value string) bool { return value != "" && !strings.ContainsFunc(value, isHidden) }

// isHidden reports whether a terminal is shown a character as something else, or a person does not see it.
func isHidden(c rune) bool {
	return !unicode.IsPrint(c) || c == unicode.ReplacementChar ||
		unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// Quote returns text as one word of a POSIX shell (XCU section 2.2.2), and of fish: as it stands where no character of it
// is special, else in single quotes.
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

// Unset returns the command that takes a variable out of the environment, on Windows one of PowerShell.
func Unset(variable string) Hint {
	if runtime.GOOS == "windows" {
		return Hint{Command: []string{"Remove-Item", "Env:" + variable}, Note: "in cmd: set " + variable + "="}
	}
	return Hint{Command: []string{"unset", variable}}
}
