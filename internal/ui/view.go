package ui

import (
	"cmp"
	"strings"
	"time"
)

// Cell is one piece of text and what it means. The text may be foreign: it is sanitised when drawn.
type Cell struct {
	Text string
	Tone Tone
	// Exact is the text in CSV and in details, where Text is rounded; empty means Text.
	Exact string
	// Absent says that the text only stands for a value that there is not. In CSV the cell is empty.
	Absent bool
	// Time is the time that the text shows, which CSV has in the form of RFC 3339. Zero: the text is none of a time.
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

// Optional returns a plain cell with a dash in place of an empty text.
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
	// Name is the column's name in CSV, for programs ("kycStatus"); empty: Header in lower case.
	Name string
	// Right aligns to the right, for amounts and counts.
	Right bool
	// Keep asks for the column to be cut last: a status, a short code, whatever a cut would make unreadable.
	Keep bool
	// Rank decides which columns a narrow terminal leaves out first: those of the lowest rank.
	Rank int
	// Least is the width that is of use: a terminal with less room for the column leaves out another one, or this one.
	// Zero: readable.
	Least int
	// Whole asks for the column to be left out rather than cut: half a time or half an identifier is of no use.
	Whole bool
	// Ends asks for a text that is cut to keep both ends: references of one batch begin alike.
	Ends bool
}

// MachineName is the name of the column for programs.
func (c Column) MachineName() string {
	if c.Name != "" {
		return c.Name
	}
	return strings.ToLower(c.Header)
}

// Field is a label and its values, each on a line of its own.
type Field struct {
	Label string
	Cells []Cell
}

// Details is one thing, member by member.
type Details []Field

// cellAt returns the cell of a column, empty where the row is short.
func cellAt(row []Cell, i int) Cell {
	if i < len(row) {
		return row[i]
	}
	return Cell{}
}
