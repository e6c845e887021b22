// Package period is the flags that select what was created in a time.
package period

import (
	"context"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/exit"
	"github.com/payctl/payctl/internal/cli/invocation"
	"github.com/payctl/payctl/internal/payments"
)

// An Interval is the flags that select rows by the time of their creation.
type Interval struct {
	after, before Moment
}

// AddTo adds the flags.
func (i *Interval) AddTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Var(&i.after, "created-after",
		"only those created since this `TIME`: RFC 3339, 2026-11-27, yesterday, 7d")
	f.Var(&i.before, "created-before", "only those created before this `TIME`")
}

// A Period is the time from Begin, up to but without End. A zero time is no limit.
type Period struct{ Begin, End time.Time }

// Period is the time that the flags select. If it depends on the present time or on a time zone, a note names it.
func (i *Interval) Period(ctx context.Context, d *invocation.Deps) (Period, error) {
	now := d.Now()
	if i.after.isAgo || i.before.isAgo {
		now = d.AskServiceNow(ctx)
	}
	now = now.In(time.Local)
	warnOfZone(d)
	p := Period{Begin: i.after.At(now), End: i.before.At(now)}
	if !p.Begin.IsZero() && !p.End.IsZero() && !p.Begin.Before(p.End) {
		return p, exit.Usage("nothing is created %s (--created-after %s --created-before %s)", p.words(), &i.after, &i.before)
	}
	if i.after.named || i.before.named {
		zone, _ := now.Zone()
		d.Notef("Created %s (time zone of this machine, %s).", p.words(), zone)
	}
	return p, nil
}

// words describe a period in the time zone of this machine.
func (p Period) words() string {
	var parts []string
	for i, limit := range []string{"at or after ", "before "} {
		if at := []time.Time{p.Begin, p.End}[i]; !at.IsZero() {
			parts = append(parts, limit+at.Local().Format("2006-01-02 15:04:05 -07:00"))
		}
	}
	return strings.Join(parts, " and ")
}

// finest is the smallest part of a second that every service is expected to read in a time.
const finest = time.Millisecond

// Query asks for the period. A service excludes the moment after which it is asked for rows, so that the query names an
// earlier one, and the rows between are left out here.
func (p Period) Query() payments.PageQuery {
	q := payments.PageQuery{CreatedBefore: p.End}
	if p.Begin.Year() > 1 {
		q.CreatedAfter = p.Begin.Truncate(finest).Add(-finest)
	}
	return q
}

// warnOfZone warns if TZ names no zone that this system knows, as the forms of POSIX that have their own rules do: times
// of this machine are then those of UTC. Windows has a setting in place of the variable.
func warnOfZone(d *invocation.Deps) {
	name := strings.TrimPrefix(d.Getenv("TZ"), ":")
	if runtime.GOOS == "windows" || name == "UTC0" || strings.HasPrefix(name, "/") {
		return
	}
	if _, err := time.LoadLocation(name); err != nil {
		d.Warnf("TZ is %s, which names no time zone of this system: times are read in UTC. "+
			"Set it to a name such as Europe/Berlin.", d.Getenv("TZ"))
	}
}
