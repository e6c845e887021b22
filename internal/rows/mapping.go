package rows

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/suggest"
)

// Members are the names that the columns or JSON members of a file may have.
type Members struct {
	Names []string
	// Prefix begins all further names, such as "metadata."; empty: there are none. In JSON they are one object.
	Prefix string
	// Match returns the name of the member that another name means too; nil: no other name does.
	Match func(name string) (member string, ok bool)
	// Required are the members that each row must have. The first one is the row's own name, which no constant can be.
	Required []string
	// LeaveOut leaves out columns that belong to no member. Otherwise they are errors, unless there is a --map.
	LeaveOut bool
}

// Has reports whether there is a member with the name.
func (m Members) Has(name string) bool {
	_, known := m.find(name)
	return known
}

// find returns the member that a name means.
func (m Members) find(name string) (member string, known bool) {
	further, isFurther := strings.CutPrefix(name, m.Prefix)
	switch {
	case slices.Contains(m.Names, name), m.Prefix != "" && (isFurther && further != "" || name+"." == m.Prefix):
		return name, true
	case m.Match != nil:
		return m.Match(name)
	}
	return "", false
}

// String lists the members in words.
func (m Members) String() string {
	all := m.Names
	if m.Prefix != "" {
		all = append(slices.Clip(all), m.Prefix+"NAME")
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// A Mapping says which members rows have, and where these come from in a file that was made for something else: from
// columns with other names, or from the command line.
type Mapping struct {
	members   Members
	mapped    []string            // members that have a column of another name, in the order of the flags
	columns   map[string]string   // of those members
	readers   map[string][]string // those members by their column
	constants []Field
}

// mapFlag and setFlag are the flags of a mapping, which its errors name.
const (
	mapFlag = "--map"
	setFlag = "--set"
)

// NewMapping reads the values of --map, each MEMBER=COLUMN or several of them separated by commas, and those of --set,
// each MEMBER=VALUE. An empty value says that the file may leave the member out. The error names the flag.
func NewMapping(members Members, columns, constants []string) (*Mapping, error) {
	m := &Mapping{members: members, columns: map[string]string{}, readers: map[string][]string{}}
	for _, text := range m.split(columns) {
		member, column, err := m.pair(mapFlag, "COLUMN", text)
		switch {
		case err != nil:
			return nil, err
		case column == "":
			return nil, fmt.Errorf("%s %s names no column", mapFlag, text)
		}
		m.mapped = append(m.mapped, member)
		m.columns[member] = column
		m.readers[column] = append(m.readers[column], member)
	}
	for _, text := range constants {
		member, value, err := m.pair(setFlag, "VALUE", text)
		if err != nil {
			return nil, err
		}
		m.constants = append(m.constants, newCell(member, Position{Flag: setFlag + " " + text}, value))
	}
	return m, nil
}

// split splits the values of --map at commas, unless a comma is part of a column's name: not every part names a member.
func (m *Mapping) split(values []string) (all []string) {
	for _, value := range values {
		parts := strings.Split(value, ",")
		for _, part := range parts {
			if member, _, ok := strings.Cut(part, "="); !ok || !m.members.Has(strings.TrimSpace(member)) {
				parts = []string{value}
				break
			}
		}
		all = append(all, parts...)
	}
	return all
}

// pair reads MEMBER=VALUE. Each member may be given once.
func (m *Mapping) pair(flag, what, text string) (member, value string, err error) {
	member, value, ok := strings.Cut(text, "=")
	given := strings.TrimSpace(member)
	member, known := m.members.find(given)
	switch {
	case !ok:
		return "", "", fmt.Errorf("%s %q must look like MEMBER=%s; the members are %s", flag, text, what, m.members)
	case !known:
		question := ""
		if guess := suggest.Guess(given, m.members.Names); guess != "" {
			question = ": did you mean " + guess + "?"
		}
		return "", "", fmt.Errorf("%s %s: there is no member %q; the members are %s%s", flag, text, given, m.members, question)
	case m.columns[member] != "" && (flag == mapFlag || value != ""), m.isConstant(member):
		return "", "", fmt.Errorf("%s %s: %s is given twice", flag, text, member)
	}
	return member, value, nil
}

// isConstant reports whether --set gives a member.
func (m *Mapping) isConstant(member string) bool {
	return slices.ContainsFunc(m.constants, func(f Field) bool { return f.Name == member })
}

// MayBeEmpty reports whether the user has said that a member may be left out: its --set has no value.
func (m *Mapping) MayBeEmpty(member string) bool {
	return slices.ContainsFunc(m.constants, func(f Field) bool { return f.Name == member && f.Text == "" })
}

// gives reports whether --map or --set gives a member.
func (m *Mapping) gives(member string) bool { return m.columns[member] != "" || m.isConstant(member) }

// membersOf are the members that come from a column: those that --map gives it, and the one of its own name unless that
// has another column. They are not known for a column that belongs to no member.
func (m *Mapping) membersOf(column string) (members []string, known bool) {
	members = m.readers[column]
	if own, ok := m.members.find(column); ok && m.columns[own] == "" {
		members = append(slices.Clip(members), own)
	}
	return members, len(members) > 0
}

const (
	mostUnused = 100 // names that are kept of columns that are not used
	maxNamed   = 20  // unknown columns that an error names
)

// A mapper applies a mapping to the rows of a reader.
type mapper struct {
	*Mapping
	reader *Reader
	read   func(*Row) error
	from   Row // the row as it is in the file
	// leavesOut leaves out columns that belong to no member.
	leavesOut bool
	explained bool // an error says which columns there are
	// unused has the columns that are not used, each with a member of which it may be a misspelling, or with nothing.
	unused map[string]string
}

// mapWith has the reader return the members of a mapping: Columns and the names of fields are those of members, and each
// row has the constants too. Unused returns the columns that were left out. One that looks like a member that the file
// does not have is an error, since a misspelt optional column must not be left out. The error is an *Error if the header
// has a mistake.
func (r *Reader) mapWith(m *Mapping) error {
	mapping := &mapper{
		Mapping: m, reader: r, read: r.read, unused: map[string]string{}, leavesOut: m.members.LeaveOut || len(m.mapped) > 0,
	}
	if r.Format == CSV {
		if err := mapping.mapHeader(); err != nil {
			return err
		}
	}
	r.mapper, r.read = mapping, mapping.next
	return nil
}

func (m *mapper) mapHeader() error {
	var columns, unknown []Field
	for _, column := range m.reader.Columns {
		members, known := m.membersOf(column.Name)
		if !known && !m.leavesOut {
			unknown = append(unknown, column)
		}
		for _, member := range members {
			if hasField(columns, member) {
				return Errorf(column.Position, "the column %q is there twice", column.Name)
			}
			if !m.isConstant(member) || m.MayBeEmpty(member) {
				columns = append(columns, Field{Position: column.Position, Name: member})
			}
		}
	}
	if len(unknown) > 0 {
		return m.unknown(unknown...)
	}
	start := m.reader.Columns[0].Position
	for _, member := range m.mapped {
		if !hasField(m.reader.Columns, m.columns[member]) {
			return m.noColumn(start, "the file", member, m.reader.Columns)
		}
	}
	for _, column := range m.reader.Columns {
		if err := m.checkUnused(column, columns); err != nil {
			return err
		}
	}
	for _, constant := range m.constants {
		if !hasField(columns, constant.Name) {
			columns = append(columns, constant)
		}
	}
	m.reader.Columns = columns
	return m.checkRequired(start)
}

func hasField(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
}

// unknown is the error of columns that belong to no member.
func (m *mapper) unknown(columns ...Field) error {
	reason := "unknown column"
	for i, column := range columns[:min(len(columns), maxNamed)] {
		reason += []string{" ", ", "}[min(i, 1)] + fmt.Sprintf("%q", column.Name)
	}
	if !m.explained { // once: each row may have such a column
		m.explained = true
		reason += fmt.Sprintf("; the columns are %s. --map MEMBER=COLUMN takes one of these from a column with another "+
			"name, and leaves out the columns that are not needed", m.members)
	}
	return Errorf(columns[0].Position, "%s", reason)
}

// checkRequired returns an error that names the members that a CSV file lacks.
func (m *mapper) checkRequired(at Position) error {
	missing := slices.DeleteFunc(slices.Clone(m.members.Required), func(name string) bool {
		return hasField(m.reader.Columns, name)
	})
	if len(missing) == 0 {
		return nil
	}
	what := "column " + missing[0] + " is"
	if len(missing) > 1 {
		what = "columns " + strings.Join(missing, " and ") + " are"
	}
	reason := fmt.Sprintf("the %s missing; %s %s=COLUMN takes it from another column", what, mapFlag, missing[0])
	if missing[0] != m.members.Required[0] {
		reason += fmt.Sprintf(", and %s %s=VALUE gives all rows one value", setFlag, missing[0])
	} else {
		reason += ". It is your own name for a row, by which it is made only once"
	}
	return &Error{Position: at, Reason: reason}
}

// noColumn is the error of a file or a row that does not have the column that --map names for a member.
func (m *mapper) noColumn(at Position, where, member string, fields []Field) error {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = field.Name
	}
	column := m.columns[member]
	text := fmt.Sprintf("%s has no column %q, which %s names for %s", where, column, mapFlag, member)
	if guess := suggest.Guess(column, names); guess != "" {
		return Errorf(at, "%s; did you mean %q?", text, guess)
	}
	return Errorf(at, "%s; it has %q", text, names)
}

// checkUnused notes a column that belongs to no member. Present are the members that the file or the row has.
func (m *mapper) checkUnused(column Field, present []Field) error {
	if _, known := m.membersOf(column.Name); known {
		return nil
	}
	guess, before := m.unused[column.Name]
	if !before {
		open := slices.DeleteFunc(slices.Clone(m.members.Names), m.gives)
		guess = suggest.Guess(column.Name, open)
		if len(m.unused) < mostUnused {
			m.unused[column.Name] = guess
		}
	}
	if guess == "" || hasField(present, guess) {
		return nil
	}
	return Errorf(column.Position, "the column %q belongs to no member, and there is no %s: "+
		"take it with %s %s=COLUMN, or leave it out with %s %s=", column.Name, guess, mapFlag, guess, setFlag, guess)
}

// Unused are the columns that a mapping has left out so far, at most mostUnused, sorted.
func (r *Reader) Unused() []string {
	if r.mapper == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(r.mapper.unused))
}

// next reads the next row and maps it.
func (m *mapper) next(row *Row) error {
	m.from.Fields = m.from.Fields[:0]
	if err := m.read(&m.from); err != nil {
		return err
	}
	row.Position, row.Named = m.from.Position, m.from.Named
	if !row.Named {
		return Errorf(row.Position, "a row must be a JSON object, one a line")
	}
	for _, field := range m.from.Fields {
		members, known := m.membersOf(field.Name)
		if !known && !m.leavesOut {
			return m.unknown(field)
		}
		for _, member := range members {
			switch {
			case !m.isConstant(member) || m.MayBeEmpty(member):
				if m.reader.Format != CSV && hasField(row.Fields, member) {
					return Errorf(field.Position, "%s is there twice", member)
				}
				field.Name = member
				row.Fields = append(row.Fields, field)
			case field.Text != "":
				return Errorf(field.Position, "%s has a value here, and %s gives it another", member, setFlag)
			}
		}
	}
	if m.reader.Format != CSV && m.leavesOut { // the names of CSV are those of the header
		if err := m.checkNames(row.Fields); err != nil {
			return err
		}
	}
	for _, constant := range m.constants {
		if constant.Text != "" || !hasField(row.Fields, constant.Name) {
			row.Fields = append(row.Fields, constant)
		}
	}
	return nil
}

// checkNames checks the names of a JSON object, which may differ from row to row. A row without the member that --map
// names is an error: it could as well be misspelt, and the row would take whatever amount arrives.
func (m *mapper) checkNames(present []Field) error {
	for _, member := range m.mapped {
		if !hasField(present, member) {
			return m.noColumn(m.from.Position, "the row", member, m.from.Fields)
		}
	}
	for _, field := range m.from.Fields {
		if err := m.checkUnused(field, present); err != nil {
			return err
		}
	}
	return nil
}

// FoldColumn returns the name of a column as such names are compared: "First Name", first_name, first-name and firstName
// are one.
func FoldColumn(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}
