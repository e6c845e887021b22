package payments

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// RewriteJSON returns JSON texts with each text and number as rewrite has it. Rewrite is given the name of the member
// (empty for the text that is a name), and whether isMarked reports true of that name, or of the name of an object or
// array around it. What is malformed or cut is written up to there; whole reports that nothing is.
func RewriteJSON(
	body []byte, isMarked func(name string) bool, rewrite func(name, text string, marked bool) string,
) (written []byte, whole bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	written = make([]byte, 0, len(body))
	name, isNameMarked := "", false
	marked := 0 // the depth of the outermost object or array that is marked; zero outside one
	for {
		container, count := decoder.StackIndex(decoder.StackDepth())
		token, err := decoder.ReadToken()
		if err != nil {
			return written, decoder.StackDepth() == 0 && decoder.InputOffset() >= int64(len(bytes.TrimRight(body, " \t\r\n")))
		}
		kind := token.Kind()
		isEnd := kind == '}' || kind == ']'
		isValue := container == '{' && count%2 == 1
		switch {
		case isEnd:
		case isValue:
			written = append(written, ':')
		case container != 0 && count > 0:
			written = append(written, ',')
		}
		was := token.String()
		is := was
		switch {
		case container == '{' && !isValue && !isEnd:
			name, isNameMarked = was, isMarked(was)
			is = rewrite("", was, false)
		case kind == '"' || kind == '0':
			is = rewrite(name, was, marked > 0 || isNameMarked && isValue)
		case decoder.StackDepth() < marked:
			marked = 0
		case marked == 0 && isNameMarked && isValue && (kind == '{' || kind == '['):
			marked = decoder.StackDepth()
		}
		if kind == '"' || is != was {
			written, _ = jsontext.AppendQuote(written, is)
		} else {
			written = append(written, was...)
		}
	}
}
