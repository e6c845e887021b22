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

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/term"
)

// An output prints answers. Without -o and --jq they are printed as they came, JSON indented; with one of them, standard
// output holds that form and nothing else.
type output struct {
	deps    *deps.Deps
	printer *term.Printer
	plain   bool // neither -o nor --jq asks for a form
	include bool
}

// newOutput settles how to print before anything is sent.
func newOutput(ctx context.Context, d *deps.Deps, o *options) (*output, error) {
	printer, err := d.Printer(ctx)
	if err != nil {
		return nil, err
	}
	out := &output{deps: d, printer: printer, include: o.include}
	switch printer.Format() {
	case term.FormatCSV:
		return nil, &deps.UsageError{
			Reason: "an answer of which only its maker knows the members has no rows for -o csv",
			Hint:   "use -o json, ndjson or yaml, or --jq with @csv",
		}
	case term.FormatTable:
		out.plain = true
		if out.printer, err = term.NewPrinter(d.Streams, term.FormatJSON, ""); err != nil {
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
func (o *output) success(answer *deps.Answer) error {
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

// failure prints what an error answer holds beyond what every command tells of it: with -i its status and header, and a
// body that is no problem document.
func (o *output) failure(answer *deps.Answer, err error) error {
	refusal, refused := errors.AsType[*payments.Refusal](err)
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
func (o *output) asItCame(answer *deps.Answer) error {
	var b bytes.Buffer
	if o.include {
		b.WriteString(term.Sanitize(answer.Line) + "\n")
		for _, name := range slices.Sorted(maps.Keys(answer.Header)) {
			for _, value := range answer.Header[name] {
				fmt.Fprintf(&b, "%s: %s\n", textproto.CanonicalMIMEHeaderKey(name), term.Sanitize(value))
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
		body = []byte(term.SanitizeLines(strings.ReplaceAll(string(body), "\r\n", "\n")))
		if !bytes.HasSuffix(body, []byte("\n")) {
			body = append(body, '\n')
		}
	}
	_, err := o.deps.Out.Write(body)
	return err
}

// bodyValue is an answer's body as a JSON value: itself, a string, or null where there is none.
func bodyValue(answer *deps.Answer) (any, error) {
	switch {
	case len(answer.Body) == 0:
		return nil, nil
	case isJSON(answer):
		return json.RawMessage(answer.Body), nil
	case utf8.Valid(answer.Body):
		return string(answer.Body), nil
	}
	return nil, &deps.UsageError{
		Reason: "the answer is neither JSON nor text, and has no form for -o or --jq",
		Hint:   "leave them out and send standard output to a file",
	}
}

// isJSON says whether a body is JSON, and says so (RFC 6839 section 3.1).
func isJSON(answer *deps.Answer) bool {
	var contentType string
	if values := answer.Header["Content-Type"]; len(values) > 0 {
		contentType = values[0]
	}
	media, _, _ := mime.ParseMediaType(contentType)
	return (media == "application/json" || strings.HasSuffix(media, "+json")) && json.Valid(answer.Body)
}
