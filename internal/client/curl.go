package client

import (
	"encoding/base64"
	"errors"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/shell"
)

// ErrNotSent is the error of a call that was only shown as a command line (Config.Curl).
var ErrNotSent = errors.New("the call was shown, not sent")

// maxArgument is the longest body, in bytes, that is an argument of a command line. Linux allows 128 KiB, after
// quoting.
const maxArgument = 32 << 10

// showCurl passes the command line of a request to Config.Curl.
func (c *Client) showCurl(r *request) error {
	way, err := c.curlWay()
	if err != nil {
		return c.unreachable(r, err)
	}
	if err := c.config.Curl(c.curlCommand(r, way)); err != nil {
		return err
	}
	return ErrNotSent
}

// curlWay returns the options that make curl use the same proxy and trust the same authorities as this client. The
// error is a *ProxyError.
func (c *Client) curlWay() ([]string, error) {
	variable, proxy, err := ProxyOf(os.Getenv, c.base)
	var words []string
	// curl reads other variables than ProxyOf, and reads NO_PROXY differently.
	switch {
	case err != nil:
		return nil, err
	case proxy == nil:
		words = append(words, "--noproxy", "'*'")
	default:
		words = append(words, "--noproxy", "''", "--proxy", `"${`+variable+`:?}"`)
	}
	if c.base.Scheme == "https" {
		words = append(words, "--tlsv1.2")
	}
	if c.config.CACert != "" {
		// Without --capath, curl also trusts the system's authorities.
		words = append(words, "--cacert", shell.Quote(c.config.CACert), "--capath", "/dev/null")
	}
	return words, nil
}

// curlCommand returns the POSIX shell command line for a call by curl. It names the variables that hold credentials.
// Redirects are not followed and nothing is repeated. The user's .curlrc could change that, so it is not read.
func (c *Client) curlCommand(r *request, way []string) string {
	words := append([]string{"curl", "-q"}, way...)
	switch {
	case r.method == http.MethodHead:
		words = append(words, "--head") // with -X HEAD curl waits for a body
	case r.method != http.MethodGet || len(r.body) > 0:
		words = append(words, "-X", shell.Quote(r.method))
	}
	address := r.url.String()
	if strings.ContainsAny(address, "[]{}") {
		words = append(words, "--globoff") // without it, curl reads these as a range of URLs
	}
	words = append(words, shell.Quote(address))
	switch {
	case strings.HasPrefix(r.credential, "Basic "):
		words = append(words, "--user", `"$PAYCTL_CLIENT_ID:$PAYCTL_CLIENT_SECRET"`)
	case r.credential != "" || c.config.Token != nil && !r.isAnonymous:
		words = append(words, "-H", `"Authorization: Bearer $PAYCTL_TOKEN"`)
	}
	header := c.httpRequest(r, "", r.wait).Header
	if header.Get("User-Agent") == c.config.UserAgent {
		delete(header, "User-Agent")
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		for _, value := range header[name] {
			field := http.CanonicalHeaderKey(name) + ": " + value
			if strings.TrimSpace(value) == "" {
				field = http.CanonicalHeaderKey(name) + ";" // with a colon, curl does not send the field
			}
			words = append(words, "-H", shell.Quote(field))
		}
	}
	line := strings.Join(words, " ")
	isInvisible := func(c rune) bool { return c != '\n' && !unicode.IsPrint(c) }
	switch text := string(r.body); {
	case text == "":
		return line
	case len(text) > maxArgument || !utf8.ValidString(text) || strings.ContainsFunc(text, isInvisible):
		return "printf %s " + base64.StdEncoding.EncodeToString(r.body) + " | base64 -d | " + line + " --data-binary @-"
	default:
		return line + " --data-raw " + shell.Quote(text)
	}
}
