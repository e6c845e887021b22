package ui

import (
	"fmt"
	"strings"
)

// Format is an output format, the value of --output.
type Format string

// The output formats.
const (
	FormatTable  Format = "table"  // for people; tab-separated off a terminal
	FormatJSON   Format = "json"   // one indented document
	FormatNDJSON Format = "ndjson" // one compact value a line
	FormatYAML   Format = "yaml"   // the JSON form as YAML
	FormatCSV    Format = "csv"    // RFC 4180, formulas defused
)

// Formats returns every format, in the order in which help names them.
func Formats() []Format {
	return []Format{FormatTable, FormatJSON, FormatNDJSON, FormatYAML, FormatCSV}
}

// FormatError is a --output value that is no format.
type FormatError struct{ Given string }

func (e *FormatError) Error() string {
	var names []string
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return fmt.Sprintf("unknown output format %q: choose one of %s", e.Given, strings.Join(names, ", "))
}

// ParseFormat returns the format of that name, in any letter case, or a *FormatError naming the choices.
func ParseFormat(s string) (Format, error) {
	for _, f := range Formats() {
		if strings.EqualFold(s, string(f)) {
			return f, nil
		}
	}
	return "", &FormatError{Given: s}
}
