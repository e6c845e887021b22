package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"mime"
	"net/textproto"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An output prints answers. Without -o and --jq they are printed as they came, JSON indented; with one of them, standard
// output holds that form and nothing else.
type output struct {
	deps    *Deps
	printer *ui.Printer
	plain   bool // neither -o nor --jq asks for a form
}

// newOutput settles how to print before anything is sent.
func newOutput(ctx context.Context, d *Deps) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	if printer.Format() == ui.FormatCSV {
		return nil, cmdutil.Usage("an answer of which only its maker knows the members has no rows for -o csv").
			WithHint("use -o json, ndjson or yaml, or --jq with @csv")
	}
	return &output{d, printer, printer.Format() == ui.FormatTable}, nil
}

// print prints an answer: its JSON in the form that is asked for, any other text as it came or as a JSON string.
func (o *output) print(answer *Answer) error {
	isText := utf8.Valid(answer.Body)
	switch {
	case len(answer.Body) == 0 && o.plain:
		return nil
	case len(answer.Body) == 0:
		return o.printer.Print(nil, nil)
	case isJSON(answer):
		return o.printer.Print(json.RawMessage(answer.Body), nil)
	case !o.plain && isText:
		return o.printer.Print(string(answer.Body), nil)
	case !o.plain:
		return cmdutil.Usage("the answer is neither JSON nor text, and has no form for -o or --jq").
			WithHint("leave them out and send standard output to a file")
	}
	body := answer.Body
	if o.deps.OutTTY {
		body = []byte(ui.SanitizeLines(strings.ReplaceAll(string(body), "\r\n", "\n")))
		if !bytes.HasSuffix(body, []byte("\n")) {
			body = append(body, '\n')
		}
	}
	_, err := o.deps.Out.Write(body)
	return err
}

// failure prints the body of an error response that is not a problem document, which every command prints.
func (o *output) failure(answer *Answer, err error) error {
	refusal, refused := errors.AsType[*payments.ProblemError](err)
	if told := refused && refusal.Document != nil; o.plain && !told && utf8.Valid(answer.Body) {
		return errors.Join(err, o.print(answer))
	}
	return err
}

// isJSON reports whether a response has a JSON body and a JSON media type (RFC 6839 section 3.1).
func isJSON(answer *Answer) bool {
	media, _, _ := mime.ParseMediaType(textproto.MIMEHeader(answer.Header).Get("Content-Type"))
	return (media == "application/json" || strings.HasSuffix(media, "+json")) && json.Valid(answer.Body)
}

// pages asks for one page of a list after another and prints their rows as one list, each page as it arrives.
func (o *output) pages(ctx context.Context, call Call) (err error) {
	printer := o.printer
	if o.plain {
		if printer, err = ui.NewPrinter(o.deps.Streams, ui.FormatJSON, ""); err != nil {
			return err
		}
	}
	stream, shown := printer.Stream(nil), 0
	defer func() {
		if err != nil && shown > 0 {
			_ = stream.Close() // err says more than a failure to end the output
		}
	}()
	var guard payments.PageGuard
	for {
		answer, err := o.deps.Call(ctx, call)
		if err != nil {
			return err
		}
		rows, next, err := readPage(answer)
		if err != nil {
			return err
		}
		if err := stream.WritePage(rows, nil); err != nil {
			return err
		}
		shown += len(rows)
		if next == "" {
			return stream.Close()
		}
		if err := guard.Step(len(rows), next); err != nil {
			return err
		}
		if call, err = withCursor(call, next); err != nil {
			return err
		}
	}
}

// readPage reads a page of a list, and where the next one begins; empty for the last. A response without nextCursor is not a
// page: the command would print a part of the rows as if they were all.
func readPage(answer *Answer) (rows []any, next string, err error) {
	var page struct {
		Data       []json.RawMessage `json:"data"`
		NextCursor json.RawMessage   `json:"nextCursor"`
	}
	err = json.Unmarshal(answer.Body, &page)
	if err == nil && page.NextCursor != nil {
		err = json.Unmarshal(page.NextCursor, &next)
	}
	isLast := string(page.NextCursor) == "null"
	if err != nil || page.Data == nil || next == "" && !isLast {
		return nil, "", cmdutil.Usage("the answer is no page of a list, which is an object with data and nextCursor").
			WithHint("leave out --all")
	}
	for _, row := range page.Data {
		rows = append(rows, row)
	}
	return rows, next, nil
}

// withCursor is the call for the page at a cursor, in place of the one that the call began at.
func withCursor(call Call, cursor string) (Call, error) {
	path, inline, _ := strings.Cut(call.Path, "?")
	query, err := url.ParseQuery(inline)
	if err != nil {
		return call, err
	}
	for name, values := range call.Query {
		query[name] = values
	}
	query.Set("cursor", cursor)
	call.Path, call.Query = path+"?"+query.Encode(), nil
	return call, nil
}
