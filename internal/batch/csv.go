package batch

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// csvRows reads CSV (RFC 4180) with a header.
type csvRows struct {
	bounded *bounded
	reader  *csv.Reader
	columns []string
	members []int // of each column; -1: metadata
	line    int
}

func newCSV(content io.Reader) (Rows, error) {
	limit := &bounded{from: content, left: maxRow}
	c := &csvRows{bounded: limit, reader: csv.NewReader(limit)}
	header, err := c.reader.Read()
	if err != nil {
		return nil, c.explain(err)
	}
	c.columns = slices.Clone(header)
	for i, name := range c.columns {
		line, column := c.reader.FieldPos(i)
		at, known := member(name)
		key, isMetadata := strings.CutPrefix(name, metadataPrefix)
		switch {
		case slices.Contains(c.columns[:i], name):
			return nil, &Mistake{Place{line, column}, "the column " + name + " is there twice"}
		case known:
			c.members = append(c.members, at)
		case isMetadata && key != "":
			c.members = append(c.members, -1)
		default:
			return nil, &Mistake{Place{line, column}, unknownColumn(name) + separated(name)}
		}
	}
	for _, needed := range []int{reference, contact, route} {
		if !slices.Contains(c.members, needed) {
			return nil, &Mistake{Place{1, 1}, "the column " + names[needed] + " is missing"}
		}
	}
	c.reader.ReuseRecord = true
	return c, nil
}

// separated says what is wrong with a header whose columns something else than commas parts, as some spreadsheets write it.
func separated(name string) string {
	const instead = "; columns are parted by commas, not by "
	switch {
	case strings.Contains(name, ";"):
		return instead + "semicolons"
	case strings.Contains(name, "\t"):
		return instead + "tabs"
	}
	return ""
}

// Columns implements Rows.
func (c *csvRows) Columns() []string { return c.columns }

// Next implements Rows.
func (c *csvRows) Next(row *Row) error {
	c.bounded.left = maxRow
	record, err := c.reader.Read()
	if parse, isParse := errors.AsType[*csv.ParseError](err); isParse && errors.Is(err, csv.ErrFieldCount) {
		return &Mistake{Place{parse.Line, 1}, fmt.Sprintf("the row has another number of columns (%d) than the header (%d)", len(record), len(c.columns))}
	}
	if err != nil {
		return c.explain(err)
	}
	for i, value := range record {
		line, column := c.reader.FieldPos(i)
		if i == 0 {
			row.Line = line
		}
		if at := c.members[i]; at >= 0 {
			row.values[at], row.places[at] = value, Place{line, column}
		} else if value != "" {
			if row.Metadata == nil {
				row.Metadata = make(map[string]string, 1)
			}
			row.Metadata[c.columns[i][len(metadataPrefix):]] = value
		}
	}
	c.line = row.Line
	return nil
}

func (c *csvRows) explain(err error) error {
	parse, isParse := errors.AsType[*csv.ParseError](err)
	switch {
	case errors.Is(err, errTooLong):
		return errors.Join(&Mistake{Place{c.line + 1, 1}, tooLong()}, errTooLong)
	case isParse:
		return &Mistake{Place{parse.Line, max(parse.Column, 1)}, parse.Err.Error()}
	}
	return err
}

var errTooLong = errors.New("the row is too long")

// bounded gives so many bytes and then fails.
type bounded struct {
	from io.Reader
	left int
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.from.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
