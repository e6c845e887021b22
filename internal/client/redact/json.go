package redact

import (
	"bytes"

	"github.com/payctl/payctl/internal/payments"
)

func looksLikeJSON(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[' || trimmed[0] == '"')
}

// rewriteJSON writes a JSON text without secrets and without the values under hidden names. A text that is malformed or
// cut is written up to there. It reports whether it removed anything, and whether the text was whole.
func (r Redactor) rewriteJSON(body []byte, hidden func(name string) bool) (text string, changed, whole bool) {
	written, whole := payments.RewriteJSON(body, hidden, func(_, was string, hide bool) string {
		is := Mark
		if !hide {
			is = r.Text(was)
		}
		changed = changed || is != was
		return is
	})
	if !whole {
		written = append(written, " (malformed from here)"...)
	}
	return string(written), changed, whole
}

// sensitiveValues lists the texts and numbers that a JSON text has under sensitive names.
func sensitiveValues(body []byte) (values []string) {
	if !looksLikeJSON(body) {
		return nil
	}
	payments.RewriteJSON(body, isSensitive, func(_, text string, hide bool) string {
		if hide {
			values = append(values, text)
		}
		return text
	})
	return values
}
