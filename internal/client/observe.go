package client

import (
	"context"
	"errors"
	"maps"
	"strings"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// Observe makes a call for a check of the service. It returns the last response with any status, and the command line
// that repeats the call. It retries like any call, but does not record a write in the journal. The error means that no
// response was complete.
func (c *Client) Observe(
	ctx context.Context, call effect.Request,
) (response *payments.Response, curl string, err error) {
	r, err := c.operationRequest(ctx, call)
	if err != nil {
		return nil, "", err
	}
	if call.Method != "" {
		r.method, r.isWrite = call.Method, false
	}
	maps.Copy(r.header, call.Header)
	r.isAnonymous = call.Anonymous
	way, err := c.curlWay()
	if err != nil {
		return nil, "", err
	}
	curl = c.curlCommand(r, way)
	result := c.sendWithRetries(ctx, r)
	if result.response == nil {
		return nil, curl, result.err
	}
	return result.response, curl, nil
}

// documentPlaces are the usual paths of OpenAPI documents, below a URL. The first is the URL itself.
var documentPlaces = []string{
	"", contract.GetOpenAPIDocumentJSON.Path, contract.GetOpenAPIDocumentYAML.Path, "/swagger.json", "/v3/api-docs",
	"/swagger/v1/swagger.json",
}

// Document looks for the OpenAPI document of the service, at a path or at the usual places below it. It is nil if there
// is none. The error means that the service failed or did not answer, or that reading takes too long.
func (c *Client) Document(ctx context.Context, below string) (document *diff.Document, at string, err error) {
	for _, place := range documentPlaces {
		at := below + place
		if at == "" || place != "" && strings.Contains(below, "?") {
			continue
		}
		response, err := c.Get(ctx, at)
		problem, isProblem := errors.AsType[*payments.ProblemError](err)
		switch {
		case err == nil:
			reading, cancel := context.WithTimeout(ctx, c.config.Timeout)
			document, err := diff.Parse(reading, response.Body)
			late := reading.Err()
			cancel()
			switch {
			case err == nil:
				return document, at, nil
			case late != nil:
				return nil, "", payments.NewLocalProblem(payments.ProblemTimeout, err, "The document was not read in time.",
					"The document at %s takes longer to read than %s.", at, c.config.Timeout)
			}
		case !isProblem || problem.Status < 300 || problem.Status >= 500:
			return nil, "", err
		}
	}
	return nil, "", nil
}
