package payments

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A Path has the names of the members around a text in a JSON document. The innermost is last.
type Path []string

// Name returns the innermost name, or "" outside objects.
func (p Path) Name() string {
	if len(p) == 0 {
		return ""
	}
	return p[len(p)-1]
}

// RewriteJSON rewrites each text and number of JSON texts with rewrite, and each name with rename. A malformed or cut
// document is written up to the fault. Whole reports that there was no fault.
func RewriteJSON(
	body []byte, rename func(string) string, rewrite func(at Path, text string) string,
) (written []byte, whole bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true))
	written = make([]byte, 0, len(body))
	path, lengths := make(Path, 0, 8), make([]int, 0, 8) // lengths of the path, of each open object and array
	for {
		container, count := decoder.StackIndex(decoder.StackDepth())
		token, err := decoder.ReadToken()
		if err != nil {
			return written, decoder.StackDepth() == 0 && decoder.InputOffset() >= int64(len(bytes.TrimRight(body, " \t\r\n")))
		}
		kind := token.Kind()
		isEnd := kind == '}' || kind == ']'
		isName := container == '{' && count%2 == 0 && !isEnd
		switch {
		case isEnd:
		case container == '{' && !isName:
			written = append(written, ':')
		case container != 0 && count > 0:
			written = append(written, ',')
		}
		was := token.String()
		is := was
		switch {
		case isName:
			is, path = rename(was), append(path[:lengths[len(lengths)-1]], was)
		case isEnd:
			path, lengths = path[:lengths[len(lengths)-1]], lengths[:len(lengths)-1]
		case kind == '{', kind == '[':
			lengths = append(lengths, len(path))
		case kind == '"', kind == '0':
			is = rewrite(path, was)
		}
		if kind == '"' || is != was {
			written, _ = jsontext.AppendQuote(written, is)
		} else {
			written = append(written, was...)
		}
	}
}
