package contract

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// ValidateQuery checks query parameters. Unknown lists those that the operation does not have.
func (op *Operation) ValidateQuery(query url.Values) Report { return validateValues(op.Query, query) }

// ValidateForm checks the fields of a form against an object's schema.
func ValidateForm(s *Schema, form url.Values) Report { return validateValues(s.Members, form) }

func validateValues(members []Member, given url.Values) Report {
	var report Report
	for name, values := range given {
		i := slices.IndexFunc(members, func(m Member) bool { return m.Name == name })
		if i < 0 {
			report.Unknown = append(report.Unknown, name)
			continue
		}
		if len(values) > 1 {
			report.add(name, "must be given once")
			continue
		}
		report.checkValue(members[i].Schema, name, values[0])
	}
	slices.Sort(report.Unknown)
	return report
}

// checkValue checks a value that is sent as text: a query parameter, a field of a form, or a header.
func (r *Report) checkValue(s *Schema, field, text string) {
	switch s.Kind {
	case Integer:
		r.checkInteger(s, field, text)
	case Array:
		r.checkList(s, field, strings.Split(text, ","))
	default:
		r.checkText(s, field, []byte(text))
	}
}

func (r *Report) checkInteger(s *Schema, field, text string) {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		r.add(field, "must be a whole number")
	case s.Bounded && (n < s.Minimum || n > s.Maximum):
		r.add(field, "must be from %d to %d", s.Minimum, s.Maximum)
	}
}

// checkList checks a query parameter of texts separated by commas (OpenAPI 3.0.3 "Style Values", form without explode).
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
