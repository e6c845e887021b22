package ui

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"

	"github.com/payctl/payctl/internal/rows"
)

// csvRecords writes an optional header and rows as CSV (RFC 4180), with lines ending in \n.
func csvRecords(cols []Column, lines [][]Cell, header bool) ([]byte, error) {
	var records [][]string
	if header {
		names := make([]string, len(cols))
		for i, c := range cols {
			names[i] = csvCell(c.MachineName(), i, len(cols))
		}
		records = append(records, names)
	}
	for _, row := range lines {
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

// csvCell is the text of a cell. A spreadsheet with another separator than a comma may join cells: -5,2+3 becomes one
// formula. So the first of several cells is never a number with a sign.
func csvCell(text string, column, columns int) string {
	text = Sanitize(text)
	if column == 0 && columns > 1 {
		return rows.DefuseFirst(text)
	}
	return rows.Defuse(text)
}

// csvObject writes a JSON object as a row of its members, in their order and with their JSON names. Strings are
// unchanged, null is empty, and the rest is JSON.
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
