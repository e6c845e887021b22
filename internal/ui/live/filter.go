package live

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// longestFilter bounds a filter, in bytes: a pasted file is no filter.
const longestFilter = 200

// A filter selects rows: all of its terms have to match.
type filter struct {
	terms []func(e *entry, now time.Time) bool
	// mistake is what is wrong with the text; a term with a mistake matches every row.
	mistake string
	// timed reports whether a row may match later that does not match now.
	timed bool
}

// parseFilter reads a filter such as
//
//	status:under_review age>2d country:DE -ada
//
// in which a minus excludes what follows. Fields are the names of columns.
func parseFilter(text string, columns []Column) (f filter) {
	for _, word := range strings.Fields(fold(text)) {
		excluded := len(word) > 1 && word[0] == '-'
		if excluded {
			word = word[1:]
		}
		matches := func(e *entry, _ time.Time) bool { return strings.Contains(string(e.texts), word) }
		if at := strings.IndexAny(word, ":=<>"); at > 0 && strings.Trim(word[:at], "abcdefghijklmnopqrstuvwxyz") == "" {
			var mistake string
			if matches, mistake = readCondition(word[:at], word[at:at+1], word[at+1:], columns); mistake != "" {
				f.mistake = mistake
				continue
			}
			f.timed = f.timed || word[at] == '<' || word[at] == '>'
		}
		f.terms = append(f.terms, func(e *entry, now time.Time) bool { return matches(e, now) != excluded })
	}
	return f
}

// readCondition returns what reports whether an entry meets a condition on the column with a name.
func readCondition(
	name, sign, text string, columns []Column,
) (matches func(e *entry, now time.Time) bool, mistake string) {
	index := -1
	for i := range columns {
		if strings.EqualFold(columns[i].MachineName(), name) {
			index = i
		}
	}
	value, err := readValue(text)
	switch {
	case index < 0:
		return nil, "There is no field " + name + ". Fields: " + strings.Join(fieldNames(columns), ", ") + "."
	case sign == ":" || sign == "=":
		return func(e *entry, _ time.Time) bool { return strings.Contains(e.texts.column(index), text) }, ""
	case columns[index].Number == nil:
		return nil, name + " cannot be compared with < and >; write " + name + ":TEXT."
	case err != nil:
		return nil, name + sign + " needs a number, or a time such as 30m, 4h, 2d or 1w."
	}
	return func(e *entry, now time.Time) bool {
		has, ok := columns[index].Number(e.row, now)
		return ok && (sign == ">" && has > value || sign == "<" && has < value)
	}, ""
}

func fieldNames(columns []Column) (names []string) {
	for _, c := range columns {
		names = append(names, c.MachineName())
	}
	return names
}

// The units of a time in a filter, in seconds.
var units = map[byte]float64{'s': 1, 'm': 60, 'h': 3600, 'd': 24 * 3600, 'w': 7 * 24 * 3600}

// readValue reads a number, or a time in seconds, such as 2d.
func readValue(text string) (float64, error) {
	unit := 1.0
	if last := len(text) - 1; last > 0 && units[text[last]] > 0 {
		unit, text = units[text[last]], text[:last]
	}
	value, err := strconv.ParseFloat(text, 64)
	return value * unit, err
}

// matches reports whether all terms match.
func (f filter) matches(e *entry, now time.Time) bool {
	for _, matches := range f.terms {
		if !matches(e, now) {
			return false
		}
	}
	return true
}

// letters are those that have no accent in Unicode, but for a person who types.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// fold removes from a text what a filter disregards: case and accents.
func fold(text string) string {
	withoutAccent := func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}
	return letters.Replace(strings.Map(withoutAccent, norm.NFD.String(strings.ToLower(text))))
}

// A searchText has the folded texts of all columns of a row, each ended by a line break. Texts of a time that
// passes are left out.
type searchText string

func newSearchText(columns []Column, row *Row) searchText {
	var b strings.Builder
	for i := range columns {
		if c := &columns[i]; !c.Passes {
			b.WriteString(strings.ReplaceAll(c.Cell(row, Moment{Personal: true}).Text, "\n", " "))
		}
		b.WriteByte('\n')
	}
	return searchText(fold(b.String()))
}

// column returns the text of a column.
func (s searchText) column(index int) string {
	text := string(s)
	for range index {
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	return text[:strings.IndexByte(text, '\n')]
}
