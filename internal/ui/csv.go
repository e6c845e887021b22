package ui

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"strings"
	"unicode"
	"unicode/utf8"
)

// csvSeparators are the characters at which a spreadsheet may divide a line into cells. Which ones it uses depends on the
// country settings and on the choices of its user, so that a cell here can be several cells there.
const csvSeparators = ",;|\t\r\n"

// DefuseCSV puts ' before every part of a cell that a spreadsheet could run as a formula (OWASP, CSV Injection). A part
// begins at the beginning of the cell and behind each separator, because quotes do not protect a separator from a
// spreadsheet that expects another one: it takes the quotes as text. A plain decimal number such as -12.50 stays a
// number, and a dash that stands for nothing a dash.
func DefuseCSV(cell string) string {
	if cell == "-" || isDecimal(cell) {
		return cell
	}
	return defuseParts(cell)
}

// defuseParts is DefuseCSV without the exceptions for numbers and dashes.
func defuseParts(cell string) string {
	var b strings.Builder
	done := 0 // bytes of cell that b has
	atStart := true
	for i, r := range cell {
		if atStart && runsInSpreadsheet(cell[i:]) {
			b.WriteString(cell[done:i] + "'")
			done = i
		}
		atStart = strings.ContainsRune(csvSeparators, r)
	}
	return b.String() + cell[done:]
}

// runsInSpreadsheet reports whether a spreadsheet could run a part of a line as a formula: it begins with = + - @, with
// a full-width form of those signs, a tab or a line break, perhaps behind quotes and spaces, which some spreadsheets
// remove. A first line such as "sep=;" is no formula, but chooses the separator.
func runsInSpreadsheet(part string) bool {
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

// csvRecords writes a header, where there is one, and rows as RFC 4180 has them, lines ending in \n.
func csvRecords(cols []Column, rows [][]Cell, header bool) ([]byte, error) {
	var records [][]string
	if header {
		names := make([]string, len(cols))
		for i, c := range cols {
			names[i] = csvCell(c.MachineName(), i, len(cols))
		}
		records = append(records, names)
	}
	for _, row := range rows {
		record := make([]string, len(cols))
		for i := range cols {
			record[i] = csvCell(cellAt(row, i).csvText(), i, len(cols))
		}
		records = append(records, record)
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(records)
	return b.Bytes(), err
}

// csvCell is the text of a cell. For a spreadsheet that expects another separator than a comma, the first cell begins a
// formula that the second one continues: in -5,2+3 neither would be harmful alone. So the first of several is never a
// number with a sign.
func csvCell(text string, column, columns int) string {
	text = Sanitize(text)
	if column == 0 && columns > 1 {
		return defuseParts(text)
	}
	return DefuseCSV(text)
}

// csvObject writes a JSON object as a row of its members, in their order and under the names that other programs know:
// strings as they are, null as nothing, the rest as JSON.
func csvObject(value any) ([]byte, error) {
	doc, err := compactJSON(value)
	if err != nil || !bytes.HasPrefix(doc, []byte("{")) {
		return nil, cmp.Or(err, ErrNoTable)
	}
	var columns []Column
	var row []Cell
	decoder := json.NewDecoder(bytes.NewReader(doc))
	_, _ = decoder.Token() // { of a valid document
	for decoder.More() {
		name, _ := decoder.Token()
		var member json.RawMessage
		if err := decoder.Decode(&member); err != nil {
			return nil, err
		}
		text := string(member)
		if text == "null" || text[0] == '"' && json.Unmarshal(member, &text) != nil {
			text = ""
		}
		columns, row = append(columns, Column{Name: name.(string)}), append(row, Text(text))
	}
	return csvRecords(columns, [][]Cell{row}, true)
}
