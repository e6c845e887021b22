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
	"time"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/credential"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
	"github.com/payctl/payctl/internal/session"
)

// Bounds of what is worth a warning.
const (
	soonExpired = 14 * 24 * time.Hour // before a certificate ends
	mostSkew    = 5 * time.Second     // between two clocks
	giveBack    = 2 * time.Second     // to give back a token that was fetched to try the secret
	nearExpiry  = 10 * time.Second    // before a token ends it is no longer used
)

// unreached says why a check that needs the service is left out; nil when it is not.
func (e *examination) unreached(check string) []Finding {
	if e.Offline {
		return one(skipped(check, "--offline leaves the network out."))
	}
	_, err := e.reach()
	switch {
	case errors.Is(err, errUnknown):
		return one(skipped(check, "Which service is meant cannot be told before the settings can be read."))
	case err != nil:
		return one(skipped(check, "The service could not be reached."))
	}
	return nil
}

// service tells whether something answers at the base URL, and which way leads there.
func (e *examination) service(context.Context) []Finding {
	if e.Offline {
		return e.unreached(CheckService)
	}
	found, err := e.reach()
	way := ""
	if found.Proxy != "" {
		way = " through the proxy " + found.Proxy
	}
	settings, _ := e.settings()
	switch {
	case errors.Is(err, errUnknown):
		return e.unreached(CheckService)
	case err != nil:
		return one(e.unreachable(err, settings, way))
	case found.Status >= 500:
		text := fmt.Sprintf("%s answers%s, but is not well (HTTP status %d).", settings.BaseURL, way, found.Status)
		return one(failed(CheckService, payments.KindUnusable, text, "ask its operator, or try again later"))
	case found.Status >= 300 && found.Status < 400:
		text := fmt.Sprintf("%s answers%s with a redirect (HTTP status %d), which writes never follow.", settings.BaseURL, way, found.Status)
		return one(warning(CheckService, text, "payctl profile set "+settings.Profile+" base_url URL"))
	}
	return one(ok(CheckService, "%s answers%s in %s (%s).", settings.BaseURL, way, found.Took.Round(time.Millisecond), found.Address))
}

func (e *examination) unreachable(err error, settings config.Settings, way string) Finding {
	problem, isProblem := errors.AsType[*payments.Refusal](err)
	if !isProblem {
		return failed(CheckService, payments.KindUnreachable, payments.Sentence(err.Error()), "payctl profile show")
	}
	text := payments.Sentence(cmp.Or(problem.Detail, problem.Title))
	if made, isMade := errors.AsType[*client.Failure](err); isMade && made.Reason() != "" {
		text = fmt.Sprintf("%s cannot be reached%s: %s.", settings.BaseURL, way, made.Reason())
	}
	if problem.Kind() == payments.KindTimeout {
		text = fmt.Sprintf("%s took the connection%s and gave no answer within %s.", settings.BaseURL, way, min(settings.Timeout, callTime))
	}
	mend := "payctl profile show"
	if operation, isOperation := errors.AsType[*net.OpError](err); isOperation && operation.Op == "proxyconnect" {
		variable, _ := client.ProxyVariable(e.Getenv, settings.BaseURL)
		mend = "see whether the proxy of " + variable + " runs, or name " + settings.BaseURL.Hostname() + " in NO_PROXY"
	}
	if settings.BaseURL != nil && config.IsLoopback(settings.BaseURL) && problem.Kind() == payments.KindUnreachable {
		mend = serveAt(settings.BaseURL)
	}
	if proxy, isProxy := errors.AsType[*client.ProxyError](err); isProxy {
		mend = "unset " + proxy.Variable
	}
	if untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err); isUntrusted {
		mend = mendCertificate(untrusted, settings.Profile)
	}
	if problem.Kind() == payments.KindInvalidSettings && settings.CACert != "" {
		mend = fmt.Sprintf("name another file than %s says", settings.Sources["ca_cert"])
	}
	return failed(CheckService, problem.Kind(), text, mend)
}

// serveAt is the command that starts a service where one is looked for on this machine.
func serveAt(base *url.URL) string {
	switch {
	case base.String() == config.DefaultBaseURL:
		return "payctl serve"
	case base.Scheme != "http" || base.Path != "" || base.Port() == "":
		return "payctl profile show" // it takes more than an address
	}
	return "payctl serve --addr " + safefile.Quote(base.Host)
}

// mendCertificate says what mends a certificate that is not trusted: another authority does only where that is what it lacks.
func mendCertificate(err error, profile string) string {
	_, isNamedOtherwise := errors.AsType[x509.HostnameError](err)
	invalid, isInvalid := errors.AsType[x509.CertificateInvalidError](err)
	switch {
	case isNamedOtherwise:
		return "see whether the base URL names the service as its certificate does"
	case isInvalid && invalid.Reason == x509.Expired:
		return "see whether this machine's clock is right; if it is, ask the service's operator for a new certificate"
	}
	return "payctl profile set " + profile + " ca_cert FILE"
}

// tls tells which version is spoken, and how long the certificate lasts.
func (e *examination) tls(context.Context) []Finding {
	if left := e.unreached(CheckTLS); left != nil {
		return left
	}
	found, _ := e.reach()
	settings, _ := e.settings()
	if found.TLS == nil || len(found.TLS.PeerCertificates) == 0 {
		return one(skipped(CheckTLS, "%s is plain http.", settings.BaseURL))
	}
	certificate := found.TLS.PeerCertificates[0]
	by := "the system's authorities"
	if settings.CACert != "" {
		by = settings.CACert
	}
	ends := certificate.NotAfter
	if left := ends.Sub(e.Now()); left < soonExpired {
		text := fmt.Sprintf("The certificate of the service ends soon, at %s.", moment(ends))
		return one(warning(CheckTLS, text, "ask its operator for a new one"))
	}
	return one(ok(CheckTLS, "%s; the certificate lasts until %s and is trusted by %s.", tls.VersionName(found.TLS.Version), moment(ends), by))
}

// clock compares this machine's clock with the service's.
func (e *examination) clock(context.Context) []Finding {
	if left := e.unreached(CheckClock); left != nil {
		return left
	}
	found, _ := e.reach()
	switch {
	case !found.Dated:
		return one(skipped(CheckClock, "The service does not tell its time."))
	case found.Ahead.Abs() <= mostSkew:
		return one(ok(CheckClock, "This machine and the service agree on the time, within %s.", max(found.Ahead.Abs(), time.Second)))
	}
	direction := "ahead of"
	if found.Ahead < 0 {
		direction = "behind"
	}
	text := fmt.Sprintf("This machine's clock is %s %s the service's: times are shown wrong, and tokens and certificates count as valid or expired when they are not.",
		found.Ahead.Abs(), direction)
	return one(warning(CheckClock, text, "sudo timedatectl set-ntp true"))
}

// authentication tries the credentials. A token that is fetched for it is given back.
func (e *examination) authentication(ctx context.Context) []Finding {
	if left := e.unreached(CheckAuthentication); left != nil {
		return left
	}
	settings, _ := e.settings()
	c, err := e.plain()
	if err != nil {
		return one(skipped(CheckAuthentication, "The service could not be reached."))
	}
	login := credential.Login{ClientID: settings.ClientID, ClientSecret: settings.ClientSecret, AccessToken: settings.Token}
	if !settings.HasCredentials() {
		if login, err = e.login(); err != nil {
			return one(skipped(CheckAuthentication, "There is no credential to try."))
		}
	}
	return one(e.try(ctx, c, settings, login))
}

func (e *examination) try(ctx context.Context, c *client.Client, settings config.Settings, login credential.Login) Finding {
	mend := "payctl auth login"
	switch {
	case settings.Token != "":
		mend = "put a token that works into " + config.EnvToken
		login.ClientSecret = ""
	case settings.HasCredentials():
		mend = "put the client's secret into " + config.EnvSecret
	}
	usable := login.AccessToken != "" && (login.ExpiresAt.IsZero() || e.Now().Add(nearExpiry).Before(login.ExpiresAt))
	if usable {
		description, err := c.DescribeAccessToken(ctx, login.AccessToken)
		if err == nil {
			return ok(CheckAuthentication, "The service takes the token of %s, until %s.", cmp.Or(description.ClientID, login.ClientID), moment(description.ExpiresAt))
		}
		if !isUnauthenticated(err) || login.ClientSecret == "" {
			return refused(err, "the token", mend)
		}
	}
	if login.ClientSecret == "" {
		return skipped(CheckAuthentication, "The token has run out, and there is no secret to fetch another with.")
	}
	fresh, err := session.Obtain(ctx, c, settings.Origin, login.ClientID, login.ClientSecret, e.Now())
	if err != nil {
		return refused(err, "the secret of "+login.ClientID, mend)
	}
	give(ctx, c, fresh.AccessToken)
	if usable {
		return warning(CheckAuthentication, "The service rejects the stored token, but the stored secret gets another.", "payctl auth refresh")
	}
	return ok(CheckAuthentication, "The service takes the secret of %s.", login.ClientID)
}

// give gives a token back, so that nothing is left of the visit. One that a service does not take back runs out by itself.
func give(ctx context.Context, c *client.Client, token string) {
	ctx, cancel := context.WithTimeout(ctx, giveBack)
	defer cancel()
	_ = c.RevokeAccessToken(ctx, token)
}

// refused tells why a credential could not be used.
func refused(err error, what, mend string) Finding {
	problem, isProblem := errors.AsType[*payments.Refusal](err)
	switch {
	case !isProblem:
		return failed(CheckAuthentication, payments.KindCredential, payments.Sentence(err.Error()), mend)
	case problem.Status == 401 || problem.Status == 403:
		return failed(CheckAuthentication, payments.KindUnauthenticated, "The service rejects "+what+".", mend)
	case problem.Status == 404 || problem.Status == 405 || problem.Status == 501:
		return skipped(CheckAuthentication, "The service has no operation with which to try %s.", what)
	case problem.Status/100 == 2:
		text := "The answer to a look at " + what + " is none of the payments API: the base URL may lead elsewhere, or a network want a login of its own first."
		return failed(CheckAuthentication, payments.KindUnusable, text, "payctl profile show")
	}
	// The words of the service are not repeated: they may be the credential itself.
	text := fmt.Sprintf("Whether the service takes %s cannot be told (HTTP status %d).", what, problem.Status)
	if problem.Status == 0 {
		text = fmt.Sprintf("Whether the service takes %s cannot be told: no answer came that can be used.", what)
	}
	return failed(CheckAuthentication, payments.KindUnusable, text, "try again later")
}

// isUnauthenticated says whether the credentials were refused, also by a service whose problems have types of its own.
func isUnauthenticated(err error) bool {
	refusal, ok := errors.AsType[*payments.Refusal](err)
	return ok && (refusal.Kind() == payments.KindUnauthenticated || refusal.Status == 401)
}
