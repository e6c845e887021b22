package ui

import (
	"strings"
)

// narrowest is the least room for which lines of text are broken.
const narrowest = 20

// fold breaks a sanitised text at spaces into lines that fit the surface: the first one behind so many columns, the
// others behind an indent. A command, up to the end of its clause, stays in one piece, although its line may then be too
// long: a terminal that continues it in the next row still copies it whole. Off a terminal nothing is broken.
func (f surface) fold(text string, behind, indent int) []string {
	if !f.tty || f.width-max(behind, indent) < narrowest {
		return []string{text}
	}
	var lines []string
	line, width, room := "", 0, f.width-behind
	for _, piece := range pieces(text) {
		w := CellWidth(strings.TrimRight(piece, " "))
		if line != "" && width+w > room {
			lines = append(lines, strings.TrimRight(line, " "))
			line, width, room = "", 0, f.width-indent
		}
		line, width = line+piece, width+CellWidth(piece)
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

// pieces splits a text into words and commands, each with the spaces behind it.
func pieces(text string) (all []string) {
	command := false
	for _, word := range strings.SplitAfter(text, " ") {
		bare := strings.TrimSuffix(word, " ")
		if len(all) > 0 && (command || bare == "") {
			all[len(all)-1] += word
		} else {
			all = append(all, word)
		}
		isEnd := bare == "" || strings.ContainsRune(",;:.)", rune(bare[len(bare)-1])) // two spaces end a command too
		command = !isEnd && (command || strings.TrimLeft(bare, "(") == "payctl")
	}
	return all
}
