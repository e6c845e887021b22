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

// maxClockSkew is the skew that gets no warning. It is half of the margin for renewing tokens.
const maxClockSkew = 5 * time.Second

// revokeTimeout bounds the revocation of a token.
const revokeTimeout = 2 * time.Second

// reach returns the result of the probe, or a skipped finding for a check that needs the service.
func (e *examination) reach() (found client.Probe, skipped findings) {
	if e.Offline {
		return found, skip("--offline skips the network.")
	}
	found, err := e.probe()
	switch {
	case errors.Is(err, errUnknown):
		skipped = skip("The service is unknown until the settings can be read.")
	case err != nil:
		skipped = skip("The service could not be reached.")
	}
	return found, skipped
}

// service checks whether a service answers at the base URL.
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
		return fail(payments.ProblemUnusable, shell.Note("ask its operator, or try again later"),
			"%s answers%s, but has an error (HTTP status %d).", at, via, found.Status)
	case found.Status >= 300 && found.Status < 400:
		return warn(shell.Note("set the base URL to the target of the redirect"),
			"%s answers%s with a redirect (HTTP status %d), which payctl does not follow.", at, via, found.Status)
	}
	return append(ok("%s answers%s in %s.", at, via, found.Took.Round(time.Millisecond)), clock(found)...)
}

// unreachable is the finding for a failed probe, with a remedy for the most specific known cause.
func (e *examination) unreachable(resolved settings.Settings, via string) findings {
	_, err := e.probe()
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	if !isProblem {
		return fail(payments.ProblemUnreachable, shell.Payctl("profile show"), "%s", payments.Sentence(err.Error()))
	}
	text := payments.Sentence(cmp.Or(problem.Detail, problem.Title))
	if problem.ProblemType() == payments.ProblemUnreachable && problem.Reason != "" {
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
		remedy = shell.Note("check that the proxy runs, or add %s to NO_PROXY", resolved.BaseURL.Hostname())
	}
	return fail(problem.ProblemType(), remedy, "%s", text)
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
	return warn(shell.Note("synchronize the clock over the network"), "This machine's clock is %s %s the service's: "+
		"times are shown wrong, and tokens and certificates count as valid or expired when they are not.",
		found.Ahead.Abs(), direction)
}

// authentication tries the credentials. If it fetches a token for that, it revokes it.
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
		remedy = shell.Note("set " + settings.EnvToken + " to a valid token")
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
		case err == nil && isStored: // the check of the credentials has the expiry
			return ok("The service accepts the token of %s.", whose)
		case err == nil:
			return ok("The service accepts the token of %s, until %s.", whose, payments.FormatTime(token.ExpiresAt))
		case !isRejected(err) || login.ClientSecret == "":
			return rejected(err, "the token", remedy)
		}
	}
	if login.ClientSecret == "" {
		return skip("The token has expired, and without a secret no other can be fetched.")
	}
	fresh, err := auth.Obtain(ctx, service, resolved.Origin, login.ClientID, login.ClientSecret, e.Now())
	if err != nil {
		return rejected(err, "the secret of "+login.ClientID, remedy)
	}
	ctx, cancel := context.WithTimeout(ctx, revokeTimeout)
	defer cancel()
	_ = service.RevokeAccessToken(ctx, fresh.AccessToken) // otherwise it expires
	return ok("The service accepts the secret of %s.", login.ClientID)
}

// rejected is the finding for a failed credential. It does not repeat the service's text, which may contain the
// credential.
func rejected(err error, what string, remedy shell.Hint) findings {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	switch {
	case !isProblem:
		return fail(payments.ProblemCredential, remedy, "%s", payments.Sentence(err.Error()))
	case problem.Status == 401 || problem.Status == 403:
		return fail(payments.ProblemUnauthenticated, remedy, "The service rejects %s.", what)
	case payments.IsLacking(problem):
		return skip("The service has no operation to check %s.", what)
	case problem.Status/100 == 2:
		return fail(payments.ProblemUnusable, shell.Payctl("profile show"), "The response to a check of %s does not come "+
			"from a payments API: the base URL may be wrong, or the network may ask for its own login first.", what)
	}
	return fail(payments.ProblemUnusable, shell.Note("try again later"),
		"It is unknown whether the service accepts %s (HTTP status %d).", what, problem.Status)
}

// isRejected reports whether the service rejected the credentials, even with its own problem types.
func isRejected(err error) bool {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	return isProblem && (problem.ProblemType() == payments.ProblemUnauthenticated || problem.Status == 401)
}
