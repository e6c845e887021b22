package serve

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/server"
)

// The kinds of error at the end of serve.
const (
	ProblemCheckFailed  = "check-failed"
	ProblemReportFailed = "report-failed"
)

// A record is what --check, --report and --require record of requests and responses.
type record struct {
	log      *server.CoverageRecorder // nil: none of the flags was given
	reports  []string                 // files; - is standard output
	required []string                 // operations
	version  string
	out      io.Writer
	notef    func(string, ...any)
}

// newRecord refuses a --report that could not be written at the end, and a --require that no request can meet.
func (o *options) newRecord(d *cmdutil.Deps) (r record, err error) {
	r = record{reports: o.reports, required: o.required, version: d.Build.Version, out: d.Out, notef: d.Notef}
	keeps := false // the requests that a report shows
	for _, file := range o.reports {
		switch form(file) {
		case ".html", ".xml":
			keeps = true
		case ".json":
		default:
			return r, cmdutil.Usage("--report %s ends in none of .json, .html and .xml", file).
				WithNote("give the file one of them, which chooses the format; - is JSON on standard output")
		}
		if file != "-" {
			if err := securefile.CheckWritable(file); err != nil {
				return r, cmdutil.Unwritable("--report", err)
			}
		}
	}
	var known []string
	for _, op := range contract.Operations {
		known = append(known, op.ID)
	}
	for _, operation := range o.required {
		if err := cmdutil.CheckValue("--require", operation, known); err != nil {
			return r, err
		}
	}
	if o.Check || len(o.reports) > 0 || len(o.required) > 0 {
		r.log = server.NewCoverageRecorder(o.Check, !o.NoSandbox, keeps)
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
		r.notef("%s checked, %s", cmdutil.Count(report.CheckedCount, "response(s)"),
			cmdutil.Count(report.ViolationCount, "violation(s)"))
	}
	var unwritten error
	for _, file := range r.reports {
		if err := r.write(file, report); err != nil {
			unwritten = errors.Join(unwritten, fmt.Errorf("the report cannot be written: %w", err))
		}
	}
	failed := cmdutil.Error{Code: cmdutil.ExitCheckFailed, ProblemType: ProblemCheckFailed}
	var details []string
	if missing := r.neverCalled(report); len(missing) > 0 {
		failed.Title = "Required operations were never called."
		details = append(details, "no request called "+strings.Join(missing, ", ")+" (--require)")
	}
	if report.ViolationCount > 0 {
		failed.Title = "The service broke the contract."
		details = append(details, "the service broke the contract "+cmdutil.Count(report.ViolationCount, "time(s)")+
			"; see its log for each")
	}
	if unwritten != nil {
		details = append(details, unwritten.Error())
	}
	failed.Detail = strings.Join(details, "\n")
	switch {
	case failed.Title != "":
		return &failed
	case unwritten != nil:
		return &cmdutil.Error{
			Code: cmdutil.ExitUnexpected, ProblemType: ProblemReportFailed, Title: "The report is missing.",
			Detail: failed.Detail, Cause: unwritten,
		}
	}
	return nil
}

// neverCalled returns the required operations that no request has called.
func (r record) neverCalled(report server.Coverage) []string {
	return slices.DeleteFunc(slices.Clone(r.required), func(operation string) bool {
		return report.Operations[operation] != nil
	})
}

// write writes a report to a file.
func (r record) write(file string, report server.Coverage) (err error) {
	var text []byte
	switch form(file) {
	case ".html":
		text = server.PageReport(server.PageRun{Version: r.version, Coverage: report, Requests: r.log.Requests()})
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
		_, err = r.out.Write(text)
		return err
	}
	return securefile.Write(file, text)
}
