// Package shell writes words of command lines, for people to copy.
package shell

import (
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// Values are the values of the placeholders of a hint, such as the identifier of a transfer for TRANSFER. They may come
// from the service, a file or the environment.
type Values map[string]string

// Hint returns a hint, such as "payctl transfer get -- TRANSFER", with the values in place of its placeholders. A user
// who pastes it into a shell runs nothing but the command that is shown, and each value is one argument of it.
//
// A placeholder is a word of the hint, apart from parentheses and commas around it. It stays where its value is empty,
// or has a character that a terminal is shown as something else, so that it cannot be pasted. A hint has "--" before
// the arguments that may begin with "-"; it is left out where none does.
func Hint(hint string, values Values) string {
	words := strings.Split(hint, " ")
	separator := slices.Index(words, "--")
	isNeeded := false
	for i, word := range words {
		placeholder := strings.Trim(word, "(),")
		quoted, ok := Word(values[placeholder])
		if !ok {
			continue
		}
		words[i] = strings.Replace(word, placeholder, quoted, 1)
		isNeeded = isNeeded || i > separator && strings.HasPrefix(values[placeholder], "-")
	}
	if separator >= 0 && !isNeeded {
		words = slices.Delete(words, separator, separator+1)
	}
	return strings.Join(words, " ")
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

// QuotedWord matches what Hint quotes, as a regular expression.
const QuotedWord = `(?:'[^']*'(?:\\.'[^']*')*|"[^"]*")`

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

// UnsetCommand returns the command that takes a variable out of the environment. On Windows it is one of PowerShell,
// with that of cmd as its comment.
func UnsetCommand(variable string) string {
	if runtime.GOOS == "windows" {
		return Hint("Remove-Item Env:VARIABLE   # in cmd: set VARIABLE=",
			Values{"Env:VARIABLE": "Env:" + variable, "VARIABLE=": variable + "="})
	}
	return Hint("unset VARIABLE", Values{"VARIABLE": variable})
}
