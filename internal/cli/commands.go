package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/accounts"
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
	isLocal            bool                               // it makes no call to the service
	make               func(*cmdutil.Deps) *cobra.Command // nil means that the caller of New makes it
}

// nouns are the commands below the root, apart from help and its topics.
var nouns = []noun{
	{"auth", "", paymentsGroup, false, nil},
	{"accounts", "account", paymentsGroup, false, accounts.New},
	{"kyc", "", paymentsGroup, false, kyc.New},
	{"contacts", "contact", paymentsGroup, false, contacts.New},
	{"routes", "route", paymentsGroup, false, newRoutes},
	{"transfer", "transfers", paymentsGroup, false, transfer.New},
	{"events", "event", paymentsGroup, false, events.New},
	{"listen", "", paymentsGroup, false, events.NewListen},
	{"webhooks", "webhook", paymentsGroup, true, events.NewWebhooks},
	{"api", "", paymentsGroup, false, newAPI},
	{"profile", "profiles", setupGroup, true, newProfile},
	{serveName, "", setupGroup, true, nil},
	{"sandbox", "", setupGroup, false, sandbox.New},
	{"contract", "", setupGroup, false, contract.New},
	{"doctor", "", setupGroup, false, nil},
	{"ping", "", setupGroup, false, newPing},
	{"version", "", setupGroup, true, newVersion},
	{"completion", "", setupGroup, true, newCompletion},
}

// verbs are the short names that people know from other programs.
var verbs = map[string]string{
	"list": "ls", "create": "new", "delete": "rm", "remove": "rm", "get": "show", "show": "get",
}

// addCommands adds only the noun that the line begins with, or all commands if there is none. To make all takes longer
// than everything else before the work of the program.
func addCommands(root *cobra.Command, d *cmdutil.Deps, own map[string]func() *cobra.Command) {
	root.AddGroup(&cobra.Group{ID: paymentsGroup, Title: "Payments:"}, &cobra.Group{ID: setupGroup, Title: "Setup:"})
	root.SetHelpCommandGroupID(setupGroup)
	if len(d.Args) > 0 {
		if i := slices.IndexFunc(nouns, func(n noun) bool { return n.name == d.Args[0] }); i >= 0 {
			nouns[i].addTo(root, d, own)
			return
		}
	}
	for _, noun := range nouns {
		noun.addTo(root, d, own)
	}
	addTopics(root)
	root.InitDefaultHelpCmd() // which is ours
}

func (n noun) addTo(root *cobra.Command, d *cmdutil.Deps, own map[string]func() *cobra.Command) {
	var cmd *cobra.Command
	if make, isOwn := own[n.name]; isOwn {
		cmd = make()
	} else {
		cmd = n.make(d)
	}
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
