package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/payctl/payctl/internal/cli"
)

// manual writes a man page for each command. That of the program also has the exit codes, the variables and the files.
func manual(root *cobra.Command, dir string) error {
	if err := makeEmpty(dir); err != nil {
		return err
	}
	var codes strings.Builder
	for _, row := range cli.ExitCodes() {
		fmt.Fprintf(&codes, "**%d**\n: %s\n\n", row.Code, row.Meaning)
	}
	long := root.Long
	defer func() { root.Long = long }()
	root.Long += "\n\n# EXIT STATUS\n\n" + codes.String() + "# FILES\n\n" + files
	if topic, _, err := root.Find([]string{"environment"}); err == nil {
		root.Long += "\n\n# ENVIRONMENT\n\n" + topic.Long
	}
	undated := time.Time{} // that of the day would make each build another one
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Date: &undated, Manual: root.Name()}, dir)
}

// files is what payctl keeps on Linux.
const files = `~/.config/payctl/config.yaml
: the profiles: which service, and how to call it

~/.local/state/payctl/journal.db
: the journal, in which each write is recorded before it is sent

~/.local/state/payctl/credentials.json
: logins, with --credential-store file

The variables PAYCTL_CONFIG_DIR and PAYCTL_STATE_DIR name other folders.`
