package watchui

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// Options are the flags of a watch command.
type Options struct {
	from       string
	All        bool
	until      []string
	timeout    time.Duration
	failFast   bool
	interval   time.Duration
	rate       Rate
	exec       string
	execArgs   []string // behind --
	max        int
	accessible bool
	ids        []string    // on the command line
	isLater    atomic.Bool // reasons are read later
}

// defaultMax is how many subjects --all watches without --max: more than a team can look after. A subject takes about
// 1 KiB of memory in the live view.
const defaultMax = 100_000

// AddTo adds the flags. Kind describes what is watched; its functions are not called.
func (o *Options) AddTo(d *cmdutil.Deps, cmd *cobra.Command, kind Kind) {
	o.rate = Rate{defaultRate}
	nouns := kind.Nouns
	f := cmd.Flags()
	f.StringVar(&o.from, "from", "", "read the "+nouns+
		" from `FILE`; - is standard input")
	f.BoolVar(&o.All, "all", false, "watch all "+nouns+", and new ones as they appear")
	f.IntVar(&o.max, "max", defaultMax, "with --all: end the watch if there are more than `N` "+nouns)
	f.StringSliceVar(&o.until, "until", nil, "wait for these `"+kind.Statuses+"` (default "+kind.Goal+"; with --all: none)")
	cmdutil.DurationVar(f, &o.timeout, "timeout", 0, "end the whole watch after `DURATION`, such as 10m")
	f.BoolVar(&o.failFast, "fail-fast", false, "end the watch when the first one fails")
	cmdutil.DurationVar(f, &o.interval, "interval", 5*time.Second, "poll every `DURATION` where there is no event feed")
	f.Var(&o.rate, "rate", "send at most `N/s` or N/m requests")
	f.StringVar(&o.exec, "exec", "", "run `COMMAND` for each change; arguments may follow behind --")
	f.BoolVar(&o.accessible, "accessible", false,
		"print lines in place of the live view, as for a screen reader")
}

// Args returns the check of the arguments: identifiers before --, and behind it arguments for the program of --exec.
func (o *Options) Args(noun string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		o.ids = args
		if dash := cmd.ArgsLenAtDash(); dash >= 0 && o.exec != "" {
			o.ids, o.execArgs = args[:dash], args[dash:]
		}
		noun := strings.ToUpper(noun)
		switch {
		case slices.Contains(o.ids, ""):
			return cmdutil.Usage("%s was given an empty %s", cmd.CommandPath(), noun).
				WithHint("see whether a variable is not set")
		case o.All && (len(o.ids) > 0 || o.from != ""):
			return cmdutil.Usage("--all watches all; leave out --from and the %ss", noun)
		case !o.All && len(o.ids) == 0 && o.from == "":
			return cmdutil.Usage("%s needs %s, --from or --all", cmd.CommandPath(), noun).
				WithHint(cmd.CommandPath() + " --all")
		}
		return nil
	}
}

// ReasonsLater reports whether the list of --all is shown before the reasons of its statuses are read. A live view
// that waits for nothing shows 10,000 accounts at once, and reads their reasons in the background.
func (o *Options) ReasonsLater() bool { return o.isLater.Load() }

func (o *Options) check(d *cmdutil.Deps, kind Kind) error {
	switch {
	case o.interval <= 0:
		return cmdutil.Usage("--interval must be more than zero")
	case o.max < 1:
		return cmdutil.Usage("--max must be 1 or more")
	case o.max != defaultMax && !o.All:
		return cmdutil.Usage("--max limits --all: give --all too")
	case o.timeout < 0:
		return cmdutil.Usage("--timeout must not be negative")
	}
	for i, status := range o.until {
		if o.until[i] = strings.TrimSpace(status); o.until[i] == "" {
			return cmdutil.Usage("--until names an empty status")
		}
	}
	return checkStatuses(d, kind, "until", o.until)
}
