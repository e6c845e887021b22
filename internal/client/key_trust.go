package client

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
)

// HonoursKeys reports whether payctl relies on the service to honour idempotency keys. A reference service that names
// its world honours them. One that names none imitates a service that does not. The settings decide for any other
// service.
//
// With ask, a service that is not known yet is asked first whether it is a reference service. The result is false if it
// cannot be asked.
func (c *Client) HonoursKeys(ctx context.Context, ask bool) bool {
	if ask && c.config.KeysPresumed && c.World() == "" && !c.hidesWorld.Load() {
		// Any response will do: other services need not have the operation.
		r, err := c.requestTo(http.MethodGet, contract.DescribeAccessToken.Path, nil) // where a reference service has it
		if err != nil {
			return false
		}
		response := c.sendWithRetries(ctx, r).response
		if c.World() == "" && (response == nil || isReferenceService(response.Header)) {
			return false
		}
	}
	return c.World() != "" || c.config.KeysHonoured && !c.hidesWorld.Load()
}

// KeepsReferencesUnique reports whether the service's own OpenAPI document declares that references are unique. The
// extension x-unique-members of creating a transfer then names the member.
func (c *Client) KeepsReferencesUnique(ctx context.Context) bool {
	response, err := c.call(ctx, operationCall{op: &contract.GetOpenAPIDocumentJSON}, nil)
	if err != nil {
		return false
	}
	var document struct {
		Paths map[string]map[string]jsontext.Value `json:"paths"`
	}
	if json.Unmarshal(response.Body, &document) != nil {
		return false
	}
	at, _ := c.config.ServiceMap.Route(&contract.CreateAutoTransfer)
	var operation struct {
		UniqueMembers []string `json:"x-unique-members"`
	}
	text := document.Paths[at.Path][strings.ToLower(at.Method)]
	return json.Unmarshal(text, &operation) == nil && slices.Contains(operation.UniqueMembers, "reference")
}

// noteService remembers what a response shows about the service.
func (c *Client) noteService(header http.Header, status int, authorization string) {
	world := header.Get("Payctl-World")
	remember(&c.world, world)
	remember(&c.server, header.Get("Server"))
	accepted := strings.HasPrefix(authorization, bearer) && status < http.StatusMultipleChoices
	if date, err := http.ParseTime(header.Get("Date")); err == nil && accepted && c.config.Dated != nil {
		c.config.Dated(date)
	}
	if world == "" && accepted && isReferenceService(header) {
		c.hidesWorld.Store(true)
	}
}

// isReferenceService reports whether a reference service answered.
func isReferenceService(header http.Header) bool {
	return strings.HasPrefix(header.Get("Server"), "payctl/")
}
