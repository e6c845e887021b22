package serve

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/page"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/server/coverage"
)

// The kinds of error at the end of serve.
const (
	KindCheckFailed  = "check-failed"
	KindReportFailed = "report-failed"
)

// A record is what --check, --report and --require record of requests and responses.
type record struct {
	*invocation.Deps
	log      *coverage.Recorder // nil without any of the flags
	reports  []string           // files; - is standard output
	required []string           // operations
}

// newRecord refuses a --report that could not be written at the end, and a --require of an unknown operation.
func (o *options) newRecord(d *invocation.Deps) (r record, err error) {
	r = record{Deps: d, reports: o.reports, required: o.required}
	keeps := false // keeps requests, for a report that shows them
	for _, file := range o.reports {
		switch form(file) {
		case ".html", ".xml":
			keeps = true
		case ".json":
		default:
			return r, exit.Usage("--report %s must end in .json, .html or .xml", file).
				WithNote("the ending chooses the format; - is JSON on standard output")
		}
		if file != "-" {
			if err := securefile.CheckWritable(file); err != nil {
				return r, exit.Unwritable("--report", err)
			}
		}
	}
	var known []string
	for _, op := range contract.Operations {
		known = append(known, op.ID)
	}
	for _, operation := range o.required {
		if err := exit.CheckValue("--require", operation, known); err != nil {
			return r, err
		}
	}
	if o.Check || len(o.reports) > 0 || len(o.required) > 0 {
		r.log = coverage.New(o.Check, !o.NoSandbox, keeps)
		o.OnResponse, o.Contents = r.log.Record, keeps
	}
	return r, nil
}

// form returns the ending of a report's name, which is its format.
func form(file string) string {
	if file == "-" {
		return ".json"
	}
	return strings.ToLower(filepath.Ext(file))
}

// end writes the reports. It returns an error if responses broke the contract, if required operations were never
// called, or if a report could not be written.
func (r record) end() error {
	if r.log == nil {
		return nil
	}
	report := r.log.Report()
	if report.Checked {
		r.Notef("%s checked, %s", display.Count(report.CheckedCount, "response(s)"),
			display.Count(report.ViolationCount, "violation(s)"))
	}
	var unwritten error
	for _, file := range r.reports {
		if err := r.write(file, report); err != nil {
			unwritten = errors.Join(unwritten, fmt.Errorf("the report cannot be written: %w", err))
		}
	}
	failed := exit.Error{Code: exit.ExitCheckFailed, Kind: KindCheckFailed}
	var details []string
	if missing := r.neverCalled(report); len(missing) > 0 {
		failed.Title = "Required operations were never called."
		details = append(details, "no request called "+strings.Join(missing, ", ")+" (--require)")
	}
	if report.ViolationCount > 0 {
		failed.Title = "The service broke the contract."
		details = append(details, "the service broke the contract "+display.Count(report.ViolationCount, "time(s)")+
			"; see its log")
	}
	if unwritten != nil {
		details = append(details, unwritten.Error())
	}
	failed.Detail = strings.Join(details, "\n")
	switch {
	case failed.Title != "":
		return &failed
	case unwritten != nil:
		return &exit.Error{
			Code: exit.ExitUnexpected, Kind: KindReportFailed, Title: "The report is missing.",
			Detail: failed.Detail, Cause: unwritten,
		}
	}
	return nil
}

// neverCalled returns the required operations that no request called.
func (r record) neverCalled(report coverage.Report) []string {
	return slices.DeleteFunc(slices.Clone(r.required), func(operation string) bool {
		return report.Operations[operation] != nil
	})
}

func (r record) write(file string, report coverage.Report) (err error) {
	var text []byte
	switch form(file) {
	case ".html":
		text = page.Report(page.Run{Version: r.Build.Version, Coverage: report, Requests: r.log.Requests()})
	case ".xml":
		text, err = junit(report, r.log.Requests(), r.neverCalled(report))
	default:
		text, err = json.Marshal(report, json.Deterministic(true), jsontext.WithIndent("  "))
		text = append(text, '\n')
	}
	switch {
	case err != nil:
		return err
	case file == "-":
		_, err = r.Out.Write(text)
		return err
	}
	return securefile.Write(file, text)
}
