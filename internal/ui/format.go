package ui

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
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

// Formats returns every format, in the order of the help.
func Formats() []Format {
	return []Format{FormatTable, FormatJSON, FormatNDJSON, FormatYAML, FormatCSV}
}

// ParseFormat returns the format with a name, in any letter case. The error names the choices.
func ParseFormat(s string) (Format, error) {
	var names []string
	for _, f := range Formats() {
		if strings.EqualFold(s, string(f)) {
			return f, nil
		}
		names = append(names, string(f))
	}
	return "", fmt.Errorf("unknown output format %q: choose one of %s", s, strings.Join(names, ", "))
}

// Thousands formats a number that is not negative with commas between its thousands, such as 12,345.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Age formats a duration in at most two units, such as 45s, 3h20m or 12d04h. A negative one, from a clock that is
// ahead, is zero.
func Age(d time.Duration) string {
	switch s := max(d, 0) / time.Second; {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	case s < 100*24*3600:
		return fmt.Sprintf("%dd%02dh", s/3600/24, s/3600%24)
	default:
		return fmt.Sprintf("%dd", s/3600/24)
	}
}

// letters are those with an accent for a person, but not in Unicode.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "ı", "i")

// Fold removes case and accents from a text, for a search.
func Fold(text string) string {
	withoutAccent := func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}
	return letters.Replace(strings.Map(withoutAccent, norm.NFD.String(strings.ToLower(text))))
}
