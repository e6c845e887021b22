package payments

import "strings"

// Sentence turns an error's text into a sentence. It starts with a capital letter, unless the first word is a name, and
// ends with a full stop. An empty text stays empty.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, _, _ := strings.Cut(text, " ")
	isName := first == "payctl" || strings.ContainsFunc(first, func(c rune) bool { return c < 'a' || c > 'z' })
	if first != "" && !isName {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if strings.HasSuffix(text, ".") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}
