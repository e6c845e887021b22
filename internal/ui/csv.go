package ui

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"

	"github.com/payctl/payctl/internal/rows"
)

// csvRecords writes a header, where there is one, and rows as RFC 4180 has them, lines ending in \n.
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

// csvCell is the text of a cell. For a spreadsheet that expects another separator than a comma, the first cell begins a
// formula that the second one continues: in -5,2+3 neither would be harmful alone. So the first of several is never a
// number with a sign.
func csvCell(text string, column, columns int) string {
	text = Sanitize(text)
	if column == 0 && columns > 1 {
		return rows.DefuseFirst(text)
	}
	return rows.Defuse(text)
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
