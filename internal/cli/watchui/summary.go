package watchui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/follow"
)

// mostKinds is how many kinds of changes are counted and named: more are statuses that the service makes up.
const mostKinds = 20

// A changeKind is a change from one status to another; from is empty for a subject that has appeared during the watch.
type changeKind struct{ from, to string }

// changeCounts are how often each kind of change happened.
type changeCounts map[changeKind]int

// add counts a change. The first status of a subject is one if the subject is new.
func (n changeCounts) add(c follow.Change, isNew bool) {
	kind := changeKind{cmdutil.Text(c.From), c.Status}
	if _, known := n[kind]; (c.From != nil || isNew) && (known || len(n) < mostKinds) {
		n[kind]++
	}
}

// text names the changes, the most frequent first, such as "5 under_review → approved, 2 new → pending".
func (n changeCounts) text(arrow string) string {
	kinds := make([]changeKind, 0, len(n))
	for kind := range n {
		kinds = append(kinds, kind)
	}
	slices.SortFunc(kinds, func(x, y changeKind) int {
		return cmp.Or(cmp.Compare(n[y], n[x]), strings.Compare(x.from, y.from), strings.Compare(x.to, y.to))
	})
	parts := make([]string, len(kinds))
	for i, kind := range kinds {
		parts[i] = fmt.Sprintf("%d %s %s %s", n[kind], cmp.Or(kind.from, "new"), arrow, kind.to)
	}
	return strings.Join(parts, ", ")
}

// statusesText counts the subjects by status, in the order of whose turn it is, such as "3 accounts: 2 under_review,
// 1 approved".
func (k Kind) statusesText(s follow.Summary) string {
	counts := map[string]int{}
	for _, results := range [][]follow.SubjectResult{s.Reached, s.Failed, s.Waiting} {
		for _, r := range results {
			counts[r.Status]++
		}
	}
	statuses := make([]string, 0, len(counts))
	total := 0
	for status, n := range counts {
		statuses = append(statuses, status)
		total += n
	}
	slices.SortFunc(statuses, func(x, y string) int {
		return cmp.Or(cmp.Compare(k.Turn(x), k.Turn(y)), cmp.Compare(counts[y], counts[x]), strings.Compare(x, y))
	})
	parts := make([]string, 0, len(statuses))
	for i, status := range statuses {
		if i == mostKinds {
			parts = append(parts, "and others")
			break
		}
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], cmp.Or(status, "not read")))
	}
	text := cmdutil.Count(total, strings.ToLower(k.Noun)+"(s)")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	return text + "."
}

// since is the time of day at which a watch began, with the date if that is another one than today's.
func since(began, now time.Time) string {
	began, now = began.Local(), now.Local()
	if began.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return began.Format("15:04")
	}
	return began.Format("2006-01-02 15:04")
}

// summarize prints how many of several subjects ended how, their statuses, and the changes of the watch.
func (out *output) summarize(s follow.Summary, err error) {
	if !out.several || isEmpty(s) && err != nil && !s.Unlisted {
		return
	}
	nouns := strings.ToUpper(out.kind.Nouns[:1]) + out.kind.Nouns[1:]
	if isEmpty(s) && s.Unlisted {
		if outage := out.outage(); outage != "" {
			out.deps.Notef("%s: nothing was read, because %s.", nouns, outage)
		} else {
			out.deps.Notef("%s: nothing was read.", nouns)
		}
		return
	}
	if len(out.until) > 0 {
		var parts []string
		for _, part := range []struct {
			n    int
			what string
		}{
			{len(s.Reached), "reached " + strings.Join(out.until, " or ")},
			{len(s.Failed), "failed"},
			{len(s.Waiting), "still waited for"},
		} {
			if part.n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
			}
		}
		out.deps.Notef("%s: %s.", nouns, cmp.Or(strings.Join(parts, ", "), "none"))
	}
	if len(out.until) == 0 || out.view != nil {
		out.deps.Notef("%s", out.kind.statusesText(s))
	}
	if s.Unlisted {
		out.deps.Notef("The list of %s was not read to its end.", out.kind.Nouns)
	}
	out.mu.Lock()
	defer out.mu.Unlock()
	if len(out.changes) > 0 {
		arrow := "->"
		if out.deps.UTF8 {
			arrow = "→"
		}
		out.deps.Notef("Changes since %s: %s.", since(out.began, out.deps.Now()), out.changes.text(arrow))
	}
}

// isEmpty reports whether a watch has learnt of no subject.
func isEmpty(s follow.Summary) bool { return len(s.Reached)+len(s.Failed)+len(s.Waiting) == 0 }
