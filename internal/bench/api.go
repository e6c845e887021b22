package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// An api is a logged-in client of the service under load.
type api struct {
	url, token string
}

func newAPI(ctx context.Context, s *server) (*api, error) {
	a := &api{url: s.url()}
	answer, err := a.call(ctx, http.MethodPost, "/identity/auth/tokens/current/v1", "")
	if err != nil {
		return nil, err
	}
	if a.token, err = member(answer, "access_token"); err != nil {
		return nil, err
	}
	return a, nil
}

// maxAnswer is the most bytes of an answer that are read.
const maxAnswer = 1 << 20

// call sends one request and decodes its answer, which must be a success.
func (a *api) call(ctx context.Context, method, path, body string) (map[string]any, error) {
	request, err := http.NewRequestWithContext(ctx, method, a.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if a.token == "" {
		request.SetBasicAuth("bench", "bench")
	} else {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var decoded map[string]any
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer)).Decode(&decoded); err != nil {
		return nil, err
	}
	if answer.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s: %d %v", method, path, answer.StatusCode, decoded)
	}
	return decoded, nil
}

// approvedContact makes an account, waits for its approval, and gives it a contact.
func (a *api) approvedContact(ctx context.Context) (string, error) {
	account, err := a.call(ctx, http.MethodPost, "/accounts/v1",
		`{"type":"individual","firstName":"Ada","lastName":"Lovelace","email":"ada@example.com","country":"GB"}`)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for {
		kyc, err := a.call(ctx, http.MethodGet, fmt.Sprintf("/accounts/%s/kyc/v1", account["id"]), "")
		if err != nil {
			return "", err
		}
		if kyc["status"] == "approved" {
			break
		}
	}
	contact, err := a.call(ctx, http.MethodPost, "/contacts/saved/v1",
		`{"label":"Ada","holderName":"Ada","holderType":"individual","paymentRail":"sepa","currency":"EUR","iban":"DE89370400440532013000"}`)
	if err != nil {
		return "", err
	}
	return member(contact, "id")
}

// member is a text in an answer.
func member(answer map[string]any, name string) (string, error) {
	text, ok := answer[name].(string)
	if !ok {
		return "", errors.New("the answer has no " + name)
	}
	return text, nil
}
