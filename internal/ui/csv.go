package ui

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// DefuseCSV puts ' before a cell that a spreadsheet would run as a formula: one that begins with
// = + - @, a tab, a carriage return or a line feed, or with the full-width form of those signs (OWASP,
// CSV Injection). A plain decimal number such as -12.50 stays a number, and a dash that stands for nothing a dash.
func DefuseCSV(cell string) string {
	first, _ := utf8.DecodeRuneInString(cell)
	if cell == "" || cell == "-" || !strings.ContainsRune("=+-@\t\r\n＝＋－＠", first) || isDecimal(cell) {
		return cell
	}
	return "'" + cell
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
			names[i] = csvCell(c.machineName())
		}
		records = append(records, names)
	}
	for _, row := range rows {
		record := make([]string, len(cols))
		for i := range cols {
			if cell := cellAt(row, i); !cell.Absent {
				record[i] = csvCell(cell.Text)
			}
		}
		records = append(records, record)
	}
	var b bytes.Buffer
	err := csv.NewWriter(&b).WriteAll(records)
	return b.Bytes(), err
}

func csvCell(text string) string { return DefuseCSV(Sanitize(text)) }

// csvTable is what CSV shows. One thing is a row of its members under the names that they have in JSON, which other programs
// know, and not under labels; where it is no object, its details are a row, several values of a field sharing a cell.
func csvTable(value any, v View) (Table, bool) {
	switch v := v.(type) {
	case Table:
		return v, true
	case Details:
		if t, ok := memberTable(value); ok {
			return t, true
		}
		t := Table{Rows: [][]Cell{make([]Cell, len(v))}}
		for i, field := range v {
			values := make([]string, len(field.Cells))
			for j, c := range field.Cells {
				values[j] = c.Text
			}
			t.Columns = append(t.Columns, Column{Header: field.Label})
			t.Rows[0][i] = Text(strings.Join(values, "; "))
		}
		return t, true
	}
	return Table{}, false
}

// memberTable is the members of a JSON object in their order: strings as they are, null as nothing, the rest as JSON.
func memberTable(value any) (Table, bool) {
	doc, err := compactJSON(value)
	if err != nil || !bytes.HasPrefix(doc, []byte("{")) {
		return Table{}, false
	}
	t := Table{Rows: [][]Cell{nil}}
	decoder := json.NewDecoder(bytes.NewReader(doc))
	_, _ = decoder.Token() // { of a valid document
	for decoder.More() {
		name, _ := decoder.Token()
		var member json.RawMessage
		if err := decoder.Decode(&member); err != nil {
			return Table{}, false
		}
		text := string(member)
		if text == "null" || text[0] == '"' && json.Unmarshal(member, &text) != nil {
			text = ""
		}
		t.Columns = append(t.Columns, Column{Name: name.(string)})
		t.Rows[0] = append(t.Rows[0], Text(text))
	}
	return t, len(t.Columns) > 0
}
