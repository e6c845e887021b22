package main

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
)

// badgeColors are the backgrounds of the badges: names, since Redoc 3 knows no other colors.
var badgeColors = map[string]string{contract.Published: "green", contract.Assumed: "grey"}

// showOrigins makes x-origin visible on rendered pages, since no renderer shows extensions that it does not know. An
// operation gets a badge, which Redoc and Scalar show next to its name, and a last paragraph for Swagger UI, which has no
// badges. The description of a parameter or member ends with a mark if it is published; nearly all of them are assumed, and
// a mark on each would hide the few that are not.
func showOrigins(document *yaml.Node) error {
	var failure error
	visit(document, func(mapping *yaml.Node) {
		origin := get(mapping, "x-origin")
		if origin == nil {
			return
		}
		description := get(mapping, "description")
		switch {
		case description == nil:
			failure = fmt.Errorf("line %d: x-origin is shown in the description; write one", origin.Line)
		case get(mapping, "operationId") != nil:
			badge := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
			set(badge, "name", text(origin.Value))
			set(badge, "color", text(badgeColors[origin.Value]))
			set(mapping, "x-badges", list(badge))
			description.SetString(strings.TrimSpace(description.Value) + "\n\n" + operationOrigin(mapping, origin.Value) + "\n")
		case origin.Value == contract.Published:
			description.SetString(strings.TrimSpace(description.Value) + " `published`")
		}
	})
	return failure
}

// operationOrigin returns the paragraph that tells readers what the origin of an operation means.
func operationOrigin(operation *yaml.Node, origin string) string {
	if origin == contract.Assumed {
		return "`assumed` A real deployment may differ, or may not have this operation."
	}
	list := get(operation, "x-assumed")
	if list == nil {
		return "`published`"
	}
	var parts []string
	for _, part := range list.Content {
		parts = append(parts, part.Value)
	}
	return "`published` Assumed in it: " + strings.Join(parts, ", ") + "."
}
