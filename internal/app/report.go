package app

import (
	"errors"
	"os/exec"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// report prints an error for people on standard error. If the output format is JSON, it also prints a problem document
// on standard output, unless a result has begun there. A program that reads the output then always gets JSON.
func report(d *invocation.Deps, args []string, err error, begun bool) {
	own, ok := errors.AsType[*exit.Error](err)
	if _, isChild := errors.AsType[*exec.ExitError](err); isChild { // the child has printed its error
		if ok && own.Kind == serve.KindReportFailed {
			d.Warnf("%v", own)
		}
		return
	}
	if ok && own.Printed {
		return
	}
	x := explain(err, d.Getenv)
	p := x.problem
	view := ui.ProblemView{
		Title: p.Title, Status: p.Status, Detail: p.Detail, RequestID: p.RequestID, TraceID: p.TraceID,
	}
	for _, hint := range x.next {
		view.Next = append(view.Next, d.NextStep(hint))
	}
	for _, name := range p.Errors.Names() {
		shown := name
		if d.FlagOf != nil && d.FlagOf(name) != "" {
			shown += " (" + d.FlagOf(name) + ")"
		}
		view.Fields = append(view.Fields, ui.ProblemField{Name: shown, Messages: p.Errors[name]})
	}
	d.Problem(view)
	format := wantedFormat(d, args)
	if begun || format != ui.FormatJSON && format != ui.FormatNDJSON {
		return
	}
	local := localProblem{Problem: p, Status: p.Status}
	switch {
	case ok && len(own.Rows) > 0:
		local.Errors = own.Rows
	case len(p.Errors) > 0:
		local.Errors = p.Errors
	}
	var value any = local
	if x.document != nil {
		value = jsontext.Value(x.document)
	}
	layout := []json.Options{json.Deterministic(true)}
	if format == ui.FormatJSON { // NDJSON has one value a line, even for an error
		layout = append(layout, jsontext.WithIndent("  "))
	}
	if text, err := json.Marshal(value, layout...); err == nil { // otherwise only standard error has the problem
		_, _ = d.Out.Write(append(ui.HarmlessJSON(text), '\n'))
	}
}

// localProblem is the document of a problem that the program found itself. It has a status only if a response had one
// (RFC 9457 section 3.1.2).
type localProblem struct {
	payments.Problem
	Status int `json:"status,omitzero"`
	Errors any `json:"errors,omitzero"` // of the rows of a file, or of the problem
}

// wantedFormat is the output format, even if the command line could not be parsed to its end.
func wantedFormat(d *invocation.Deps, args []string) ui.Format {
	format := d.Options.Output
	if format == "" && d.Options.JQ == "" {
		format = outputArgument(args)
	}
	if format == "" && d.Options.JQ == "" {
		if resolved, err := d.Settings(); err == nil {
			format = resolved.Output
		} else {
			format = d.Getenv(settings.EnvOutput)
		}
	}
	return ui.Format(format)
}

// outputArgument is the value of --output. It ignores arguments that cannot be parsed.
func outputArgument(args []string) string {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	format := flags.StringP("output", "o", "", "")
	_ = flags.Parse(args)
	return *format
}
