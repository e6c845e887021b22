package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvSeparators may separate cells in a spreadsheet, depending on the locale and on its user. One cell here can
// therefore be several cells there.
const csvSeparators = ",;|\t\r\n"

// Defuse puts ' before every part of a cell that a spreadsheet could run as a formula (OWASP, CSV Injection). A part
// begins at the start of the cell and after each separator. Quotes do not protect a separator: a spreadsheet that
// expects another one reads the quotes as text. A decimal number such as -12.50 and a single dash do not change.
// Undefuse is the reverse.
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

// Undefuse removes each ' that Defuse adds.
func Undefuse(cell string) string {
	return eachPart(cell, func(part string) bool { return strings.HasPrefix(part, "'") && isDefused(part) }, false)
}

// eachPart adds or removes a ' before each part that mark accepts.
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

// isDefused reports whether Defuse puts ' before a part. A spreadsheet could run it as a formula, or it looks like a
// defused formula. A formula begins with = + - @, with a full-width form of these, a tab or a line break. Quotes and
// spaces may come first, since some spreadsheets remove them. A line such as "sep=;" counts too: it sets the separator.
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

// isDecimal reports whether s is a number such as -12.50: an optional sign, and digits with at most one point between
// them.
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
