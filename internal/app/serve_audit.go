package app

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/audit"
	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/server"
)

// standardOutput in place of a file.
const standardOutput = "-"

// serveAudit is what serve takes down for its end.
type serveAudit struct {
	log    *audit.Log // nil: nothing
	check  bool
	report string
}

// newAudit finds early what would keep the report from being written at the end.
func newAudit(c deps.ServeConfig) (serveAudit, error) {
	if c.Report != "" && c.Report != standardOutput {
		if folder, err := os.Stat(filepath.Dir(c.Report)); err != nil || !folder.IsDir() {
			return serveAudit{}, deps.Usage("--report cannot be written: %s is not a folder", filepath.Dir(c.Report))
		}
		if err := safefile.Writable(c.Report); err != nil {
			return serveAudit{}, deps.Usage("--report cannot be written: %v", err)
		}
	}
	a := serveAudit{check: c.Check, report: c.Report}
	if c.Check || c.Report != "" {
		a.log = audit.New(c.Check, !c.NoSandbox)
	}
	return a, nil
}

// watching is what the service tells of its answers; nil when nobody wants to know.
func (a serveAudit) watching() server.Audit {
	if a.log == nil {
		return nil
	}
	return a.log
}

// end writes the report, in one line to standard output, where other lines came before it. The error is a
// *deps.CheckFailed when answers broke the contract.
func (a serveAudit) end(out io.Writer) error {
	var failed error
	if a.check && a.log.Violations() > 0 {
		failed = &deps.CheckFailed{Violations: a.log.Violations()}
	}
	if a.report == "" {
		return failed
	}
	form := []json.Options{json.Deterministic(true)}
	if a.report != standardOutput {
		form = append(form, jsontext.WithIndent("  "))
	}
	text, err := json.Marshal(a.log.Report(), form...)
	if err != nil {
		return errors.Join(failed, err)
	}
	text = append(text, '\n')
	if a.report == standardOutput {
		_, err = out.Write(text)
	} else {
		err = safefile.Write(a.report, text)
	}
	if err != nil {
		err = &reportLost{err}
	}
	return errors.Join(failed, err)
}

// reportLost says why there is no report.
type reportLost struct{ err error }

// Error implements error.
func (l *reportLost) Error() string { return "the report cannot be written: " + l.err.Error() }

// Unwrap is the cause.
func (l *reportLost) Unwrap() error { return l.err }
