package cli

import (
	"slices"

	"github.com/spf13/cobra"
)

// otherNumber has the singular or plural of the nouns, which are accepted in both.
var otherNumber = map[string]string{
	"accounts": "account", "contacts": "contact", "routes": "route", "events": "event",
	"transfer": "transfers", "profile": "profiles",
	"faults": "fault", "requests": "request", "snapshot": "snapshots", // of sandbox
	"environment": "env", "exit-codes": "exit-code", "operations": "operation", "flags": "flag", // help topics
}

// synonyms are the verbs that mean the same. Of each line, a noun's first one that it has is found by the others too,
// unless the noun has these itself.
var synonyms = [][]string{
	{"list", "ls"},
	{"create", "add", "new"},
	{"show", "get", "view", "describe"},
	{"update", "edit"},
	{"delete", "remove", "rm"},
}

// addAliases lets a command be found in singular and plural, and the commands below it also by their synonyms.
func addAliases(cmd *cobra.Command) {
	if other := otherNumber[cmd.Name()]; other != "" {
		cmd.Aliases = append(cmd.Aliases, other)
	}
	below := cmd.Commands()
	for _, words := range synonyms {
		for _, word := range words {
			if i := slices.IndexFunc(below, func(c *cobra.Command) bool { return c.Name() == word }); i >= 0 {
				below[i].Aliases = append(below[i].Aliases, otherWords(cmd, words)...)
				break
			}
		}
	}
	for _, child := range below {
		addAliases(child)
	}
}

// otherWords returns the words that no command below this one has.
func otherWords(cmd *cobra.Command, words []string) []string {
	var free []string
	for _, word := range words {
		if child(cmd, word) == nil {
			free = append(free, word)
		}
	}
	return free
}

// child returns the command below another one that has a name or alias, or nil.
func child(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}
