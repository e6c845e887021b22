package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"runtime"
	"time"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// Limits of what is worth a warning.
const (
	expirySoon   = 14 * 24 * time.Hour // before a certificate expires: time enough to replace it
	maxClockSkew = 5 * time.Second     // between two clocks: half of the margin at which tokens are renewed
)

// isReached reports whether the service answers. If not, it adds to a check that needs the service why it is skipped.
func (e *examination) isReached(c *check) bool {
	if e.Offline {
		c.skip("--offline leaves the network out.")
		return false
	}
	_, err := e.probe()
	switch {
	case errors.Is(err, errUnknown):
		c.skip("The service is not known until the settings can be read.")
	case err != nil:
		c.skip("The service could not be reached.")
	}
	return err == nil
}

// service checks whether a service answers at the base URL, and reports how it is reached.
func (e *examination) service(_ context.Context, c *check) {
	if e.Offline {
		e.isReached(c)
		return
	}
	found, err := e.probe()
	via := ""
	if found.Proxy != "" {
		via = " through the proxy " + found.Proxy
	}
	resolved, _ := e.settings()
	switch {
	case errors.Is(err, errUnknown):
		e.isReached(c)
	case err != nil:
		e.unreachable(c, err, resolved, via)
	case found.Status >= 500:
		c.fail(payments.KindUnusable, "%s answers%s, but has a fault (HTTP status %d).", resolved.BaseURL, via, found.Status).
			Advice = "ask its operator, or try again later"
	case found.Status >= 300 && found.Status < 400:
		c.warn("%s answers%s with a redirect (HTTP status %d), which writes never follow.",
			resolved.BaseURL, via, found.Status).
			Fix = setBaseURL(resolved.Profile, "")
	default:
		c.ok("%s answers%s in %s (%s).", resolved.BaseURL, via, found.Took.Round(time.Millisecond), found.Address)
	}
}

// unreachable adds why the service cannot be reached, and the remedy for the most specific cause that is known.
func (e *examination) unreachable(c *check, err error, resolved settings.Settings, via string) {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	if !isProblem {
		c.fail(payments.KindUnreachable, "%s", payments.Sentence(err.Error())).Fix = "payctl profile show"
		return
	}
	text := payments.Sentence(cmp.Or(problem.Detail, problem.Title))
	if problem.Kind() == payments.KindUnreachable && problem.Reason != "" {
		text = fmt.Sprintf("%s cannot be reached%s: %s.", resolved.BaseURL, via, problem.Reason)
	}
	if problem.Kind() == payments.KindTimeout {
		text = fmt.Sprintf("%s accepted the connection%s and did not answer within %s.",
			resolved.BaseURL, via, min(resolved.Timeout, callTimeout))
	}
	f := c.fail(problem.Kind(), "%s", text)
	operation, isOperation := errors.AsType[*net.OpError](err)
	proxy, isProxy := errors.AsType[*client.ProxyError](err)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case problem.Kind() == payments.KindInvalidSettings && resolved.CACert != "":
		f.Advice = "name another file; payctl profile show shows where ca_cert is set"
	case isUntrusted:
		certificateRemedy(f, untrusted, resolved.Profile)
	case isProxy:
		f.Fix = shell.UnsetCommand(proxy.Variable)
	case resolved.BaseURL != nil && settings.IsLoopback(resolved.BaseURL) && problem.Kind() == payments.KindUnreachable:
		f.Fix = serveCommand(resolved.BaseURL)
	case isOperation && operation.Op == "proxyconnect":
		variable, _ := client.ProxyVariable(e.Getenv, resolved.BaseURL)
		f.Advice = shell.Hint("see whether the proxy of VARIABLE runs, or add HOST to NO_PROXY",
			shell.Values{"VARIABLE": variable, "HOST": resolved.BaseURL.Hostname()})
	default:
		f.Fix = "payctl profile show"
	}
}

// serveCommand is the command that starts a service at a base URL on this machine.
func serveCommand(base *url.URL) string {
	switch {
	case base.String() == settings.DefaultBaseURL:
		return "payctl serve"
	case base.Scheme != "http" || base.Path != "" || base.Port() == "":
		return "payctl profile show" // payctl serve needs more flags than an address
	}
	return shell.Hint("payctl serve --addr ADDRESS", shell.Values{"ADDRESS": base.Host})
}

// certificateRemedy sets what to do about a certificate that is not trusted. Another authority helps only if that is
// the reason.
func certificateRemedy(f *Finding, err error, profile string) {
	_, isOtherName := errors.AsType[x509.HostnameError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isOtherName:
		f.Advice = "see whether the base URL names the service as its certificate does"
	case isInvalid && invalid.Reason == x509.Expired:
		f.Advice = "see whether this machine's clock is right; if it is, ask the service's operator for a new certificate"
	default:
		f.Fix = shell.Hint("payctl profile set -- PROFILE ca_cert FILE", shell.Values{"PROFILE": profile})
	}
}

// tls reports the version of TLS, and when the certificate expires.
func (e *examination) tls(_ context.Context, c *check) {
	if !e.isReached(c) {
		return
	}
	found, _ := e.probe()
	resolved, _ := e.settings()
	if found.TLS == nil || len(found.TLS.PeerCertificates) == 0 {
		c.skip("%s is plain http.", resolved.BaseURL)
		return
	}
	ends := found.TLS.PeerCertificates[0].NotAfter
	if ends.Sub(e.Now()) < expirySoon {
		c.warn("The certificate of the service expires soon, at %s.", payments.FormatTime(ends)).
			Advice = "ask its operator for a new one"
		return
	}
	c.ok("%s; the certificate is valid until %s and trusted by %s.", tls.VersionName(found.TLS.Version), payments.FormatTime(ends),
		cmp.Or(resolved.CACert, "the system's authorities"))
}

// setClock returns the command with which an administrator has the clock of this machine set by the network.
func setClock() string {
	switch runtime.GOOS {
	case "windows":
		return "w32tm /resync   (in a terminal that was started as administrator)"
	case "darwin":
		return "sudo systemsetup -setusingnetworktime on"
	}
	return "sudo timedatectl set-ntp true"
}

// clock compares this machine's clock with the service's.
func (e *examination) clock(_ context.Context, c *check) {
	if !e.isReached(c) {
		return
	}
	found, _ := e.probe()
	skew := found.Ahead.Abs()
	switch {
	case !found.Dated:
		c.skip("The service does not send its time.")
	case skew <= maxClockSkew:
		c.ok("This machine and the service agree on the time, within %s.", max(skew, time.Second))
	default:
		direction := "ahead of"
		if found.Ahead < 0 {
			direction = "behind"
		}
		c.warn("This machine's clock is %s %s the service's: times are shown wrong, and tokens and certificates count as "+
			"valid or expired when they are not.", skew, direction).Fix = setClock()
	}
}
