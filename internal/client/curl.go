package client

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ErrNotSent says that a call was shown as a command line in place of being sent, as Config.Curl asks for.
var ErrNotSent = errors.New("the call was shown, not sent")

// maxArgument is the longest body, in bytes, that a command line takes as an argument: Linux allows 128 KiB for one, after
// quoting.
const maxArgument = 32 << 10

// show hands a request to Config.Curl in place of sending it.
func (c *Client) show(r *request) error {
	if err := c.config.Curl(c.commandLine(r)); err != nil {
		return err
	}
	return ErrNotSent
}

// commandLine is the POSIX shell command line with which curl makes a call. Credentials stand in it as the variables that
// hold them. Redirects are not followed and nothing is repeated.
func (c *Client) commandLine(r *request) string {
	words := []string{"curl"}
	switch {
	case r.method == http.MethodHead:
		words = append(words, "--head") // with -X HEAD curl waits for a body
	case r.method != http.MethodGet || len(r.body) > 0:
		words = append(words, "-X", quoted(r.method))
	}
	address := r.url.String()
	if c.config.CACert != "" {
		words = append(words, "--cacert", quoted(c.config.CACert))
	}
	if strings.ContainsAny(address, "[]{}") {
		words = append(words, "--globoff") // curl takes these for a range of URLs otherwise
	}
	words = append(words, quoted(address))
	switch {
	case strings.HasPrefix(r.credential, "Basic "):
		words = append(words, "--user", `"$PAYCTL_CLIENT_ID:$PAYCTL_CLIENT_SECRET"`)
	case r.credential != "" || c.config.Token != nil:
		words = append(words, "-H", `"Authorization: Bearer $PAYCTL_TOKEN"`)
	}
	for _, field := range r.shownHeader() {
		words = append(words, "-H", quoted(field))
	}
	line, body := "", r.body
	switch {
	case len(body) == 0:
	case len(body) > maxArgument || body[0] == '@' || !isShowable(string(body)):
		// A file's name begins with @, and what printf writes goes through a pipe, which no limit on arguments holds for.
		line, words = printed(body)+" | ", append(words, "--data-binary", "@-")
	default:
		words = append(words, "--data-binary", quoted(string(body)))
	}
	return line + strings.Join(words, " ")
}

// shownHeader lists the header fields that make the call what it is: all but the credentials and the program's name.
func (r *request) shownHeader() []string {
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(r.header)) {
		for _, value := range r.header[name] {
			if name != "User-Agent" {
				fields = append(fields, name+": "+value)
			}
		}
	}
	if r.key != "" {
		fields = append(fields, "Idempotency-Key: "+r.key)
	}
	if seconds := int64(r.hold / time.Second); seconds > 0 {
		fields = append(fields, "Prefer: wait="+strconv.FormatInt(seconds, 10))
	}
	return fields
}

// quoted is a text as one word of a POSIX shell (XCU section 2.2.2).
func quoted(text string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_./:,%+@", c)
	}
	if text != "" && !strings.ContainsFunc(text, func(c rune) bool { return !plain(c) }) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// isShowable says whether a text can stand in a command line as it is, and be read there.
func isShowable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) })
}

// printed is a command that writes bytes to standard output. Bytes that no command line can hold, or that would not be
// seen in it, are written as octal escapes (XCU printf).
func printed(body []byte) string {
	if isShowable(string(body)) {
		return "printf %s " + quoted(string(body))
	}
	var b strings.Builder
	for first := true; len(body) > 0; first = false {
		c, size := utf8.DecodeRune(body)
		switch {
		case c == '-' && first: // would begin an option
			b.WriteString(`\055`)
		case c == '%':
			b.WriteString("%%")
		case c == '\\':
			b.WriteString(`\\`)
		case c == '\n' || unicode.IsPrint(c) && (c != utf8.RuneError || size > 1):
			b.Write(body[:size])
		default:
			for _, octet := range body[:size] {
				fmt.Fprintf(&b, `\%03o`, octet)
			}
		}
		body = body[size:]
	}
	return "printf " + quoted(b.String())
}
