package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvSeparators are the characters at which a spreadsheet may divide a line into cells. Which ones it uses depends on the
// country settings and on the choices of its user, so a cell here can be several cells there.
const csvSeparators = ",;|\t\r\n"

// Defuse puts ' before every part of a cell that a spreadsheet could run as a formula (OWASP, CSV Injection). A part
// begins at the beginning of the cell and behind each separator, because quotes do not protect a separator from a
// spreadsheet that expects another one: it takes the quotes as text. A plain decimal number such as -12.50 stays a
// number, and a dash that stands for nothing a dash. Undefuse is the reverse.
func Defuse(cell string) string {
	if cell == "-" || isDecimal(cell) {
		return cell
	}
	return DefuseFirst(cell)
}

// DefuseFirst is Defuse without the exceptions for numbers and dashes, for the first of several cells.
func DefuseFirst(cell string) string {
	return eachPart(cell, isDefused, true)
}

// Undefuse takes away the one ' that Defuse puts before a part.
func Undefuse(cell string) string {
	return eachPart(cell, func(part string) bool { return strings.HasPrefix(part, "'") && isDefused(part) }, false)
}

// eachPart adds ' before each part for which mark returns true, or takes it away.
func eachPart(cell string, mark func(part string) bool, adds bool) string {
	if !strings.ContainsAny(cell, "'=+-@＝＋－＠\t\r\n") { // the usual cell
		return cell
	}
	var b strings.Builder
	done := 0 // bytes of cell that b has
	atStart := true
	for i, r := range cell {
		if atStart && mark(cell[i:]) {
			b.WriteString(cell[done:i])
			if done = i; adds {
				b.WriteByte('\'')
			} else {
				done++
			}
		}
		atStart = strings.ContainsRune(csvSeparators, r)
	}
	return b.String() + cell[done:]
}

// isDefused reports whether Defuse puts ' before a part: a spreadsheet could run it as a formula, or it begins as one that
// was defused. A formula begins with = + - @, with a full-width form of those signs, a tab or a line break, perhaps behind
// quotes and spaces, which some spreadsheets remove. A first line such as "sep=;" is not a formula, but chooses the separator.
func isDefused(part string) bool {
	part = strings.TrimLeft(part, "'")
	part = strings.TrimLeftFunc(part, func(r rune) bool {
		return r == '"' || unicode.IsSpace(r) && !strings.ContainsRune(csvSeparators, r)
	})
	const setting = "sep="
	if len(part) >= len(setting) && strings.EqualFold(part[:len(setting)], setting) {
		return true
	}
	first, _ := utf8.DecodeRuneInString(part)
	return part != "" && strings.ContainsRune("=+-@＝＋－＠\t\r\n", first)
}

// isDecimal reports whether s is a number such as -12.50: a sign or none, digits, at most one point
// between digits.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		s = s[1:]
	}
	whole, fraction, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(fraction))
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
