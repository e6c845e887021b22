package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/accounts"
	"github.com/payctl/payctl/internal/cli/api"
	"github.com/payctl/payctl/internal/cli/auth"
	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/completion"
	"github.com/payctl/payctl/internal/cli/contacts"
	"github.com/payctl/payctl/internal/cli/contract"
	"github.com/payctl/payctl/internal/cli/doctor"
	"github.com/payctl/payctl/internal/cli/events"
	"github.com/payctl/payctl/internal/cli/kyc"
	"github.com/payctl/payctl/internal/cli/ping"
	"github.com/payctl/payctl/internal/cli/profile"
	"github.com/payctl/payctl/internal/cli/routes"
	"github.com/payctl/payctl/internal/cli/sandbox"
	"github.com/payctl/payctl/internal/cli/transfer"
)

// The groups of nouns in the help.
const paymentsGroup, setupGroup = "flow", "setup"

// A noun is a command below the root.
type noun struct {
	name, group string
	isLocal     bool // it makes no call to the service
	make        func(*Deps) *cobra.Command
	meantBy     string // words that people type who look for it
}

// nouns are the commands below the root, apart from help, completion and the help topics.
var nouns = []noun{
	{"auth", paymentsGroup, false, func(d *Deps) *cobra.Command { return auth.New(&d.Auth) }, "login logout signin whoami credentials"},
	{"accounts", paymentsGroup, false, common(accounts.New), "users customers"},
	{"kyc", paymentsGroup, false, common(kyc.New), "verify verification"},
	{"contacts", paymentsGroup, false, common(contacts.New), "beneficiaries recipients payees"},
	{"routes", paymentsGroup, false, common(routes.New), "quote quotes rates fees"},
	{"transfer", paymentsGroup, false, common(transfer.New), "pay send payments payouts balance"},
	{"events", paymentsGroup, false, common(events.New), "logs"},
	{"listen", paymentsGroup, false, common(events.NewListen), "forward"},
	{"webhooks", paymentsGroup, true, common(events.NewWebhooks), ""},
	{"api", paymentsGroup, false, func(d *Deps) *cobra.Command { return api.New(&d.API) }, "curl request get post"},
	{"profile", setupGroup, true, common(profile.New), "config configure init setup"},
	{serveName, setupGroup, true, func(d *Deps) *cobra.Command { return d.Serve() }, "start server run mock"},
	{"sandbox", setupGroup, false, common(sandbox.New), ""},
	{"contract", setupGroup, false, func(d *Deps) *cobra.Command { return contract.New(&d.Contract) }, "openapi swagger schema spec conformance adopt verify"},
	{"doctor", setupGroup, false, func(d *Deps) *cobra.Command { return doctor.New(d.Deps, d.Examine) }, "check health test"},
	{"ping", setupGroup, false, func(d *Deps) *cobra.Command { return ping.New(&d.Ping) }, ""},
	{"version", "", true, newVersion, "upgrade"},
	{"completion", "", true, func(*Deps) *cobra.Command { return completion.NewScript() }, "autocomplete"},
}

// common makes a noun that needs only what all are given.
func common(of func(*cmdutil.Deps) *cobra.Command) func(*Deps) *cobra.Command {
	return func(d *Deps) *cobra.Command { return of(d.Deps) }
}

// A commandTree makes the commands below the root. Most lines begin with a noun, and need no command of another one.
// To make all commands takes longer than everything else that the program does before its work. So a tree begins with
// one noun, and a function that looks at the others, such as one that explains an error, calls complete first.
type commandTree struct {
	root       *cobra.Command
	deps       *Deps
	topics     []helpTopic
	isComplete bool
}

// grow adds the noun that a line begins with, or all commands if it begins with no noun.
func (t *commandTree) grow(args []string) {
	if len(args) == 0 || !t.addNoun(args[0]) {
		t.complete()
	}
}

// addNoun adds a noun, and reports whether there is one of this name.
func (t *commandTree) addNoun(name string) bool {
	for _, noun := range nouns {
		if noun.name != name {
			continue
		}
		cmd := noun.make(t.deps)
		cmd.GroupID = noun.group
		cmd.SuggestFor = strings.Fields(noun.meantBy)
		if noun.isLocal {
			cmdutil.Local(cmd)
		}
		t.add(cmd)
		return true
	}
	return false
}

func (t *commandTree) add(cmd *cobra.Command) {
	t.checkArgs(cmd)
	addAliases(cmd)
	t.root.AddCommand(cmd)
}

// complete adds the commands that are missing.
func (t *commandTree) complete() {
	if t.isComplete {
		return
	}
	t.isComplete = true
	for _, noun := range nouns {
		if child(t.root, noun.name) == nil {
			t.addNoun(noun.name)
		}
	}
	for _, topic := range t.topics {
		t.add(&cobra.Command{Use: topic.name, Short: topic.short})
	}
	t.root.InitDefaultHelpCmd() // which is ours
}

// topicOf returns the help topic that a command stands for, or nil.
func (t *commandTree) topicOf(cmd *cobra.Command) *helpTopic {
	i := slices.IndexFunc(t.topics, func(topic helpTopic) bool { return topic.name == cmd.Name() })
	if i < 0 || cmd.Parent() != t.root {
		return nil
	}
	return &t.topics[i]
}
