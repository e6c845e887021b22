package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// An output prints answers. Without -o and --jq they are printed as they came, JSON indented; with one of them, standard
// output holds that form and nothing else.
type output struct {
	deps    *cmdutil.Deps
	printer *ui.Printer
	plain   bool // neither -o nor --jq asks for a form
	include bool
}

// newOutput settles how to print before anything is sent.
func newOutput(ctx context.Context, d *cmdutil.Deps, o *options) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, printer: printer, include: o.include}
	switch printer.Format() {
	case ui.FormatCSV:
		return nil, cmdutil.Usage("an answer of which only its maker knows the members has no rows for -o csv").
			WithHint("use -o json, ndjson or yaml, or --jq with @csv")
	case ui.FormatTable:
		out.plain = true
		if out.printer, err = ui.NewPrinter(d.Streams, ui.FormatJSON, ""); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// described is an answer with -i, for programs.
type described struct {
	Status int                 `json:"status"`
	Header map[string][]string `json:"headers"`
	Body   any                 `json:"body"`
}

// success prints a good answer.
func (o *output) success(answer *cmdutil.Answer) error {
	if o.plain {
		return o.asItCame(answer)
	}
	value, err := bodyValue(answer)
	if err != nil {
		return err
	}
	if o.include {
		value = described{answer.Status, answer.Header, value}
	}
	return o.printer.Print(value, nil)
}

// failure prints the parts of an error response that other commands do not print: with -i its status and header, and a
// body that is not a problem document.
func (o *output) failure(answer *cmdutil.Answer, err error) error {
	refusal, refused := errors.AsType[*payments.ProblemError](err)
	told := refused && refusal.Document != nil
	var printing error
	switch {
	case o.include:
		printing = o.success(answer)
	case o.plain && !told && len(answer.Body) > 0 && utf8.Valid(answer.Body):
		printing = o.asItCame(answer)
	}
	return errors.Join(err, printing)
}

// asItCame prints an answer for people: with -i its status line and header, and its body.
func (o *output) asItCame(answer *cmdutil.Answer) error {
	var b bytes.Buffer
	if o.include {
		b.WriteString(ui.Sanitize(answer.Line) + "\n")
		for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
			for _, value := range answer.Header[name] {
				fmt.Fprintf(&b, "%s: %s\n", textproto.CanonicalMIMEHeaderKey(name), ui.Sanitize(value))
			}
		}
		b.WriteByte('\n')
	}
	if _, err := o.deps.Out.Write(b.Bytes()); err != nil || len(answer.Body) == 0 {
		return err
	}
	if isJSON(answer) {
		return o.printer.Print(json.RawMessage(answer.Body), nil)
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

// bodyValue is an answer's body as a JSON value: itself, a string, or null where there is none.
func bodyValue(answer *cmdutil.Answer) (any, error) {
	switch {
	case len(answer.Body) == 0:
		return nil, nil
	case isJSON(answer):
		return json.RawMessage(answer.Body), nil
	case utf8.Valid(answer.Body):
		return string(answer.Body), nil
	}
	return nil, cmdutil.Usage("the answer is neither JSON nor text, and has no form for -o or --jq").
		WithHint("leave them out and send standard output to a file")
}

// isJSON reports whether a response has a JSON body and a JSON media type (RFC 6839 section 3.1).
func isJSON(answer *cmdutil.Answer) bool {
	media, _, _ := mime.ParseMediaType(textproto.MIMEHeader(answer.Header).Get("Content-Type"))
	return (media == "application/json" || strings.HasSuffix(media, "+json")) && json.Valid(answer.Body)
}
