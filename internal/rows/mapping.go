package rows

import (
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/textutil"
)

// Members are the names of the columns or JSON members of a file.
type Members struct {
	Names []string
	// Aliases are other names for members, each with the name of the member.
	Aliases map[string]string
	// Prefix, if not empty, begins all further names, such as "metadata.". In JSON they are one object.
	Prefix string
	// Further are members that the profile names and the contract lacks. Others need a --set.
	Further []string
	// Required are the members that each row must have.
	Required []string
	// Amount is the member that is an amount of money, if there is one.
	Amount string
	// LeaveOut ignores unknown columns. Otherwise they are errors, unless there is a --map.
	LeaveOut bool
}

// String lists the members in words.
func (m Members) String() string {
	all := strings.Join(slices.Concat(m.Names, m.Further), ", ")
	if m.Prefix != "" {
		all += ", " + m.Prefix + "NAME"
	}
	return all
}

// A Mapping says which members rows have, and their sources: columns with other names, or values of the command line.
type Mapping struct {
	// Amounts is how the file writes amounts.
	Amounts AmountStyle

	members   Members
	names     map[string]string // members by name, by folded name and by folded alias (FoldColumn)
	mapped    []string          // members with a column of another name, in the order of the flags
	columns   map[string]string // of those members
	constants []Field           // one without a value means that its member may be missing
}

// NewMapping parses the values of --map and --set. A --map is MEMBER=COLUMN or several of these, separated by commas. A
// --set is MEMBER=VALUE. With an empty value the file may lack the member. The error names the flag.
func NewMapping(members Members, columns, constants []string) (*Mapping, error) {
	m := &Mapping{members: members, names: map[string]string{}, columns: map[string]string{}}
	m.Amounts, _ = NewAmountStyle(false, "") // has no error
	for alias, name := range members.Aliases {
		m.names[FoldColumn(alias)] = name
	}
	for _, name := range slices.Concat(members.Further, members.Names) {
		m.names[name], m.names[FoldColumn(name)] = name, name
	}
	for _, text := range SplitPairs(columns, nil) {
		member, column, err := m.pair("--map", "COLUMN", text)
		switch {
		case err != nil:
			return nil, err
		case column == "":
			return nil, fmt.Errorf("--map %s names no column", text)
		}
		m.mapped = append(m.mapped, member)
		m.columns[member] = column
	}
	isMember := func(name string) bool {
		_, known := m.find(name)
		return known
	}
	for _, text := range SplitPairs(constants, isMember) {
		member, value, err := m.pair("--set", "VALUE", text)
		if err != nil {
			return nil, err
		}
		m.constants = append(m.constants, newCell(member, Position{Flag: "--set " + text}, value))
	}
	return m, nil
}

// find returns the member that a name means.
func (m *Mapping) find(name string) (member string, known bool) {
	if further, is := strings.CutPrefix(name, m.members.Prefix); m.members.Prefix != "" && is && further != "" {
		return name, true
	}
	if member, known = m.names[name]; !known {
		member, known = m.names[FoldColumn(name)]
	}
	return member, known
}

// SplitPairs splits values such as a=1,b=2 at commas. It does not split a value if a part is not a pair with a known
// name, since the comma then belongs to the value. A nil known accepts all names.
func SplitPairs(values []string, known func(name string) bool) (all []string) {
	for _, value := range values {
		parts := strings.Split(value, ",")
		if slices.ContainsFunc(parts, func(part string) bool {
			name, _, isPair := strings.Cut(part, "=")
			return !isPair || known != nil && !known(name)
		}) {
			parts = []string{value}
		}
		all = append(all, parts...)
	}
	return all
}

// pair parses MEMBER=VALUE. Each member may be given once.
func (m *Mapping) pair(flag, what, text string) (member, value string, err error) {
	member, value, ok := strings.Cut(text, "=")
	given := strings.TrimSpace(member)
	member, known := m.find(given)
	isTypo := m.members.Prefix == "" || !isName(given) || textutil.Typo(given, m.members.Names) != ""
	switch {
	case !ok:
		return "", "", fmt.Errorf("%s %q must look like MEMBER=%s; the members are %s", flag, text, what, m.members)
	case !known && flag == "--set" && !isTypo:
		return given, value, nil
	case !known:
		return "", "", fmt.Errorf("%s %s: unknown member %q; the members are %s", flag, text, given, m.members)
	case m.columns[member] != "" && (flag == "--map" || value != ""), hasField(m.constants, member):
		return "", "", fmt.Errorf("%s %s: %s is given twice", flag, text, member)
	}
	return member, value, nil
}

// isName reports whether a text can be the name of a further member.
func isName(text string) bool { return text != "" && !strings.ContainsAny(text, ".:=/ ") }

// membersOf returns the members of a column: those of --map, and the one with the name of the column, unless --map
// gives that another column.
func (m *Mapping) membersOf(column string) (members []string) {
	for _, member := range m.mapped {
		if m.columns[member] == column {
			members = append(members, member)
		}
	}
	if own, known := m.find(column); known && m.columns[own] == "" {
		members = append(members, own)
	}
	return members
}

func hasField(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name })
}

// A mapper maps the rows of one file.
type mapper struct {
	*Mapping
	amounts AmountStyle
	unused  map[string]bool // columns
	isTable bool            // the file has a header, which mapRow has checked
}

// mapRow returns the row with its members.
func (m *mapper) mapRow(row Row) (Row, *Error) {
	where := "the row"
	switch {
	case !row.Named:
		return Row{}, Errorf(row.Position, "a row must be a JSON object, one a line")
	case m.isTable:
		where = ""
	}
	members, err := m.apply(row.Fields, row.Position, where)
	for i := range members {
		if amount := &members[i]; err == nil && amount.Name == m.members.Amount && amount.Text != "" {
			number, wrong := m.amounts.Read(*amount)
			if wrong != nil {
				err = Errorf(amount.Position, "%s %v", amount.Name, wrong)
				err.Member = amount.Name
			}
			amount.Kind, amount.Text = '"', number
		}
	}
	row.Fields = members
	if err != nil {
		err.Fields = members
	}
	return row, err
}

// apply returns the members of a row, or of the header of a CSV file. It checks the names of the header or of a JSON
// object. where describes these for errors. It is empty for a row of CSV, whose names are those of the header. The
// members are those that can be read, also with an error.
func (m *mapper) apply(fields []Field, at Position, where string) (members []Field, first *Error) {
	members = make([]Field, 0, len(fields)+len(m.constants))
	wrong := func(at Position, format string, args ...any) {
		if first == nil {
			first = Errorf(at, format, args...)
		}
	}
	for _, field := range fields {
		names := m.membersOf(field.Name)
		if len(names) == 0 && where != "" {
			if !m.members.LeaveOut && len(m.mapped) == 0 {
				wrong(field.Position, "unknown column %q; the columns are %s. --map MEMBER=COLUMN takes one of "+
					"these from a column with another name, and ignores the columns that are not needed", field.Name, m.members)
			} else if len(m.unused) < maxColumns {
				m.unused[field.Name] = true
			}
		}
		for _, member := range names {
			switch {
			case slices.ContainsFunc(m.constants, func(f Field) bool { return f.Name == member && f.Text != "" }):
				if field.Text != "" {
					wrong(field.Position, "%s has a value here, and --set gives it another", member)
				}
			case where != "" && hasField(members, member):
				wrong(field.Position, "%q appears twice", field.Name)
			default:
				members = append(members, Field{field.Position, member, field.Kind, field.Text})
			}
		}
	}
	for _, member := range m.mapped { // a misspelt column could lose an amount
		if where != "" && !hasField(members, member) {
			wrong(at, "%s has no column %q, which --map names for %s", where, m.columns[member], member)
		}
	}
	for _, constant := range m.constants {
		if constant.Text != "" || !hasField(members, constant.Name) {
			members = append(members, constant)
		}
	}
	return members, first
}

// checkHeader checks the names of a CSV file, and that no required member is missing.
func (m *mapper) checkHeader(header []Field) *Error {
	start := header[0].Position
	columns, err := m.apply(header, start, "the file")
	if err != nil {
		return err
	}
	isThere := func(name string) bool { return hasField(columns, name) }
	missing := slices.DeleteFunc(slices.Clone(m.members.Required), isThere)
	if len(missing) == 0 {
		return nil
	}
	return Errorf(start, "missing columns: %s; --map %s=COLUMN takes one from another column, and --set MEMBER=VALUE "+
		"gives all rows one value", strings.Join(missing, ", "), missing[0])
}

var withoutSeparators = strings.NewReplacer(" ", "", "_", "", "-", "")

// FoldColumn returns the name of a column for comparisons: "First Name", first_name, first-name and firstName are
// equal.
func FoldColumn(name string) string { return strings.ToLower(withoutSeparators.Replace(name)) }
