package cli

import (
	"runtime"
	"strings"
	"unicode/utf8"
)

// entry splits a line of a list into a term, with what stands before and behind it, and its meaning, which may go on in
// lines below the meaning. Two spaces are between them.
func entry(line string) (term, meaning string, isEntry bool) {
	words := strings.TrimLeft(line, " ")
	gap := strings.Index(words, "  ")
	if words == line || gap < 0 {
		return "", "", false
	}
	meaning = strings.TrimLeft(words[gap:], " ")
	return strings.TrimSuffix(line, meaning), meaning, meaning != ""
}

// inOneLine joins the lines of commands that end with a backslash to those that continue them.
func inOneLine(text string) string {
	parts := strings.Split(text, " \\\n")
	for i := range parts[1:] {
		parts[1+i] = strings.TrimLeft(parts[1+i], " ")
	}
	return strings.Join(parts, " ")
}

// wrapped fills the paragraphs of a help text to a width, and the meanings in its lists. Commands to copy go on in
// another line behind a backslash, as shells read them; cmd and PowerShell do not, so on Windows they are not broken.
// Other lines that begin with a space stay as they are.
func wrapped(text string, width int) string {
	var b strings.Builder
	lines := strings.Split(inOneLine(text), "\n")
	for i := 0; i < len(lines); {
		line := lines[i]
		i++
		switch term, meaning, isEntry := entry(line); {
		case isEntry:
			indent := strings.Repeat(" ", utf8.RuneCountInString(term))
			for ; i < len(lines) && strings.HasPrefix(lines[i], indent) && !strings.HasPrefix(lines[i], indent+" "); i++ {
				meaning += " " + strings.TrimSpace(lines[i])
			}
			fill(&b, term, indent, meaning, width)
		case runtime.GOOS != "windows" && strings.HasPrefix(line, " ") && strings.Contains(line, "payctl "):
			fillCommand(&b, line, width)
		case line == "" || line[0] == ' ' || line[0] == '\t' || line[0] == '#':
			b.WriteString(line + "\n")
		default:
			for ; i < len(lines) && lines[i] != "" && lines[i][0] != ' ' && lines[i][0] != '\t'; i++ {
				line += " " + lines[i]
			}
			fill(&b, "", "", line, width)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// fill writes words behind a beginning, in lines of a width; further lines begin with the indent.
func fill(b *strings.Builder, line, indent, words string, width int) {
	begun := false
	for word := range strings.FieldsSeq(words) {
		if begun && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			b.WriteString(line + "\n")
			line, begun = indent, false
		}
		if begun {
			line += " "
		}
		line += word
		begun = true
	}
	b.WriteString(line + "\n")
}

// fillCommand writes a command in lines of a width, broken at spaces that are not between quotes.
func fillCommand(b *strings.Builder, line string, width int) {
	for utf8.RuneCountInString(line) > width {
		at := lastBreak(line, width-len(` \`))
		if at < 0 {
			break
		}
		b.WriteString(line[:at] + " \\\n")
		line = "      " + line[at+1:]
	}
	b.WriteString(line + "\n")
}

// lastBreak returns the place of the last space within a width at which a shell ends a word, or -1: one before a flag or
// another command, else any one, else the first one behind the width.
func lastBreak(line string, width int) int {
	best, any, quote := -1, -1, rune(0)
	indent := len(line) - len(strings.TrimLeft(line, " "))
	for i, c := range line {
		if any >= 0 && utf8.RuneCountInString(line[:i]) > width {
			break
		}
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ' ' && i > indent:
			any = i
			if strings.ContainsAny(line[i+1:i+2], "-|>") {
				best = i
			}
		}
	}
	if best > indent+width/3 {
		return best
	}
	return any
}
