package ui

import (
	"cmp"
	"strings"
	"time"
)

// Cell is a text with a meaning. The text may be foreign: it is sanitised when drawn.
type Cell struct {
	Text string
	Tone Tone
	// Exact is the text in CSV and in details, if Text is rounded. Empty means Text.
	Exact string
	// Absent reports that the text only marks a missing value. In CSV the cell is empty.
	Absent bool
	// Time is the time that the text shows. CSV has it in RFC 3339. Zero means that the text is not a time.
	Time time.Time
}

// csvText is the text of the cell in CSV.
func (c Cell) csvText() string {
	switch {
	case c.Absent:
		return ""
	case !c.Time.IsZero():
		return c.Time.UTC().Format(time.RFC3339Nano)
	}
	return cmp.Or(c.Exact, c.Text)
}

// Text returns a plain cell.
func Text(s string) Cell { return Cell{Text: s} }

// Optional returns a plain cell. An empty text becomes a dash.
func Optional(s string) Cell {
	if s == "" {
		return Cell{Text: "-", Absent: true}
	}
	return Text(s)
}

// Toned returns a cell with a tone.
func Toned(t Tone, s string) Cell { return Cell{Text: s, Tone: t} }

// Column describes a column of a list.
type Column struct {
	// Header is shown in capitals.
	Header string
	// Name is the column's name in CSV ("kycStatus"). Empty means Header in lower case.
	Name string
	// Right aligns to the right, for amounts and counts.
	Right bool
	// Keep means that the column is cut last, such as a status or a short code.
	Keep bool
	// Rank decides which columns a narrow terminal leaves out: the lowest first.
	Rank int
	// Least is the least useful width. With less room, a terminal leaves out another column, or this one. Zero means
	// readable.
	Least int
	// Whole means that the column is left out and never cut: half a time is useless.
	Whole bool
	// Ends means that a cut keeps both ends: references of one batch begin alike.
	Ends bool
}

// MachineName is the name of the column for programs.
func (c Column) MachineName() string {
	if c.Name != "" {
		return c.Name
	}
	return strings.ToLower(c.Header)
}

// Field is a label and its values, one a line.
type Field struct {
	Label string
	Cells []Cell
}

// Details are the members of one resource.
type Details []Field

// cellAt returns the cell of a column, empty where the row is short.
func cellAt(row []Cell, i int) Cell {
	if i < len(row) {
		return row[i]
	}
	return Cell{}
}
