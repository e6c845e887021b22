package live

import (
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/ui"
)

// longestFilter bounds a filter, in bytes.
const longestFilter = 200

// A filter selects rows. All its terms must match.
type filter []func(e *entry) bool

// parseFilter reads a filter such as
//
//	status:under_review country:DE -ada
//
// where a minus excludes a term. Fields are the names of columns.
func parseFilter(text string, columns []Column) (f filter) {
	for _, word := range strings.Fields(ui.Fold(text)) {
		excluded := len(word) > 1 && word[0] == '-'
		if excluded {
			word = word[1:]
		}
		name, value, isField := strings.Cut(word, ":")
		index := slices.IndexFunc(columns, func(c Column) bool { return strings.EqualFold(c.MachineName(), name) })
		f = append(f, func(e *entry) bool {
			if isField && index >= 0 {
				return strings.Contains(e.texts.column(index), value) != excluded
			}
			return strings.Contains(string(e.texts), word) != excluded
		})
	}
	return f
}

// matches reports whether all terms match.
func (f filter) matches(e *entry) bool {
	return !slices.ContainsFunc(f, func(matches func(*entry) bool) bool { return !matches(e) })
}

// A searchText has the folded texts of all columns of a row, each ended by a line break. Columns with Passes are empty.
type searchText string

func newSearchText(columns []Column, row *Row) searchText {
	var b strings.Builder
	for i := range columns {
		if c := &columns[i]; !c.Passes {
			b.WriteString(strings.ReplaceAll(c.Cell(row, Moment{Personal: true}).Text, "\n", " "))
		}
		b.WriteByte('\n')
	}
	return searchText(ui.Fold(b.String()))
}

// column returns the text of a column.
func (s searchText) column(index int) string {
	text := string(s)
	for range index {
		text = text[strings.IndexByte(text, '\n')+1:]
	}
	return text[:strings.IndexByte(text, '\n')]
}
