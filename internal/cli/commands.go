package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/accounts"
	"github.com/payctl/payctl/internal/cli/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/contacts"
	"github.com/payctl/payctl/internal/cli/contract"
	"github.com/payctl/payctl/internal/cli/events"
	"github.com/payctl/payctl/internal/cli/kyc"
	"github.com/payctl/payctl/internal/cli/sandbox"
	"github.com/payctl/payctl/internal/cli/transfer"
)

// The groups of nouns in the help.
const paymentsGroup, setupGroup = "payments", "setup"

// A noun is a command below the root.
type noun struct {
	name, alias, group string
	isLocal            bool // it makes no call to the service
	make               func(*Deps) *cobra.Command
}

// nouns are the commands below the root, apart from help and its topics.
var nouns = []noun{
	{"auth", "", paymentsGroup, false, func(d *Deps) *cobra.Command { return auth.New(&d.Auth) }},
	{"accounts", "account", paymentsGroup, false, common(accounts.New)},
	{"kyc", "", paymentsGroup, false, common(kyc.New)},
	{"contacts", "contact", paymentsGroup, false, common(contacts.New)},
	{"routes", "route", paymentsGroup, false, common(newRoutes)},
	{"transfer", "transfers", paymentsGroup, false, common(transfer.New)},
	{"events", "event", paymentsGroup, false, common(events.New)},
	{"listen", "", paymentsGroup, false, common(events.NewListen)},
	{"webhooks", "webhook", paymentsGroup, true, common(events.NewWebhooks)},
	{"api", "", paymentsGroup, false, common(newAPI)},
	{"profile", "profiles", setupGroup, true, common(newProfile)},
	{serveName, "", setupGroup, true, func(d *Deps) *cobra.Command { return d.Serve() }},
	{"sandbox", "", setupGroup, false, common(sandbox.New)},
	{"contract", "", setupGroup, false, common(contract.New)},
	{"doctor", "", setupGroup, false, func(d *Deps) *cobra.Command { return newDoctor(d.Deps, d.Examine) }},
	{"ping", "", setupGroup, false, common(newPing)},
	{"version", "", setupGroup, true, newVersion},
	{"completion", "", setupGroup, true, func(*Deps) *cobra.Command { return newCompletion() }},
}

// verbs are the short names that people know from other programs.
var verbs = map[string]string{
	"list": "ls", "create": "new", "delete": "rm", "remove": "rm", "get": "show", "show": "get",
}

// common makes a noun that needs only what all are given.
func common(of func(*cmdutil.Deps) *cobra.Command) func(*Deps) *cobra.Command {
	return func(d *Deps) *cobra.Command { return of(d.Deps) }
}

// addCommands adds the noun that the line begins with, which needs no command of another one, or else all commands: to
// make these takes longer than everything else that the program does before its work.
func addCommands(root *cobra.Command, d *Deps) {
	root.AddGroup(&cobra.Group{ID: paymentsGroup, Title: "Payments:"}, &cobra.Group{ID: setupGroup, Title: "Setup:"})
	root.SetHelpCommandGroupID(setupGroup)
	if len(d.Args) > 0 {
		if i := slices.IndexFunc(nouns, func(n noun) bool { return n.name == d.Args[0] }); i >= 0 {
			nouns[i].addTo(root, d)
			return
		}
	}
	for _, noun := range nouns {
		noun.addTo(root, d)
	}
	addTopics(root)
	root.InitDefaultHelpCmd() // which is ours
}

func (n noun) addTo(root *cobra.Command, d *Deps) {
	cmd := n.make(d)
	cmd.GroupID = n.group
	if n.alias != "" {
		cmd.Aliases = append(cmd.Aliases, n.alias)
	}
	if n.isLocal {
		cmdutil.Local(cmd)
	}
	for _, below := range append(cmd.Commands(), cmd) {
		if below.Args == nil {
			below.Args = cmdutil.Args
		}
		if alias := verbs[below.Name()]; alias != "" {
			below.Aliases = append(below.Aliases, alias)
		}
	}
	root.AddCommand(cmd)
}

// Deps are what the command line is made of: what all commands are given, and what single ones are given besides.
type Deps struct {
	*cmdutil.Deps
	Auth    auth.Deps
	Examine Examine
	// Serve makes the command that runs the reference service.
	Serve func() *cobra.Command
}
