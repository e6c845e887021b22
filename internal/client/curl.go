package client

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/shell"
)

// ErrNotSent is the error of a call that was shown as a command line in place of being sent (Config.Curl).
var ErrNotSent = errors.New("the call was shown, not sent")

// maxArgument is the longest body, in bytes, that a command line holds as an argument: Linux allows 128 KiB for one,
// after quoting.
const maxArgument = 32 << 10

// showCurl passes the command line of a request to Config.Curl in place of sending the request.
func (c *Client) showCurl(r *request) error {
	if err := c.config.Curl(c.curlCommand(r)); err != nil {
		return err
	}
	return ErrNotSent
}

// curlCommand returns the POSIX shell command line with which curl makes a call. It names the variables that hold
// credentials. Redirects are not followed and nothing is repeated.
func (c *Client) curlCommand(r *request) string {
	words := []string{"curl"}
	switch {
	case r.method == http.MethodHead:
		words = append(words, "--head") // with -X HEAD curl waits for a body
	case r.method != http.MethodGet || len(r.body) > 0:
		words = append(words, "-X", shell.Quote(r.method))
	}
	address := r.url.String()
	if c.config.CACert != "" {
		words = append(words, "--cacert", shell.Quote(c.config.CACert))
	}
	if strings.ContainsAny(address, "[]{}") {
		words = append(words, "--globoff") // without it, curl reads these as a range of URLs
	}
	words = append(words, shell.Quote(address))
	switch {
	case strings.HasPrefix(r.credential, "Basic "):
		words = append(words, "--user", `"$PAYCTL_CLIENT_ID:$PAYCTL_CLIENT_SECRET"`)
	case r.credential != "" || c.config.Token != nil:
		words = append(words, "-H", `"Authorization: Bearer $PAYCTL_TOKEN"`)
	}
	header := r.httpRequest(r.url, "", r.wait).Header
	delete(header, "User-Agent")
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			words = append(words, "-H", shell.Quote(http.CanonicalHeaderKey(name)+": "+value))
		}
	}
	line := strings.Join(words, " ")
	isInvisible := func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }
	switch text := string(r.body); {
	case text == "":
		return line
	case !utf8.ValidString(text) || strings.ContainsFunc(text, isInvisible):
		return "printf %s " + base64.StdEncoding.EncodeToString(r.body) + " | base64 -d | " + line + " --data-binary @-"
	case len(text) > maxArgument || text[0] == '@': // curl takes @ for a file; printf is a builtin without a limit
		return "printf %s " + shell.Quote(text) + " | " + line + " --data-binary @-"
	default:
		return line + " --data-binary " + shell.Quote(text)
	}
}
