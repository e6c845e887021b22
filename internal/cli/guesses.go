package cli

import (
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/shell"
)

// A guess is what users look for under a name that payctl does not have.
type guess struct {
	why  string   // a sentence without its full stop; empty: the next step says it all
	next []string // commands that work
}

// of returns the error with the guess.
func (g guess) of(err *cmdutil.Error) *cmdutil.Error {
	if g.why != "" {
		err.Detail += ". " + g.why
	}
	err.Next = g.next
	return err
}

// guessKey is the key of a guess: a wrong command, argument or flag behind the command that does not take it.
func guessKey(cmd *cobra.Command, word string) string {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	return strings.TrimLeft(path+" "+strings.ToLower(word), " ")
}

// guesses returns the table of guesses by their keys. Arg is the word behind the wrong one, or empty.
func guesses(arg string) map[string]guess {
	const (
		create   = "payctl transfer create --contact CONTACT --route ROUTE --amount AMOUNT --reference TEXT"
		dryRun   = create + " --dry-run"
		unfunded = "payctl transfer list --state awaiting_funds"
		reviewed = "The service decides identity checks; a reference service does as it is told"
		noSecret = "A secret is never an argument, since other users of the machine can read arguments"
	)
	var (
		send      = guess{"", []string{create, "payctl contacts list", "payctl routes list"}}
		quote     = guess{"What a transfer costs is in the terms of its route", []string{"payctl routes list", dryRun}}
		newKYC    = guess{"The identity check of an account starts when the account is created", []string{"payctl accounts create --help"}}
		getKYC    = guess{"", []string{shell.Hint("payctl kyc get -- ACCOUNT", shell.Values{"ACCOUNT": arg})}}
		watchKYC  = guess{"", []string{shell.Hint("payctl kyc watch -- ACCOUNT", shell.Values{"ACCOUNT": arg})}}
		watchAll  = guess{"", []string{"payctl kyc watch --all"}}
		submit    = guess{"", []string{shell.Hint("payctl kyc submit --file NAME=PATH -- ACCOUNT", shell.Values{"ACCOUNT": arg}), shell.Hint("payctl kyc get -- ACCOUNT   (shows the names)", shell.Values{"ACCOUNT": arg})}}
		approve   = guess{reviewed, []string{shell.Hint("payctl sandbox kyc -- ACCOUNT approved", shell.Values{"ACCOUNT": arg})}}
		reject    = guess{reviewed, []string{shell.Hint("payctl sandbox kyc -- ACCOUNT rejected", shell.Values{"ACCOUNT": arg})}}
		get       = guess{"", []string{shell.Hint("payctl transfer get -- TRANSFER", shell.Values{"TRANSFER": arg})}}
		watch     = guess{"", []string{shell.Hint("payctl transfer watch -- TRANSFER", shell.Values{"TRANSFER": arg})}}
		follows   = guess{"It follows by itself until each transfer has a state of --until", watch.next}
		deposit   = guess{"A transfer goes on by itself when its deposit arrives; at a reference service you can make it", []string{shell.Hint("payctl sandbox deposit -- TRANSFER AMOUNT", shell.Values{"TRANSFER": arg})}}
		cancel    = guess{"A transfer that still awaits its funds can be cancelled, and no other", []string{shell.Hint("payctl transfer cancel -- TRANSFER", shell.Values{"TRANSFER": arg})}}
		refund    = guess{"payctl cannot take back a payment: a bank returns it, or the service refunds it", append(get.next, cancel.next...)}
		resend    = guess{"", []string{"payctl transfer resolve   (finds out what became of writes)"}}
		batch     = guess{"", []string{"payctl transfer batch FILE --dry-run"}}
		tail      = guess{"", []string{"payctl events tail"}}
		login     = guess{"", []string{"payctl auth login"}}
		logout    = guess{"", []string{"payctl auth logout"}}
		whoami    = guess{"", []string{"payctl auth status"}}
		serve     = guess{"", []string{"payctl serve"}}
		stop      = guess{"payctl serve ends with Ctrl-C, or when the command behind -- has ended", []string{"payctl serve --help"}}
		setUp     = guess{"", []string{"payctl profile set PROFILE base_url URL", "payctl auth login", "payctl serve   (a service on this machine, to try it)"}}
		use       = guess{"", []string{shell.Hint("payctl profile use -- PROFILE", shell.Values{"PROFILE": arg}), "payctl profile list"}}
		settings  = guess{"", []string{shell.Hint("payctl profile set -- PROFILE base_url URL", shell.Values{"PROFILE": arg})}}
		person    = guess{"", []string{"payctl accounts list"}}
		payee     = guess{"Those who receive money are saved contacts", []string{"payctl contacts list"}}
		check     = guess{"", []string{"payctl doctor"}}
		requests  = guess{"", []string{"payctl sandbox requests list"}}
		build     = guess{"payctl does not replace itself: install it again as you did at first", []string{"payctl version   (which build this is)"}}
		call      = guess{"", []string{"payctl api --help"}}
		statKYC   = guess{"", []string{"payctl kyc stats"}}
		statAll   = guess{"", []string{"payctl kyc stats", "payctl transfer report"}}
		topics    = guess{"", []string{"payctl help"}}
		noDelete  = guess{"An account cannot be deleted", []string{shell.Hint("payctl accounts get -- ACCOUNT", shell.Values{"ACCOUNT": arg})}}
		noChange  = guess{"A transfer cannot be changed. One that still awaits its funds can be cancelled, and created anew", cancel.next}
		noBalance = guess{"There is no balance: each transfer has a deposit of its own", []string{unfunded}}
		noWebhook = guess{"There are no webhooks: payctl follows the event feed, and runs a program for each change with --exec", []string{"payctl events tail", "payctl transfer watch --all --exec COMMAND"}}
		service   = guess{"A profile says which service is meant", []string{"payctl profile list", "payctl accounts list -p PROFILE"}}
		byRoute   = guess{"The route names the currencies and rails of both sides", []string{"payctl routes list", create}}
		byContact = guess{"A transfer goes to a saved contact", []string{"payctl contacts create --help", create}}
		manual    = guess{"", []string{"payctl sandbox clock set manual"}}
	)
	return map[string]guess{
		"login": login, "signin": login, "auth create": login, "auth add": login, "auth new": login, "auth set": login,
		"logout": logout, "signout": logout, "auth revoke": logout, "auth delete": logout, "auth rm": logout,
		"whoami": whoami, "me": whoami, "status": whoami, "credentials": whoami, "auth whoami": whoami, "auth show": whoami,
		"auth list": whoami, "auth ls": whoami, "auth get": whoami,
		"auth switch": use, "auth use": use, "switch": use, "profile switch": use, "profile select": use,
		"init": setUp, "setup": setUp, "configure": setUp, "profile init": setUp,
		"profile create": settings, "profile new": settings, "profile add": settings,
		"profile current": {"", []string{"payctl profile show"}},
		"upgrade":         build, "update": build, "self-update": build, "install": build,
		"health": check, "check": check, "test": check, "doctor fix": {"doctor changes nothing: it prints the command that fixes each problem", check.next},
		"man": topics, "manual": topics, "docs": topics, "topics": topics,
		"completion install": {"", []string{"payctl completion bash --help"}},

		"start": serve, "run": serve, "server": serve, "mock": serve, "daemon": serve, "serve start": serve, "serve run": serve,
		"sandbox start": serve, "sandbox run": serve, "sandbox serve": serve, "sandbox create": serve, "sandbox new": serve,
		"stop": stop, "serve stop": stop, "sandbox stop": stop,
		"serve --port":            {"", []string{shell.Hint("payctl serve --addr 127.0.0.1:PORT", shell.Values{"127.0.0.1:PORT": portAddress(arg)})}},
		"serve backup --database": {"PostgreSQL's own programs make backups of a database, such as pg_dump", []string{"payctl serve backup --help"}},
		"serve --db":              {"", []string{"payctl serve --data FOLDER   (a folder of this machine)", "payctl serve --database URL   (PostgreSQL)"}},
		"post":                    call, "put": call, "patch": call, "request": call, "curl": call, "http": call,

		"user": person, "users": person, "customer": person, "customers": person,
		"beneficiary": payee, "beneficiaries": payee, "recipient": payee, "recipients": payee, "payee": payee, "payees": payee,
		"send": send, "pay": send, "payout": send, "payouts": send, "payment": send, "payments": send, "transfer pay": send,
		"transfer send": send, "contacts pay": send, "contacts send": send, "accounts pay": send,
		"quote": quote, "quotes": quote, "rate": quote, "rates": quote, "fees": quote, "price": quote, "routes quote": quote,
		"transfer quote": quote, "transfer preview": quote, "transfer estimate": quote, "transfer simulate": quote,
		"balance": noBalance, "balances": noBalance, "wallet": noBalance, "wallets": noBalance, "accounts balance": noBalance,
		"webhook": noWebhook, "webhooks": noWebhook, "events webhook": noWebhook,
		"payroll": batch, "transfer import": batch, "transfer upload": batch,
		"export": {"", []string{"payctl transfer list --all -o csv"}},
		"refund": refund, "refunds": refund, "transfer refund": refund, "transfer reverse": refund, "transfer return": refund,
		"listen": tail, "logs": tail, "events watch": tail, "events follow": tail, "events listen": tail, "events stream": tail,
		"events subscribe": tail, "events list --watch": tail, "events list --follow": tail,
		"events get": {"", []string{"payctl events list"}}, "events show": {"", []string{"payctl events list"}},

		"verify": getKYC, "verification": getKYC, "kyc status": getKYC, "kyc check": getKYC, "accounts status": getKYC, "accounts kyc": getKYC,
		"kyc list": {"", []string{"payctl accounts list --kyc-status pending"}}, "kyc ls": {"", []string{"payctl accounts list --kyc-status pending"}},
		"kyc statistics": statKYC, "kyc report": statKYC, "kyc summary": statKYC, "kyc count": statKYC,
		"kyc dashboard":  statKYC,
		"accounts stats": statKYC, "accounts report": statKYC, "accounts count": statKYC, "accounts summary": statKYC,
		"stats": statAll, "statistics": statAll, "report": statAll, "reports": statAll, "summary": statAll,
		"kyc create": newKYC, "kyc start": newKYC, "kyc new": newKYC,
		"kyc upload": submit, "kyc update": submit, "accounts submit": submit,
		"kyc wait": watchKYC, "kyc follow": watchKYC, "accounts wait": watchKYC, "kyc get --watch": watchKYC, "kyc get --wait": watchKYC,
		"kyc get --follow": watchKYC, "kyc watch --follow": watchKYC,
		"accounts watch": watchAll, "accounts list --watch": watchAll, "accounts list --follow": watchAll,
		"kyc approve": approve, "sandbox approve": approve, "accounts approve": approve, "accounts verify": approve,
		"kyc reject": reject, "sandbox reject": reject, "accounts reject": reject,
		"accounts delete": noDelete, "accounts remove": noDelete, "accounts rm": noDelete, "accounts close": noDelete,
		"accounts search": {"", []string{"payctl accounts list --email ADDRESS"}}, "accounts find": {"", []string{"payctl accounts list --email ADDRESS"}},
		"routes get": {"", []string{"payctl routes list"}}, "routes show": {"", []string{"payctl routes list"}},
		"routes find": {"", []string{"payctl routes select"}}, "routes search": {"", []string{"payctl routes select"}},

		"transfer status": get, "transfer wait": watch, "transfer follow": watch, "transfer tail": watch,
		"transfer get --watch": watch, "transfer get --wait": watch, "transfer get --follow": watch,
		"transfer watch --follow": follows, "transfer watch --watch": follows,
		"transfer list --watch":  {"", []string{"payctl transfer watch --all"}},
		"transfer list --follow": {"", []string{"payctl transfer watch --all"}},
		"transfer cancel-all":    {"payctl cancels one transfer at a time", []string{unfunded, "payctl transfer cancel TRANSFER"}},
		"transfer cancel --all":  {"payctl cancels one transfer at a time", []string{unfunded}},
		"transfer delete":        cancel, "transfer remove": cancel, "transfer rm": cancel, "transfer stop": cancel,
		"transfer update": noChange, "transfer edit": noChange,
		"transfer retry": resend, "transfer resend": resend, "transfer resume": resend, "transfer repeat": resend,
		"transfer approve": deposit, "transfer confirm": deposit, "transfer execute": deposit, "transfer fund": deposit,
		"transfer deposit": deposit, "sandbox fund": deposit, "sandbox pay": deposit,
		"transfer search": {"", []string{"payctl transfer list --reference REFERENCE"}}, "transfer find": {"", []string{"payctl transfer list --reference REFERENCE"}},
		"transfer auto --currency": byRoute, "transfer auto --from": byRoute, "transfer auto --source": byRoute, "transfer auto --rail": byRoute,
		"transfer auto --iban": byContact, "transfer auto --address": byContact, "transfer auto --destination-address": byContact,

		"sandbox logs": requests, "sandbox log": requests, "sandbox time": {"", []string{"payctl sandbox clock get"}},
		"sandbox status": {"", []string{"payctl sandbox clock get"}}, "sandbox state": {"", []string{"payctl sandbox transfer TRANSFER STATE"}},
		"sandbox clock freeze": manual, "sandbox clock pause": manual, "sandbox clock stop": manual,
		"sandbox clock resume": {"", []string{"payctl sandbox clock set real"}}, "sandbox clock start": {"", []string{"payctl sandbox clock set real"}},
		"sandbox faults remove": {"", []string{"payctl sandbox faults clear"}}, "sandbox faults delete": {"", []string{"payctl sandbox faults clear"}},
		"sandbox faults rm": {"", []string{"payctl sandbox faults clear"}}, "sandbox faults reset": {"", []string{"payctl sandbox faults clear"}},

		"auth login --client-secret": {noSecret, []string{"payctl auth login --secret-stdin < FILE"}},
		"auth login --secret":        {noSecret, []string{"payctl auth login --secret-stdin < FILE"}},
		"auth login --password":      {noSecret, []string{"payctl auth login --secret-stdin < FILE"}},
		anyCommand + "--token":       {noSecret + ". PAYCTL_TOKEN can hold a token", []string{"payctl auth login"}},
		anyCommand + "--api-key":     {"The API has no keys, but clients with a secret", []string{"payctl auth login"}},
		anyCommand + "--env":         service, anyCommand + "--environment": service, anyCommand + "--live": service,
		anyCommand + "--production": service, anyCommand + "--test": service, anyCommand + "--sandbox": service,
	}
}

// anyCommand is the beginning of the keys of flags that are wrong at any command.
const anyCommand = "any "

// portAddress is the address of a port on this machine.
func portAddress(port string) string {
	if port == "" {
		return ""
	}
	return "127.0.0.1:" + port
}

// renamedFlags has the flags that other programs have, and what payctl calls them, the first one that a command has.
var renamedFlags = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"--page-size": {"limit"}, "--per-page": {"limit"}, "--size": {"limit"}, "--count": {"limit"}, "-n": {"limit"}, "-l": {"limit"},
		"--format": {"output"}, "--json": {"output json"}, "--csv": {"output csv"}, "--yaml": {"output yaml"},
		"--ndjson": {"output ndjson"}, "--jsonl": {"output ndjson"}, "--query": {"jq"}, "--filter": {"jq"},
		"--since": {"created-after"}, "--from": {"created-after"}, "--after": {"created-after"}, "--start": {"created-after"},
		"--start-date": {"created-after"}, "--until": {"created-before"}, "--to": {"created-before", "contact"},
		"--before": {"created-before"}, "--end": {"created-before"}, "--end-date": {"created-before"},
		"--order": {"sort"}, "--order-by": {"sort"}, "--sort-by": {"sort"}, "--fields": {"columns"}, "--timezone": {"tz"},
		"--status": {"kyc-status", "state"}, "--kyc": {"kyc-status"}, "--state": {"kyc-status"}, "--kyc-status": {"state"},
		"--dest": {"destination", "contact"}, "--destination": {"contact"}, "--recipient": {"contact"}, "--beneficiary": {"contact"},
		"--payee": {"contact"}, "--name": {"label", "first-name"}, "--company": {"legal-name"}, "--company-name": {"legal-name"},
		"--mail": {"email"}, "--e-mail": {"email"}, "--dob": {"birth-date"}, "--birthday": {"birth-date"}, "--surname": {"last-name"},
		"--sum": {"amount"}, "--value": {"amount"}, "--ref": {"reference"}, "--id": {"external-id", "reference"},
		"--document": {"file"}, "--data": {"input"}, "--body": {"input"}, "-d": {"input", "data"}, "-f": {"input"},
		"--key": {"idempotency-key"}, "--force": {"yes"}, "--confirm": {"yes"}, "--assume-yes": {"yes"}, "--no-prompt": {"yes"},
		"--non-interactive": {"yes"}, "--no-input": {"yes"}, "--debug": {"verbose"}, "--trace": {"verbose"}, "--silent": {"quiet"},
		"--url": {"base-url"}, "--host": {"base-url"}, "--server": {"base-url"}, "--endpoint": {"base-url"}, "--api-url": {"base-url"},
		"--insecure": {"allow-insecure-http"}, "--db": {"database"}, "--dsn": {"database"}, "--database-url": {"database"},
		"--db-url": {"database"}, "--postgres": {"database"}, "--postgres-url": {"database"}, "--pg": {"database"},
		"--db-schema": {"schema"},
		"--data-dir":  {"data"}, "--storage": {"data"},
		"--listen": {"addr"}, "--bind": {"addr"}, "--address": {"addr"}, "--a": {"all"}, "-a": {"all"}, "--show-all": {"all"},
		"--preview": {"dry-run"}, "--simulate": {"dry-run"}, "--no-execute": {"dry-run"}, "--pii": {"show-pii"}, "--unmask": {"show-pii"},
	}
})

// renamedFlag returns what a command calls a flag that it does not have, with a value where the flag means one, or an
// empty string.
func renamedFlag(cmd *cobra.Command, name string) string {
	for _, other := range renamedFlags()[strings.ToLower(name)] {
		flag, _, _ := strings.Cut(other, " ")
		if cmd.Flags().Lookup(flag) != nil {
			return other
		}
	}
	return ""
}
