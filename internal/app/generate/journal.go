package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// journalPage writes the table of docs/JOURNAL.md that shows what becomes of an entry. It stands between two comments.
func journalPage(*cobra.Command) error {
	const path = "docs/JOURNAL.md"
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	page := string(text)
	for _, table := range []struct{ name, text string }{{"outcomes", outcomes()}} {
		begin, end := "<!-- generated: "+table.name+" -->\n", "<!-- end of "+table.name+" -->"
		before, rest, begins := strings.Cut(page, begin)
		_, after, ends := strings.Cut(rest, end)
		if !begins || !ends {
			return fmt.Errorf("%s has no place for the %s", path, table.name)
		}
		page = before + begin + table.text + end + after
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// outcomes has a row for each outcome and a line in it for each outcome that may follow.
func outcomes() string {
	var b strings.Builder
	b.WriteString("| outcome | what happens | then |\n| --- | --- | --- |\n")
	name := func(o journal.Outcome) string {
		if o == "" {
			return "no entry"
		}
		return "`" + string(o) + "`"
	}
	last := ""
	for _, t := range journal.Transitions {
		if t.From == t.To {
			continue
		}
		from := name(t.From)
		if from == last {
			from = ""
		} else {
			last = from
		}
		event := string(t.Event)
		if t.Owner {
			event += " (for the program that claimed it last)"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", from, event, name(t.To))
	}
	return b.String()
}
