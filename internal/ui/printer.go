package ui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// ErrNoTable is the error of a table format for a value that has no rows.
var ErrNoTable = errors.New("this answer has no table form: use -o json, ndjson or yaml")

// Printer writes the data of a command to Out in the chosen format.
type Printer struct {
	s      *Streams
	format Format
	jq     *jqProgram
	ctx    context.Context
}

// NewPrinter returns a printer. A jq expression that is not empty filters the JSON form and implies
// FormatJSON, where the expression sees the whole document, unless the format is FormatNDJSON, where it
// sees each line by itself. The error of an expression is a *JQError (with the position of a syntax error).
func NewPrinter(s *Streams, f Format, jq string) (*Printer, error) {
	f, err := ParseFormat(string(f))
	if err != nil {
		return nil, err
	}
	p := &Printer{s: s, format: f, ctx: context.Background()}
	if jq == "" {
		return p, nil
	}
	if p.jq, err = compileJQ(jq); err != nil {
		return nil, err
	}
	if f != FormatNDJSON {
		p.format = FormatJSON
	}
	return p, nil
}

// With returns a printer whose jq expressions end with ctx; they can run for ever.
func (p *Printer) With(ctx context.Context) *Printer {
	bound := *p
	bound.ctx = ctx
	return &bound
}

// Format returns the format in force: with a jq expression FormatJSON or FormatNDJSON.
func (p *Printer) Format() Format { return p.format }

// Print writes one value, in a single Write. A table shows its view, or without one its JSON. A reader that went away
// is an error for which IsBrokenPipe is true.
func (p *Printer) Print(value any, view func() Details) error {
	if p.format == FormatTable && view != nil {
		return p.write(p.s.outSurface().details(view()))
	}
	var b bytes.Buffer
	err := p.encode(&b, received(value))
	return errors.Join(p.write(b.Bytes()), err)
}

func (p *Printer) encode(b *bytes.Buffer, value any) error {
	switch p.format {
	case FormatCSV:
		records, err := csvObject(value)
		b.Write(records)
		return err
	case FormatYAML:
		doc, err := yamlDocument(value)
		b.Write(doc)
		return err
	case FormatNDJSON:
		list, err := elements(value)
		if err != nil {
			return err
		}
		return p.lines(b, list)
	}
	if p.jq != nil {
		return p.jq.run(p.ctx, b, value, p.rawText)
	}
	doc, err := indentedJSON(value, "")
	if err != nil {
		return err
	}
	b.Write(append(doc, '\n'))
	return nil
}

// lines writes each value on a line of its own, or what jq makes of it.
func (p *Printer) lines(b *bytes.Buffer, values []any) error {
	for _, value := range values {
		if p.jq != nil {
			if err := p.jq.run(p.ctx, b, value, p.rawText); err != nil {
				return err
			}
			continue
		}
		line, err := compactJSON(value)
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return nil
}

// rawText is a string that jq prints raw: exact for a program, harmless on a terminal, where @tsv and
// text of several lines keep their shape.
func (p *Printer) rawText(s string) string {
	if p.s.OutTTY {
		return sanitize(s, "\n\t")
	}
	return s
}

func (p *Printer) write(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if err := p.s.writeOut(b); err != nil {
		return fmt.Errorf("cannot write the output: %w", err)
	}
	return nil
}

// note writes a sentence on standard error, unless it is empty.
func (p *Printer) note(sentence string) {
	if sentence != "" {
		p.s.Notef("%s", sentence)
	}
}

// Line writes cells as one line to Out in a single write. A space separates the cells on a terminal, otherwise a tab.
// All text is sanitised.
func (s *Streams) Line(cells ...Cell) error {
	surface, separator := s.outSurface(), "\t"
	if surface.tty {
		separator = " "
	}
	return s.writeOut([]byte(surface.line(cells, len(cells), separator)))
}

// Show draws a view on Err, for what a person should see before a question.
func (s *Streams) Show(v Details) { s.writeErr(string(s.errSurface().details(v))) }
