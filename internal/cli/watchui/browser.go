package watchui

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// A link of the service is opened by programs of the system, and not with a library: github.com/cli/browser and
// github.com/pkg/browser wait until the browser ends, hand payctl's credentials on to it, and let Ctrl-C end it.

const (
	// longestLink bounds a link, in bytes: browsers and proxies cut longer ones.
	longestLink = 2048
	// browserGrace is how long the program that opens a link may take to say that it cannot.
	browserGrace = 2 * time.Second
)

// CheckLink returns a link of the service in the form in which it may be opened or copied, and its host with the port.
// The error is a clause that says why it may not: what it leads to would not be what a person reads.
func CheckLink(text string) (link, host string, err error) {
	switch {
	case len(text) > longestLink:
		return "", "", fmt.Errorf("it is longer than %d bytes", longestLink)
	case !utf8.ValidString(text) || ui.Sanitize(text) != text || strings.ContainsAny(text, " \\"):
		return "", "", errors.New("it has characters that no link has")
	}
	parsed, err := url.Parse(text)
	switch {
	case err != nil:
		return "", "", errors.New("it is no link")
	case parsed.Scheme != "https" && parsed.Scheme != "http":
		return "", "", errors.New("it does not begin with https:// or http://")
	case parsed.User != nil:
		return "", "", errors.New("it has a user name, behind which the true host is easily overlooked")
	case parsed.Opaque != "" || parsed.Hostname() == "":
		return "", "", errors.New("it names no host")
	}
	if _, err := netip.ParseAddr(parsed.Hostname()); err != nil {
		name := strings.ToLower(parsed.Hostname())
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") != "" {
			return "", "", errors.New("its host has letters that look like others")
		}
		for label := range strings.SplitSeq(name, ".") {
			if strings.HasPrefix(label, "xn--") {
				return "", "", errors.New("its host stands for letters that may look like others (xn--)")
			}
		}
	}
	return parsed.String(), parsed.Host, nil
}

// findBrowser returns the command that opens a link if the link is added to it, and nil if there is no desktop, as
// in a session of SSH. On Windows the desktop itself opens it, and the command is empty.
func findBrowser(system string, getenv func(string) string, find func(name string) (string, error)) ([]string, error) {
	if text := getenv("BROWSER"); text != "" {
		path, args, err := cmdutil.FindProgram("$BROWSER", text)
		return append([]string{path}, args...), err
	}
	isRemote := getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != ""
	var names []string
	switch {
	case system == "windows" && !isRemote:
		return []string{}, nil
	case system == "darwin" && !isRemote:
		names = []string{"open"}
	case system == "windows", system == "darwin":
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "": // X11 is forwarded by SSH too
		names = []string{"xdg-open", "x-www-browser"}
	case getenv("WSL_DISTRO_NAME") != "":
		names = []string{"wslview"}
	}
	for _, name := range names {
		if path, err := find(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, nil
}

// startBrowser runs the command that opens a link, apart from this program, its terminal and its credentials. It does
// not wait for a browser, but for an early failure.
func startBrowser(ctx context.Context, command []string, link string) error {
	args := append(command[1:], link)
	if err := cmdutil.CheckArguments(command[0], args); err != nil {
		return fmt.Errorf("%s cannot open the link: %w", command[0], err)
	}
	cmd := exec.Command(command[0], args...) //nolint:gosec,noctx // it may outlive the view
	cmd.Env = cmdutil.ProgramEnvironment(os.Environ())
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s cannot be run: %w", command[0], cmdutil.WhyNotRun(err))
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	timer := time.NewTimer(browserGrace)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s has failed: %w", command[0], err)
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}
