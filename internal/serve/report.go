package serve

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/cli/display"
	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/page"
	"github.com/payctl/payctl/internal/securefile"
	"github.com/payctl/payctl/internal/server/coverage"
)

// The kinds of error at the end of serve.
const (
	KindCheckFailed  = "check-failed"
	KindReportFailed = "report-failed"
)

// record is what --check and --report record of requests and responses.
type record struct {
	log     *coverage.Recorder // nil: neither flag was given
	report  string
	version string
}

// newRecord refuses a --report at the start that could not be written at the end.
func newRecord(check bool, report string, withSandbox bool) (record, error) {
	if report != "" {
		if err := securefile.CheckWritable(report); err != nil {
			return record{}, exit.Unwritable("--report", err)
		}
	}
	r := record{report: report}
	if check || report != "" {
		r.log = coverage.New(check, withSandbox, r.isPage())
	}
	return r, nil
}

// end writes the report. The error reports responses that broke the contract, or that the report could not be written.
func (r record) end() error {
	unwritten := r.write()
	violations := 0
	if r.log != nil { // without --check it finds none
		violations = r.log.Report().ViolationCount
	}
	switch {
	case violations > 0:
		detail := "the service broke the contract " + display.Count(violations, "time(s)") + "; see its log for each"
		if unwritten != nil {
			detail += "\n" + unwritten.Error()
		}
		return &exit.Error{
			Code: exit.ExitCheckFailed, Kind: KindCheckFailed,
			Title: "The service broke the contract.", Detail: detail,
		}
	case unwritten != nil:
		return &exit.Error{
			Code: exit.ExitUnexpected, Kind: KindReportFailed, Title: "The report is missing.",
			Detail: unwritten.Error(), Cause: unwritten,
		}
	}
	return nil
}

// isPage reports whether the report is a page for people.
func (r record) isPage() bool { return strings.HasSuffix(strings.ToLower(r.report), ".html") }

func (r record) write() (err error) {
	var text []byte
	switch {
	case r.report == "":
		return nil
	case r.isPage():
		text = page.Report(page.Run{Version: r.version, Coverage: r.log.Report(), Requests: r.log.Requests()})
	default:
		text, err = json.Marshal(r.log.Report(), json.Deterministic(true), jsontext.WithIndent("  "))
		text = append(text, '\n')
	}
	if err == nil {
		err = securefile.Write(r.report, text)
	}
	if err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	return nil
}
