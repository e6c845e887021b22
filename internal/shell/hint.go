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
		quoted, ok := quoteForUser(runtime.GOOS, values[placeholder])
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

// quoteForUser returns a value as one word of the shells that people use on an operating system, and reports whether
// that is possible: sh, bash, zsh and fish quote alike. On Windows the hint may be pasted into PowerShell, cmd or bash,
// so that only values are shown that mean the same in all of them.
func quoteForUser(system, value string) (word string, ok bool) {
	if value == "" || strings.ContainsFunc(value, isHidden) {
		return "", false
	}
	if system != "windows" {
		return Quote(value), true
	}
	isOrdinary := func(c rune) bool {
		return unicode.IsLetter(c) || unicode.IsDigit(c) || strings.ContainsRune(`-_./:,+@= \>()`, c)
	}
	if strings.ContainsFunc(value, func(c rune) bool { return !isOrdinary(c) }) || strings.HasSuffix(value, `\`) {
		return "", false
	}
	if strings.ContainsFunc(value, isSpecial) || strings.HasPrefix(value, "@") {
		return `"` + value + `"`, true
	}
	return value, true
}

// isHidden reports whether a terminal is shown a character as something else, or a person does not see it.
func isHidden(c rune) bool {
	return !unicode.IsPrint(c) || c == unicode.ReplacementChar ||
		unicode.In(c, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// QuotedWord matches what Hint quotes, as a regular expression.
const QuotedWord = `(?:'[^']*'(?:\\.'[^']*')*|"[^"]*")`
