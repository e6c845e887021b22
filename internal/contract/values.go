package contract

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ValidateValues checks query parameters or the fields of a form. Unknown lists those that are not members.
func ValidateValues(members []Member, given url.Values) Report {
	var report Report
	for name, values := range given {
		i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
		if i < 0 {
			report.Unknown = append(report.Unknown, Shorten(name, MaxName))
			continue
		}
		switch s := members[i].Schema; {
		case s.Type == Array:
			report.checkList(s, name, SplitList(values))
		case len(values) > 1:
			report.add(name, "must be given once")
		default:
			report.checkValue(s, name, values[0])
		}
	}
	slices.Sort(report.Unknown)
	report.Unknown = report.Unknown[:min(len(report.Unknown), MaxReported)]
	return report
}

// checkValue checks an integer or a text that is sent as text: in a query parameter, a field of a form, or a header.
func (r *Report) checkValue(s *Schema, field, text string) {
	if s.Type == Integer {
		r.checkInteger(s, field, text)
		return
	}
	r.checkText(s, field, []byte(text))
}

// checkInteger checks that a number has the form of an integer in JSON (RFC 8259 section 6): no plus sign, no leading
// zero. It also has no fraction and no exponent, even if its value is whole (OpenAPI 3.0.3 "Data Types").
func (r *Report) checkInteger(s *Schema, field, text string) {
	n, err := strconv.ParseInt(text, 10, 64)
	digits := strings.TrimPrefix(text, "-")
	switch {
	case err != nil, digits[0] == '+', digits[0] == '0' && len(digits) > 1:
		r.add(field, "must be a whole number such as 10")
	case s.Bounded && (n < s.Minimum || n > s.Maximum):
		r.add(field, "must be from %d to %d", s.Minimum, s.Maximum)
	}
}

// SplitList returns the elements of a query parameter that is a list of texts. They are separated by commas (OpenAPI
// 3.0.3 "Style Values", form without explode). Some clients repeat the parameter instead (form with explode).
func SplitList(values []string) (list []string) {
	for _, value := range values {
		list = append(list, strings.Split(value, ",")...)
	}
	return list
}

// checkList checks the elements of a list.
func (r *Report) checkList(s *Schema, field string, list []string) {
	if s.MaxItems > 0 && len(list) > s.MaxItems {
		r.add(field, "must have at most %d elements", s.MaxItems)
		return
	}
	for _, text := range list {
		if before := len(r.Errors[field]); before == 0 { // one message is enough
			r.checkText(s.Items, field, []byte(text))
		}
	}
}
