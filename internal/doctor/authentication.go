package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/auth"
	"github.com/payctl/payctl/internal/auth/keystore"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
)

// revokeTimeout bounds the revocation of a token, which the report waits for.
const revokeTimeout = 2 * time.Second

// authentication tries the credentials. It revokes a token that it fetches for that.
func (e *examination) authentication(ctx context.Context, c *check) {
	if !e.isReached(c) {
		return
	}
	resolved, _ := e.settings()
	service, _ := e.client()
	login := keystore.Login{ClientID: resolved.ClientID, ClientSecret: resolved.ClientSecret, AccessToken: resolved.Token}
	if !resolved.HasCredentials() {
		var err error
		if login, err = e.login(); err != nil {
			c.skip("There is no credential to try.")
			return
		}
	}
	e.try(ctx, c, service, resolved, login)
}

func (e *examination) try(
	ctx context.Context, c *check, service *client.Client, resolved settings.Settings, login keystore.Login,
) {
	remedy := "run: payctl auth login"
	switch {
	case resolved.Token != "":
		remedy = "set " + settings.EnvToken + " to a token that works"
		login.ClientSecret = ""
	case resolved.HasCredentials():
		remedy = "set " + settings.EnvSecret + " to the client's secret"
	}
	lasts := login.ExpiresAt.IsZero() || e.Now().Add(auth.ExpiryMargin).Before(login.ExpiresAt)
	usable := login.AccessToken != "" && lasts
	if usable {
		token, err := service.DescribeAccessToken(ctx, login.AccessToken)
		if err == nil {
			client := cmp.Or(token.ClientID, login.ClientID)
			if login.ExpiresAt.IsZero() {
				c.ok("The service accepts the token of %s, until %s.", client, payments.FormatTime(token.ExpiresAt))
				return
			}
			// The check of the credentials has the time, by this machine's clock. That of a sandbox may be far ahead.
			c.ok("The service accepts the token of %s.", client)
			return
		}
		if !isUnauthenticated(err) || login.ClientSecret == "" {
			c.rejected(err, "the token", remedy)
			return
		}
	}
	if login.ClientSecret == "" {
		c.skip("The token has expired, and there is no secret to fetch another with.")
		return
	}
	fresh, err := auth.Obtain(ctx, service, resolved.Origin, login.ClientID, login.ClientSecret, e.Now())
	if err != nil {
		c.rejected(err, "the secret of "+login.ClientID, remedy)
		return
	}
	revokeCtx, cancel := context.WithTimeout(ctx, revokeTimeout)
	defer cancel()
	_ = service.RevokeAccessToken(revokeCtx, fresh.AccessToken) // a token that is not revoked expires by itself
	if usable {
		c.warn("The service rejects the stored token, but the stored secret gets another.").Fix = "payctl auth refresh"
		return
	}
	c.ok("The service accepts the secret of %s.", login.ClientID)
}

// rejected adds why a credential could not be used.
func (c *check) rejected(err error, what, remedy string) {
	problem, isProblem := errors.AsType[*payments.ProblemError](err)
	switch {
	case !isProblem:
		c.fail(payments.KindCredential, "%s", payments.Sentence(err.Error())).remedy(remedy)
	case problem.Status == 401 || problem.Status == 403:
		c.fail(payments.KindUnauthenticated, "The service rejects %s.", what).remedy(remedy)
	case problem.Status == 404 || problem.Status == 405 || problem.Status == 501:
		c.skip("The service has no operation with which to try %s.", what)
	case problem.Status/100 == 2:
		c.fail(payments.KindUnusable, "The response to a check of %s is not one of the payments API: the base URL may be "+
			"that of something else, or a network may ask for a login of its own first.", what).Fix = "payctl profile show"
	default:
		// The text of the service is not repeated: it may contain the credential.
		reason := fmt.Sprintf(" (HTTP status %d)", problem.Status)
		if problem.Status == 0 {
			reason = ": there was no usable response"
		}
		c.fail(payments.KindUnusable, "It is not known whether the service accepts %s%s.", what, reason).
			Advice = "try again later"
	}
}

// isUnauthenticated reports whether the credentials were rejected, even if the service's problems have types of its
// own.
func isUnauthenticated(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	return ok && (problem.Kind() == payments.KindUnauthenticated || problem.Status == 401)
}
