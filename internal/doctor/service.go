package doctor

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// maxClockSkew is what is worth a warning between two clocks: half of the margin at which tokens are renewed.
const maxClockSkew = 5 * time.Second

// revokeTimeout bounds the revocation of a token, which the report waits for.
const revokeTimeout = 2 * time.Second

// reach returns what the service answered to the probe, or why a check that needs the service is skipped.
func (e *examination) reach() (found client.Probe, skipped findings) {
	if e.Offline {
		return found, skip("--offline leaves the network out.")
	}
	found, err := e.probe()
	switch {
	case errors.Is(err, errUnknown):
		skipped = skip("The service is not known until the settings can be read.")
	case err != nil:
		skipped = skip("The service could not be reached.")
	}
	return found, skipped
}

// service checks whether a service answers at the base URL, and reports how it is reached.
func (e *examination) service(context.Context) findings {
	found, skipped := e.reach()
	_, unknown := e.settings()
	if e.Offline || unknown != nil {
		return skipped
	}
	resolved, _ := e.settings()
	at := resolved.BaseURL.String()
	via := ""
	if found.Proxy != "" {
		via = " through the proxy " + found.Proxy
	}
	switch {
	case skipped != nil:
		return e.unreachable(resolved, via)
	case found.Status >= 500:
		return fail(payments.KindUnusable, shell.Note("ask its operator, or try again later"),
			"%s answers%s, but has a fault (HTTP status %d).", at, via, found.Status)
	case found.Status >= 300 && found.Status < 400:
		return warn(shell.Note("set the base URL to where it leads"),
			"%s answers%s with a redirect (HTTP status %d), which payctl does not follow.", at, via, found.Status)
	}
	return append(ok("%s answers%s in %s.", at, via, found.Took.Round(time.Millisecond)), clock(found)...)
}

// unreachable is why the service cannot be reached, with the remedy for the most specific cause that is known.
func (e *examination) unreachable(resolved settings.Settings, via string) findings {
	_, err := e.probe()
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	if !isProblem {
		return fail(payments.KindUnreachable, shell.Payctl("profile show"), "%s", payments.Sentence(err.Error()))
	}
	text := payments.Sentence(cmp.Or(problem.Detail, problem.Title))
	if problem.Kind() == payments.KindUnreachable && problem.Reason != "" {
		text = fmt.Sprintf("%s cannot be reached%s: %s.", resolved.BaseURL, via, problem.Reason)
	}
	remedy := shell.Payctl("profile show")
	none, isNone := errors.AsType[*client.NoLocalServiceError](err)
	_, isUntrusted := errors.AsType[x509.UnknownAuthorityError](err)
	switch {
	case isUntrusted:
		remedy = shell.Payctl("profile set --", resolved.Profile, "ca_cert", "FILE")
	case isNone:
		remedy = shell.Payctl("serve --addr", none.Address)
	case via != "":
		remedy = shell.Note("see whether the proxy runs, or add %s to NO_PROXY", resolved.BaseURL.Hostname())
	}
	return fail(problem.Kind(), remedy, "%s", text)
}

// clock compares this machine's clock with the service's.
func clock(found client.Probe) findings {
	if skew := found.Ahead.Abs(); !found.Dated || skew <= maxClockSkew {
		return nil
	}
	direction := "ahead of"
	if found.Ahead < 0 {
		direction = "behind"
	}
	return warn(shell.Note("have the clock set by the network"), "This machine's clock is %s %s the service's: times are shown wrong, "+
		"and tokens and certificates count as valid or expired when they are not.", found.Ahead.Abs(), direction)
}

// authentication tries the credentials. It revokes a token that it fetches for that.
func (e *examination) authentication(ctx context.Context) findings {
	if _, skipped := e.reach(); skipped != nil {
		return skipped
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	login := keystore.Login{ClientID: resolved.ClientID, ClientSecret: resolved.ClientSecret, AccessToken: resolved.Token}
	remedy := shell.Payctl("auth login")
	switch {
	case resolved.Token != "":
		remedy = shell.Note("set " + settings.EnvToken + " to a token that works")
		login.ClientSecret = ""
	case resolved.HasCredentials():
		remedy = shell.Note("set " + settings.EnvSecret + " to the client's secret")
	default:
		var err error
		if login, err = e.login(); err != nil {
			return skip("There is no credential to try.")
		}
	}
	isStored := !login.ExpiresAt.IsZero()
	if login.AccessToken != "" && (!isStored || e.Now().Add(auth.ExpiryMargin).Before(login.ExpiresAt)) {
		token, err := service.DescribeAccessToken(ctx, login.AccessToken)
		whose := cmp.Or(token.ClientID, login.ClientID)
		switch {
		case err == nil && isStored: // the check of the credentials has the time, by this machine's clock
			return ok("The service accepts the token of %s.", whose)
		case err == nil:
			return ok("The service accepts the token of %s, until %s.", whose, payments.FormatTime(token.ExpiresAt))
		case !isRejected(err) || login.ClientSecret == "":
			return rejected(err, "the token", remedy)
		}
	}
	if login.ClientSecret == "" {
		return skip("The token has expired, and there is no secret to fetch another with.")
	}
	fresh, err := auth.Obtain(ctx, service, resolved.Origin, login.ClientID, login.ClientSecret, e.Now())
	if err != nil {
		return rejected(err, "the secret of "+login.ClientID, remedy)
	}
	ctx, cancel := context.WithTimeout(ctx, revokeTimeout)
	defer cancel()
	_ = service.RevokeAccessToken(ctx, fresh.AccessToken) // a token that is not revoked expires by itself
	return ok("The service accepts the secret of %s.", login.ClientID)
}

// rejected is why a credential could not be used. The text of the service is not repeated: it may contain the credential.
func rejected(err error, what string, remedy shell.Hint) findings {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	switch {
	case !isProblem:
		return fail(payments.KindCredential, remedy, "%s", payments.Sentence(err.Error()))
	case problem.Status == 401 || problem.Status == 403:
		return fail(payments.KindUnauthenticated, remedy, "The service rejects %s.", what)
	case payments.IsLacking(problem):
		return skip("The service has no operation with which to try %s.", what)
	case problem.Status/100 == 2:
		return fail(payments.KindUnusable, shell.Payctl("profile show"), "The response to a check of %s is not one of the "+
			"payments API: the base URL may be that of something else, or a network may ask for a login of its own first.", what)
	}
	return fail(payments.KindUnusable, shell.Note("try again later"),
		"It is not known whether the service accepts %s (HTTP status %d).", what, problem.Status)
}

// isRejected reports whether the service rejected the credentials, even if its problems have types of its own.
func isRejected(err error) bool {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	return isProblem && (problem.Kind() == payments.KindUnauthenticated || problem.Status == 401)
}
