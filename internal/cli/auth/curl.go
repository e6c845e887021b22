package auth

import (
	"context"

	"github.com/payctl/payctl/internal/cli/deps"
	"github.com/payctl/payctl/internal/payments"
)

// placeholder stands for a credential that --curl shows as a variable, so that none is looked up or asked for.
const placeholder = "placeholder"

// showExchange shows the call that exchanges a client's id and secret for a token.
func showExchange(ctx context.Context, d *deps.Deps) error {
	return showTokenCall(d, func(tokens payments.Tokens) error {
		_, err := tokens.CreateAccessToken(ctx, placeholder, placeholder, payments.AccessTokenRequest{})
		return err
	})
}

func showTokenCall(d *deps.Deps, call func(payments.Tokens) error) error {
	tokens, err := d.Tokens()
	if err != nil {
		return err
	}
	return call(tokens)
}
