package serve

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"maps"
	"slices"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/server"
)

// A junitSuite is a report in JUnit XML, which CI systems read.
type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"` // in seconds
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitFailure `xml:"failure"`
	Output  string        `xml:"system-out,omitempty"` // the requests
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
}

// junit returns a report as JUnit XML. It has a case for each operation that was called, for each violation and for
// each required operation that was not called. Each case has its requests, as far as they are among the latest ones.
func junit(report server.Coverage, requests []payments.SandboxRequest, missing []string) ([]byte, error) {
	suite := junitSuite{Name: "payctl serve"}
	total := 0
	for _, operation := range slices.Sorted(maps.Keys(report.Operations)) {
		called := junitCase{Class: "operations", Name: operation}
		duration := 0
		for _, r := range slices.Backward(requests) {
			if r.Operation == operation {
				duration += r.DurationMs
				called.Output += requestLine(r.Method, r.Path, r.Status, r.RequestID, r.Fault)
			}
		}
		total += duration
		called.Time = seconds(duration)
		suite.Cases = append(suite.Cases, called)
	}
	for _, operation := range missing {
		suite.Cases = append(suite.Cases, junitCase{
			Class: "operations", Name: operation, Time: seconds(0), Failure: &junitFailure{"It was never called.", "required"},
		})
	}
	found := map[string]int{} // the index of the case of each violation
	for _, v := range report.Violations {
		name := fmt.Sprintf("%s %s: %s", cmp.Or(v.Operation, "not in the contract"), v.Place, v.Reason)
		i, known := found[name]
		if !known {
			i = len(suite.Cases)
			found[name] = i
			suite.Cases = append(suite.Cases, junitCase{
				Class: "violations", Name: name, Time: seconds(0), Failure: &junitFailure{v.Reason, "violation"},
			})
		}
		suite.Cases[i].Output += requestLine(v.Method, v.Path, v.Status, v.RequestID, "")
	}
	for _, c := range suite.Cases {
		if c.Failure != nil {
			suite.Failures++
		}
	}
	suite.Tests, suite.Time = len(suite.Cases), seconds(total)
	text, err := xml.MarshalIndent(struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   junitSuite
	}{Suite: suite}, "", "  ")
	return slices.Concat([]byte(xml.Header), text, []byte("\n")), err
}

func requestLine(method, path string, status int, requestID, fault string) string {
	line := fmt.Sprintf("%s %s %d %s", method, path, status, requestID)
	if fault != "" {
		line += " " + fault
	}
	return line + "\n"
}

// seconds formats milliseconds as seconds.
func seconds(milliseconds int) string { return fmt.Sprintf("%.3f", float64(milliseconds)/1000) }
