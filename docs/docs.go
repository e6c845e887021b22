// Package docs has the pages that the program prints.
package docs

import _ "embed" // of the pages

// Agents is the page for programs and assistants.
//
//go:embed AGENTS.md
var Agents string
