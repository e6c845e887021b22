package ui

import (
	"strings"
)

// narrowest is the least room for which lines of text are broken.
const narrowest = 20

// fold breaks a sanitised text at spaces into lines that fit the surface: the first one behind so many columns, the
// others behind an indent. What users copy stays in one piece, although its line may then be too long: a command, up to a
// remark behind several spaces; a flag with its value; and what is quoted. A terminal that continues such a line in the next row still copies it whole. Off a
// terminal nothing is broken.
func (f surface) fold(text string, behind, indent int) []string {
	if !f.tty || f.width-max(behind, indent) < narrowest {
		return []string{text}
	}
	var lines []string
	line, width, room := "", 0, f.width-behind
	for _, piece := range f.pieces(text) {
		w := CellWidth(piece)
		if line != "" && width+w > room {
			lines = append(lines, line)
			piece = strings.TrimLeft(piece, " ")
			line, width, room = "", 0, f.width-indent
			w = CellWidth(piece)
		}
		line, width = line+piece, width+w
	}
	return append(lines, line)
}

// folded is fold with the lines put together in a tone.
func (f surface) folded(t Tone, text string, behind, indent int) string {
	lines := f.fold(text, behind, indent)
	for i, line := range lines {
		lines[i] = f.paint(t, line)
	}
	return strings.Join(lines, "\n"+strings.Repeat(" ", indent))
}

// program begins a command of payctl.
const program = "payctl"

// pieces splits a text into what stays together, each piece with the spaces before it.
func (f surface) pieces(text string) []string {
	var pieces []string
	command, flag := false, false // the last word was part of a command, or a flag that may have a value
	var quote byte                // the mark that ends what is quoted; 0: nothing is
	words := strings.SplitAfter(text, " ")
	spaces := ""
	for i, word := range words {
		bare := strings.TrimSuffix(word, " ")
		if bare == "" {
			spaces += word
			continue
		}
		if quote == 0 && len(spaces) > 1 {
			command, flag = false, false
		}
		if glued := command || flag || quote != 0; glued && len(pieces) > 0 {
			pieces[len(pieces)-1] += spaces + bare
		} else {
			pieces = append(pieces, spaces+bare)
		}
		spaces = word[len(bare):]
		if quote = quoteAfter(bare, quote); quote != 0 {
			continue
		}
		flag = strings.HasPrefix(bare, "--") && !strings.Contains(bare, "=") && !endsClause(bare)
		if strings.TrimLeft(bare, "(") == program && i+1 < len(words) {
			next := strings.Trim(words[i+1], " ,;:.()")
			command = f.isCommand == nil || f.isCommand(next)
		}
		command = command && !endsClause(bare)
	}
	return pieces
}

// quoteAfter returns the mark that ends what is quoted behind a word; 0 if nothing is. A quote begins at the beginning of a
// word, so that an apostrophe is none.
func quoteAfter(word string, quote byte) byte {
	inner := strings.TrimLeft(word, "(")
	if quote == 0 && inner != "" && (inner[0] == '\'' || inner[0] == '"') {
		quote, word = inner[0], inner[1:]
	}
	if quote != 0 && strings.Count(word, string(quote))%2 == 1 {
		return 0
	}
	return quote
}

// endsClause reports whether a word ends a clause, and so a command in a sentence.
func endsClause(word string) bool {
	return strings.ContainsRune(",;:.)", rune(word[len(word)-1]))
}
