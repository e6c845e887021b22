package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/payctl/payctl/internal/contract"
)

// A route is the method and the path template at which the service has an operation.
type route struct{ method, path string }

// parseMappings reads Config.Operations.
func parseMappings(operations map[string]string) (map[string]route, error) {
	routes := make(map[string]route, len(operations))
	for id, text := range operations {
		if err := CheckOperation(id, text); err != nil {
			return nil, invalidSettings("The operation %s cannot be mapped to %q: %v.", id, text, err)
		}
		method, path, _ := strings.Cut(text, " ")
		routes[id] = route{method, path}
	}
	return routes, nil
}

// CheckOperation returns why an operation cannot be mapped to a "METHOD /path"; nil if it can. Only assumed operations
// can be mapped: a service has its published operations where it says.
func CheckOperation(id, text string) error {
	op := contract.Find(id)
	switch {
	case op == nil:
		return fmt.Errorf("there is no operation %s; payctl help operations lists those that can be mapped", id)
	case op.Origin != contract.Assumed:
		return fmt.Errorf("%s is published: the service promises it at %s %s, and a mapping could only lead a change astray",
			id, op.Method, op.Path)
	}
	method, path, _ := strings.Cut(text, " ")
	switch {
	case !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE"}, method):
		return errors.New("it does not begin with GET, POST, PUT, PATCH or DELETE")
	case method == "GET" && !isRead(op):
		return errors.New("it changes something, which GET must not")
	case !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?# \t\r\n"):
		return errors.New("the path must begin with a slash and have no query, fragment or space")
	case strings.Count(path, "{") != strings.Count(op.Path, "{"), strings.Count(path, "}") != strings.Count(op.Path, "}"):
		return errors.New("the path must have as many {parameters} as " + op.Path)
	}
	return nil
}

// route returns where the service has an operation.
func (c *Client) route(op *contract.Operation) route {
	if r, ok := c.routes[op.ID]; ok {
		return r
	}
	return route{op.Method, op.Path}
}

// isRead reports whether an operation changes nothing; its method does not decide that: route selection is a PATCH that
// only reads.
func isRead(op *contract.Operation) bool {
	return op.Method == "GET" || op.ID == contract.SelectRoutes.ID
}
