package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/ui"
)

// newHelp returns `payctl help`: the help of a command, else of a topic, else the commands whose help has a word.
func newHelp(d *cmdutil.Deps) *cobra.Command {
	return cmdutil.Local(&cobra.Command{
		Use:   "help [COMMAND | TOPIC | WORD]",
		Short: "Explain a command or a topic, or find the commands whose help has a word",
		Long: `Explain a command or a topic, or find the commands whose help has a word. With -o json or yaml, and with
--jq, print the commands with their flags and defaults, and the exit codes, for programs.`,
		Example: `  payctl help transfer auto
  payctl help iban
  payctl help -o json | jq -r '.commands[].name'`,
		RunE: func(cmd *cobra.Command, args []string) error {
			printer, err := d.PrinterAnyway(cmd.Context())
			if err != nil {
				return err
			}
			found, rest, err := cmd.Root().Find(args)
			commands := commandsWith(found, "")
			switch {
			case err != nil:
				return err
			case len(rest) == 0 && printer.Format() == ui.FormatTable && d.Options.JQ == "":
				return found.Help()
			case len(args) == 1 && len(rest) == 1:
				commands = commandsWith(found, rest[0])
			}
			if len(rest) > 0 && (len(args) > 1 || len(commands) == 0) {
				return found.ValidateArgs(rest)
			}
			if format := printer.Format(); format == ui.FormatTable || format == ui.FormatCSV {
				return commandTable.Print(printer, commands, "")
			}
			return printer.Print(explain(found), nil)
		},
	})
}

var commandTable = resource.Table[*cobra.Command]{
	{Column: ui.Column{Header: "Command"}, Cell: func(c *cobra.Command) ui.Cell { return ui.Text(c.CommandPath()) }},
	{Column: ui.Column{Header: "About"}, Cell: func(c *cobra.Command) ui.Cell { return ui.Text(c.Short) }},
}

// commandsWith returns the commands below another one whose own help has a word, in any letter case.
func commandsWith(cmd *cobra.Command, word string) (found []*cobra.Command) {
	for _, c := range cmd.Commands() {
		text := strings.Join([]string{c.UseLine(), c.Short, c.Long, c.Example, c.LocalFlags().FlagUsages()}, "\n")
		if c.Runnable() && !c.HasSubCommands() && strings.Contains(strings.ToLower(text), strings.ToLower(word)) {
			found = append(found, c)
		}
		found = append(found, commandsWith(c, word)...)
	}
	return found
}

// An explanation is a command as programs are told of it.
type explanation struct {
	Name     string        `json:"name"`
	Path     string        `json:"path"`
	Usage    string        `json:"usage"`
	Short    string        `json:"short"`
	Long     string        `json:"long,omitempty"`
	Effect   string        `json:"effect,omitempty"` // read, write, or money; empty for a noun
	Aliases  []string      `json:"aliases,omitempty"`
	Examples string        `json:"examples,omitempty"`
	Flags    []flagTold    `json:"flags,omitempty"`
	Commands []explanation `json:"commands,omitempty"`
	// Of the program alone.
	GlobalFlags []flagTold `json:"globalFlags,omitempty"`
	ExitCodes   []ExitCode `json:"exitCodes,omitempty"`
}

type flagTold struct {
	Name    string `json:"name"`
	Letter  string `json:"letter,omitempty"`
	Value   string `json:"value,omitempty"` // the name of its value; empty if it takes none
	Default string `json:"default,omitempty"`
	About   string `json:"about"`
}

func explain(cmd *cobra.Command) explanation {
	e := explanation{
		Name: cmd.Name(), Path: cmd.CommandPath(), Usage: cmd.UseLine(), Short: cmd.Short, Long: cmd.Long,
		Aliases:  cmd.Aliases,
		Examples: cmd.Example,
	}
	if !cmd.HasSubCommands() {
		e.Effect = commandEffect(cmd.CommandPath())
	}
	for _, f := range ownFlags(cmd) {
		e.Flags = append(e.Flags, tell(f))
	}
	for _, c := range cmd.Commands() {
		if c.Runnable() {
			e.Commands = append(e.Commands, explain(c))
		}
	}
	if !cmd.HasParent() {
		cmd.PersistentFlags().VisitAll(func(f *pflag.Flag) { e.GlobalFlags = append(e.GlobalFlags, tell(f)) })
		e.ExitCodes = ExitCodes()
	}
	return e
}

// commandEffect is what a command may do: read changes nothing, write something at the service or here, and money may
// send money.
func commandEffect(path string) string {
	words := strings.Fields(path)
	switch path = strings.Join(words[1:], " "); {
	case slices.Contains([]string{"transfer auto", "transfer batch", "transfer resolve", "api", "contract verify"}, path):
		return "money"
	case path == "webhooks verify", slices.Contains([]string{
		"adopt", "completion", "diff", "doctor", "get", "help", "list", "ping", "report", "requests", "show", "status", "tail", "token",
		"version", "watch",
	}, words[len(words)-1]):
		return "read"
	}
	return "write"
}

func tell(f *pflag.Flag) flagTold {
	value, about := pflag.UnquoteUsage(f)
	if f.Value.Type() == "bool" {
		value = ""
	}
	return flagTold{f.Name, f.Shorthand, value, strings.Trim(f.DefValue, "[]"), about}
}
