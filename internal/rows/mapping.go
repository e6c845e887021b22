package rows

import (
	"fmt"
	"slices"
	"strings"
)

// Fold returns a name as names of columns are compared: "First Name", first_name and firstName are one.
func Fold(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

// A Mapping reads files whose columns have other names than the members that a command knows, or that lack some or have
// more. The zero Mapping changes nothing. Names are compared by Fold.
type Mapping struct {
	from    []pair // members, and the columns that they are read from
	set     []pair // members, and their values in every row
	ignored []string
}

type pair struct{ member, value string }

// NewMapping makes a Mapping of MEMBER=COLUMN, of MEMBER=VALUE, and of the columns that are left out.
func NewMapping(columns, values, ignored []string) (m Mapping, err error) {
	if m.from, err = pairs(columns, nil); err == nil {
		m.set, err = pairs(values, m.from)
	}
	m.ignored = ignored
	return m, err
}

func pairs(texts []string, others []pair) (all []pair, err error) {
	for _, text := range texts {
		member, value, ok := strings.Cut(text, "=")
		if !ok || member == "" || value == "" {
			return nil, fmt.Errorf("%q must look like MEMBER=COLUMN or MEMBER=VALUE", text)
		}
		if find(all, member) >= 0 || find(others, member) >= 0 {
			return nil, fmt.Errorf("%s is mapped or set twice", member)
		}
		all = append(all, pair{member, value})
	}
	return all, nil
}

// find returns the index of the pair with a member, or -1.
func find(all []pair, member string) int {
	return slices.IndexFunc(all, func(p pair) bool { return Fold(p.member) == Fold(member) })
}

// Use makes the reader return rows as a mapping describes them. A column that a member is read from keeps its own name
// too if isKnown accepts that. The error is an *Error if the header of a CSV file does not fit the mapping.
func (r *Reader) Use(m Mapping, isKnown func(name string) bool) error {
	if len(m.from) == 0 && len(m.set) == 0 && len(m.ignored) == 0 {
		return nil
	}
	read := r.read
	r.read = func(row *Row) error {
		if err := read(row); err != nil {
			return err
		}
		mapped, err := m.apply(row.Fields, isKnown)
		row.Fields = mapped
		if err == nil {
			for _, p := range m.set {
				row.Fields = append(row.Fields, newCell(p.member, row.Position, p.value))
			}
		}
		return err
	}
	if r.Format != CSV {
		return nil
	}
	for _, column := range slices.Concat(columnsOf(m.from), m.ignored) {
		if !slices.ContainsFunc(r.Columns, func(f Field) bool { return Fold(f.Name) == Fold(column) }) {
			return &Error{Position: Position{1, 1}, Reason: fmt.Sprintf("the file has no column %q", column)}
		}
	}
	columns, err := m.apply(r.Columns, isKnown)
	if err != nil {
		return err
	}
	r.Columns = columns
	for _, p := range m.set {
		r.Columns = append(r.Columns, Field{Position: Position{1, 1}, Name: p.member})
	}
	return nil
}

func columnsOf(all []pair) (columns []string) {
	for _, p := range all {
		columns = append(columns, p.value)
	}
	return columns
}

// apply returns the fields that members are read from, and those that keep their names. A member that has its own
// column or value besides that of the mapping is an error: one of the two would be lost.
func (m *Mapping) apply(fields []Field, isKnown func(name string) bool) (mapped []Field, err error) {
	for _, field := range fields {
		name, used := Fold(field.Name), false
		for _, p := range m.from {
			if Fold(p.value) != name {
				continue
			}
			used = true
			member := field
			member.Name = p.member
			mapped = append(mapped, member)
		}
		isIgnored := slices.ContainsFunc(m.ignored, func(column string) bool { return Fold(column) == name })
		switch {
		case isIgnored, used && !isKnown(field.Name):
			continue
		case used && find(m.from, field.Name) >= 0 && Fold(m.from[find(m.from, field.Name)].value) == name:
			continue // it is mapped to itself
		case find(m.from, field.Name) >= 0, find(m.set, field.Name) >= 0:
			return nil, &Error{Position: field.Position, Reason: fmt.Sprintf(
				"%s is in the file and is mapped or set too; ignore the one in the file, or leave out the other", field.Name)}
		}
		mapped = append(mapped, field)
	}
	return mapped, nil
}
