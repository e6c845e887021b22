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
