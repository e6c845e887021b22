package app

import (
	"errors"
	"os/exec"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/serve"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/ui"
)

// report prints an error: for people on standard error and, where the output is JSON, as a problem document on
// standard output, so that a program that reads it always finds JSON. No document follows a result that was begun
// there. Cmd is the command that failed.
func report(d *cmdutil.Deps, cmd *cobra.Command, err error, begun bool) {
	own, ok := errors.AsType[*cmdutil.Error](err)
	if _, ofChild := errors.AsType[*exec.ExitError](err); ofChild { // which has printed why it failed
		if ok && own.ProblemType == serve.ProblemReportFailed {
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
		if flag := cmdutil.FlagOf(cmd, name); flag != "" {
			shown += " (" + flag + ")"
		}
		view.Fields = append(view.Fields, ui.ProblemField{Name: shown, Messages: p.Errors[name]})
	}
	d.Problem(view)
	format := wantedFormat(d)
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
	if format == ui.FormatJSON { // NDJSON is one value a line, also for an error
		layout = append(layout, jsontext.WithIndent("  "))
	}
	if text, err := json.Marshal(value, layout...); err == nil { // else standard error alone has the problem
		_, _ = d.Out.Write(append(ui.HarmlessJSON(text), '\n'))
	}
}

// localProblem is the document of a problem that was found here. It has no status where there was no answer that had
// one (RFC 9457 section 3.1.2).
type localProblem struct {
	payments.Problem
	Status int `json:"status,omitzero"`
	Errors any `json:"errors,omitzero"` // of a file, or those of the problem
}

// wantedFormat is the output format, also of a command line that could not be parsed to its end.
func wantedFormat(d *cmdutil.Deps) ui.Format {
	format := d.Options.Output
	if format == "" && d.Options.JQ == "" {
		format = outputArgument(d.Args)
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

// outputArgument is the value of --output in arguments of which others cannot be parsed.
func outputArgument(args []string) string {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	format := flags.StringP("output", "o", "", "")
	_ = flags.Parse(args)
	return *format
}
