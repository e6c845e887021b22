package redact

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

func looksLikeJSON(body []byte) bool {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	return len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[' || trimmed[0] == '"')
}

// rewriteJSON writes a JSON text without secrets and without the values under hidden names. A text that is malformed or
// cut is written up to there. It reports whether it removed anything, and whether the text was whole.
func (r Redactor) rewriteJSON(body []byte, hidden func(name string) bool) (text string, changed, whole bool) {
	var b strings.Builder
	whole = walkJSON(body, hidden, func(before string, token jsontext.Token, hide bool) {
		b.WriteString(before)
		was := token.String()
		is := was
		switch kind := token.Kind(); {
		case kind != '"' && kind != '0':
		case hide:
			is = Mark
		default:
			is = r.Text(was)
		}
		changed = changed || is != was
		if token.Kind() == '"' || is != was {
			quoted, _ := jsontext.AppendQuote(nil, is)
			is = string(quoted)
		}
		b.WriteString(is)
	})
	if !whole {
		b.WriteString(" (malformed from here)")
	}
	return b.String(), changed, whole
}

// sensitiveValues lists the texts and numbers that a JSON text has under sensitive names.
func sensitiveValues(body []byte) (values []string) {
	if !looksLikeJSON(body) {
		return nil
	}
	walkJSON(body, isSensitive, func(_ string, token jsontext.Token, hide bool) {
		if kind := token.Kind(); hide && (kind == '"' || kind == '0') {
			values = append(values, token.String())
		}
	})
	return values
}

// walkJSON visits the tokens of JSON texts in order, each with the punctuation before it. Hide reports whether the
// token is a value under a hidden name, or inside one. The walk ends at the first malformed byte; whole reports that
// there was none.
func walkJSON(
	body []byte, hidden func(name string) bool, visit func(before string, token jsontext.Token, hide bool),
) (whole bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	hiddenDepth := 0 // of the outermost hidden object or array; zero outside one
	nameHidden := false
	for {
		container, count := decoder.StackIndex(decoder.StackDepth())
		token, err := decoder.ReadToken()
		if err != nil {
			return decoder.StackDepth() == 0 && decoder.InputOffset() >= int64(len(bytes.TrimRight(body, " \t\r\n")))
		}
		kind, before := token.Kind(), ""
		switch {
		case kind == '}' || kind == ']':
		case container == '{' && count%2 == 1:
			before = ":"
		case (container == '{' || container == '[') && count > 0:
			before = ","
		}
		if kind == '"' && container == '{' && count%2 == 0 {
			nameHidden = hidden(token.String())
			visit(before, token, false)
			continue
		}
		if decoder.StackDepth() < hiddenDepth {
			hiddenDepth = 0
		}
		hide := hiddenDepth > 0 || nameHidden && container == '{'
		if hide && hiddenDepth == 0 && (kind == '{' || kind == '[') {
			hiddenDepth = decoder.StackDepth()
		}
		visit(before, token, hide)
	}
}
