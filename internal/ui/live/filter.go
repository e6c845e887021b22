package live

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// longestFilter bounds a filter, in bytes: a pasted file is no filter.
const longestFilter = 200

// shortened returns as much of a text as a filter may have.
func shortened(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), longestFilter)], "")
}

// A filter selects rows: all of its terms have to match.
type filter struct {
	terms []term
	// mistake is what is wrong with the text; a term with a mistake matches every row.
	mistake string
	// timed reports whether a row may match later that does not match now.
	timed bool
}

// A term is a word, which any text of the row may contain, or a condition on one column.
type term struct {
	not    bool
	column *Column // nil for a word
	index  int     // of the column
	sign   byte    // ':' the text contains, '=' is, '>' or '<' the value is greater or less
	text   string  // in lower case
	value  float64
}

// parseFilter reads a filter such as
//
//	status:under_review age>2d country:DE -ada
//
// in which a minus excludes what follows. Fields are the names of columns.
func parseFilter(text string, columns []Column) (f filter) {
	for _, word := range strings.Fields(text) {
		t, mistake := readTerm(word, columns)
		if mistake != "" {
			f.mistake = mistake
			continue
		}
		f.timed = f.timed || t.sign == '>' || t.sign == '<'
		f.terms = append(f.terms, t)
	}
	return f
}

func readTerm(word string, columns []Column) (t term, mistake string) {
	if rest, not := strings.CutPrefix(word, "-"); not && rest != "" {
		t.not, word = true, rest
	}
	i := strings.IndexAny(word, ":=<>")
	if i > 0 {
		if t.column, t.index = columnNamed(columns, word[:i]); t.column == nil && isName(word[:i]) {
			return t, "There is no field " + word[:i] + ". Fields: " + strings.Join(fieldNames(columns), ", ") + "."
		}
	}
	if t.column == nil {
		t.text = strings.ToLower(word)
		return t, ""
	}
	t.sign, t.text = word[i], strings.ToLower(word[i+1:])
	if t.sign == ':' || t.sign == '=' {
		return t, ""
	}
	if t.column.Value == nil {
		return t, t.column.MachineName() + " cannot be compared with < and >; write " + t.column.MachineName() + ":TEXT."
	}
	t.text = strings.TrimPrefix(t.text, "=")
	value, ok := readValue(t.text)
	if !ok {
		return t, t.column.MachineName() + string(t.sign) + " needs a number, or a time such as 30m, 4h, 2d or 1w."
	}
	t.value = value
	return t, ""
}

func columnNamed(columns []Column, name string) (column *Column, index int) {
	for i := range columns {
		if strings.EqualFold(columns[i].MachineName(), name) {
			return &columns[i], i
		}
	}
	return nil, 0
}

// isName reports whether a text may be meant as the name of a field.
func isName(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') })
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
func readValue(text string) (value float64, ok bool) {
	if text == "" {
		return 0, false
	}
	unit := units[text[len(text)-1]]
	if unit != 0 {
		text = text[:len(text)-1]
	}
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(value) {
		return 0, false
	}
	if unit != 0 {
		value *= unit
	}
	return value, true
}

// matches reports whether all terms match.
func (f filter) matches(e *entry, now time.Time) bool {
	for i := range f.terms {
		if t := &f.terms[i]; t.matches(e, now) == t.not {
			return false
		}
	}
	return true
}

func (t *term) matches(e *entry, now time.Time) bool {
	if t.column == nil {
		return strings.Contains(string(e.search), t.text)
	}
	switch t.sign {
	case ':':
		return strings.Contains(e.search.column(t.index), t.text)
	case '=':
		return e.search.column(t.index) == t.text
	}
	value, ok := t.column.Value(e.row, now)
	return ok && (t.sign == '>' && value > t.value || t.sign == '<' && value < t.value)
}

// A searchText has the texts of all columns of a row, in lower case, each ended by a line break. Texts of a time are
// left out, since they change.
type searchText string

func newSearchText(columns []Column, row *Row) searchText {
	var b strings.Builder
	for i := range columns {
		switch c := &columns[i]; {
		case c.Text != nil:
			b.WriteString(oneLine(c.Text(row)))
		case c.Value == nil:
			b.WriteString(oneLine(c.Cell(row, Moment{Personal: true}).Text))
		}
		b.WriteByte('\n')
	}
	return searchText(strings.ToLower(b.String()))
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// column returns the text of a column.
func (s searchText) column(index int) string {
	text := string(s)
	for range index {
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	return text[:strings.IndexByte(text, '\n')]
}
