package watchui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/ui/live"
)

// exportPage is how many rows are written at a time.
const exportPage = 1000

// exportFormats are the endings of exported files.
var exportFormats = map[string]ui.Format{
	".csv": ui.FormatCSV, ".ndjson": ui.FormatNDJSON, ".jsonl": ui.FormatNDJSON, ".json": ui.FormatJSON,
}

// exportRows writes rows to a file that it asks for, which only the user may read.
func (a *actions) exportRows(ctx context.Context, dialog Dialog, rows []live.Row) (string, error) {
	if len(rows) == 0 {
		return "", errors.New("there are no rows to export")
	}
	question := "Export " + a.count(len(rows)) + " to the file (.csv, .ndjson or .json):"
	name := a.FileName + "-" + a.deps.Now().Format("20060102-1504") + ".csv"
	var problem []string
	for {
		personal, titles := dialog.Personal(), problem
		switch {
		case a.Email == nil: // there is none
		case personal:
			titles = append(titles, "With personal data, since it is shown.")
		default:
			titles = append(titles, "Personal data stays masked, since it is not shown; P shows it.")
		}
		var err error
		if name, err = dialog.Line(ctx, name, CompletePath, append(titles, question)...); err != nil {
			return "", err
		}
		if personal && !dialog.Personal() { // the file is not what was asked for
			problem = []string{"Personal data is not shown any more."}
			continue
		}
		path := expandPath(strings.TrimSpace(name))
		format, known := exportFormats[strings.ToLower(filepath.Ext(path))]
		if !known {
			problem = []string{"The name has to end in .csv, .ndjson or .json."}
			continue
		}
		err = a.exportTo(ctx, dialog, path, format, rows, personal)
		switch {
		case err == nil:
			if whole, failed := filepath.Abs(path); failed == nil {
				path = whole
			}
			return "Exported " + a.count(len(rows)) + " to " + path, nil
		case errors.Is(err, live.ErrCancelled): // another name
			problem = nil
		case ctx.Err() != nil:
			return "", err
		default:
			problem = append([]string{"Not exported:"}, Explain(a.deps, err)...)
		}
	}
}

// exportTo writes rows to a file. It asks before it replaces one; live.ErrCancelled is the answer no.
func (a *actions) exportTo(
	ctx context.Context, dialog Dialog, path string, format ui.Format, rows []live.Row, personal bool,
) error {
	file, err := cmdutil.CreateReport(ctx, path)
	if err != nil {
		return err
	}
	defer file.Discard()
	printer, err := file.PrinterOf(format)
	if err != nil {
		return err
	}
	columns := a.exportColumns()
	stream := printer.Stream(uiColumns(columns))
	at := live.Moment{Now: a.deps.Now(), Personal: personal, UTF8: true}
	for begin := 0; begin < len(rows); begin += exportPage {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		page := cmdutil.Rows{}
		for _, row := range rows[begin:min(begin+exportPage, len(rows))] {
			cells := make([]ui.Cell, len(columns))
			for i, c := range columns {
				cells[i] = c.Cell(&row, at)
			}
			page.Add(object(columns, cells), cells)
		}
		if err := stream.WritePage(page.Values, page.Cells); err != nil {
			return err
		}
	}
	if err := stream.Close(); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err == nil {
		question := fmt.Sprintf("Replace the file %s of %s, %d bytes?", path, cmdutil.Time(info.ModTime()), info.Size())
		if err := dialog.Confirm(ctx, question); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return file.Keep(err == nil)
}

// exportColumns are the columns of a file: those of the list, also the ones for which a screen has no room, but with
// times in place of what depends on when it is read.
func (a *actions) exportColumns() (columns []live.Column) {
	groups := a.kind.groups()
	turn := func(row *live.Row, _ live.Moment) ui.Cell { return ui.Text(groups[row.Group].Name) }
	for i, c := range a.kind.Columns {
		switch c.MachineName() {
		case live.AgeColumn().MachineName():
			c = timeColumn("since", func(row *live.Row) time.Time { return row.Since })
		case live.DeadlineColumn().MachineName():
			c = timeColumn("deadline", func(row *live.Row) time.Time { return row.Deadline })
		}
		if c.Cell != nil {
			columns = append(columns, c)
		}
		if i == 0 {
			columns = append(columns, live.Column{Column: ui.Column{Header: "Turn", Name: "turn"}, Cell: turn})
		}
	}
	return columns
}

func timeColumn(name string, at func(row *live.Row) time.Time) live.Column {
	return live.Column{Column: ui.Column{Header: name, Name: name}, Cell: func(row *live.Row, _ live.Moment) ui.Cell {
		if at(row).IsZero() {
			return ui.Cell{Absent: true}
		}
		return cmdutil.TimeCell(at(row))
	}}
}

func uiColumns(columns []live.Column) (all []ui.Column) {
	for _, c := range columns {
		all = append(all, c.Column)
	}
	return all
}

// object returns the JSON object of a row. Its members are those of CSV, in the same order; what is absent is null.
func object(columns []live.Column, cells []ui.Cell) json.RawMessage {
	object := []byte{'{'}
	for i, cell := range cells {
		if i > 0 {
			object = append(object, ',')
		}
		object = append(append(object, quoteJSON(columns[i].MachineName())...), ':')
		switch {
		case cell.Absent:
			object = append(object, "null"...)
		case !cell.Time.IsZero():
			object = append(object, quoteJSON(cell.Time.UTC().Format(time.RFC3339Nano))...)
		default:
			object = append(object, quoteJSON(cell.Text)...)
		}
	}
	return append(object, '}')
}

// quoteJSON returns a text as JSON. Invalid UTF-8 is replaced.
func quoteJSON(text string) []byte {
	quoted, _ := json.Marshal(text) // a string can always be encoded
	return quoted
}
