package sql

import (
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/store"
)

// A prefetch is what a transaction reads of a world together with its lock, since the updates need it: a round trip for
// each of those reads, while the world is locked, would take longer than all the rest.
type prefetch struct {
	head       head // at which the world was expected
	complete   bool // nothing was expected to be in the cache
	records    map[recordKey]fetched
	references map[string]string
	latest     map[*schema]record // see state.latest
	readJobs   bool
	after      jobKey // the jobs were read after this place
	by         string // up to this time
	jobs       []queuedJob
	err        error
}

func newPrefetch(at head) *prefetch {
	return &prefetch{
		head: at, records: map[recordKey]fetched{}, references: map[string]string{}, latest: map[*schema]record{},
	}
}

// A fetched record is missing if it is nil.
type fetched struct {
	record record
	bytes  int
}

// prefetch queues the reading of what updates need of a world that is expected at a head, and what the cache does not
// have.
func (g *group) prefetch(w *world, at head) *prefetch {
	contended := w.isContended()
	w.mu.RLock()
	defer w.mu.RUnlock()
	known, complete := &w.cache, false
	if known.head != at || at.version <= 0 {
		complete = true
		empty := newCache(at, nil)
		known = &empty
	}
	if at.version <= 0 {
		at.contents = w.name
	}
	p := newPrefetch(at)
	p.complete = complete
	s := g.store.schemas
	wanted := map[*schema][]string{}
	want := func(in *schema, id string) {
		key := recordKey{in, id}
		_, cached := known.get(key)
		if _, twice := p.records[key]; !cached && !twice {
			p.records[key] = fetched{}
			wanted[in] = append(wanted[in], id)
		}
	}
	var references []string
	want(s.worlds, store.WorldID)
	for _, u := range g.updates {
		if u.world != w {
			continue
		}
		for _, need := range u.needs {
			switch need.Kind {
			case store.NeedKey:
				want(s.keys, need.ID)
			case store.NeedAccount:
				want(s.accounts, need.ID)
			case store.NeedContact:
				want(s.contacts, need.ID)
			case store.NeedTransfer:
				want(s.transfers, need.ID)
			case store.NeedReference:
				if _, cached := known.references[need.ID]; !cached {
					references = append(references, need.ID)
				}
			}
		}
	}
	g.prefetched = time.Now()
	soon := g.prefetched.Add(w.groupTime) // by the end of the group
	for _, job := range known.jobs.due(soon, jobsAtOnce) {
		if job.Kind == store.JobTransfer {
			want(s.transfers, job.Subject)
		}
	}
	seen := &state{world: w, head: head{contents: p.head.contents}}
	for in, ids := range wanted {
		list := g.store.dialect.List(ids)
		p.queueRecords(g, in, in.rows(seen), fmt.Sprintf(g.store.dialect.Rows, "$2"), list)
		if in == s.contacts {
			p.queueRecords(g, s.accounts, p.head.contents, "(SELECT (SELECT account_id FROM contacts WHERE world = $1 AND "+
				"id = wanted.value) AS value FROM "+fmt.Sprintf(g.store.dialect.Rows, "$2")+") AS wanted", list)
		}
	}
	if len(references) > 0 {
		p.queueReferences(g, references)
		if complete { // for the identifiers of new transfers, which sort after all that other processes have made
			p.queueLatest(g, s.transfers)
		}
	}
	if known.jobs.isShort() {
		by := lastDue
		if contended { // then the next group reads the jobs again
			by = timeText(soon)
		}
		p.queueJobs(g, s.transfers, known.jobs.through, soon, by)
	}
	return p
}

// isValidAt reports whether what was read is of a world at a head, and complete.
func (p *prefetch) isValidAt(h head) bool {
	return p.head.contents == h.contents && (p.complete || p.head.version == h.version)
}

// note keeps the first error of reading a row; then the transaction reads for itself.
func (p *prefetch) note(err error) error {
	if p.err == nil {
		p.err = err
	}
	return nil
}

// queueRecords queues the reading of the records whose identifiers are the column value of a table expression. Its
// arguments are from $2 on.
func (p *prefetch) queueRecords(g *group, in *schema, rows, wanted string, args ...any) {
	query := "SELECT wanted.value, (SELECT document FROM " + in.table + " WHERE world = $1 AND id = wanted.value) FROM " +
		wanted
	g.conn.Queue(query, append([]any{rows}, args...), func(scan func(...any) error) error {
		var id, document *string
		if err := scan(&id, &document); err != nil || id == nil || document == nil {
			return p.note(err)
		}
		r, err := in.decode([]byte(*document))
		p.records[recordKey{in, *id}] = fetched{r, len(*document)}
		return p.note(err)
	})
}

func (p *prefetch) queueLatest(g *group, in *schema) {
	p.latest[in] = nil
	query, args := in.list(p.head.contents, store.Query{Limit: 1})
	g.conn.Queue(query, args, func(scan func(...any) error) error {
		var document []byte
		err := scan(&document)
		if err == nil {
			p.latest[in], err = in.decode(document)
		}
		return p.note(err)
	})
}

func (p *prefetch) queueReferences(g *group, references []string) {
	query := "SELECT wanted.value, (SELECT COALESCE(min(id), '') FROM transfers WHERE world = $1 AND " +
		"reference = wanted.value) FROM " + fmt.Sprintf(g.store.dialect.Rows, "$2")
	g.conn.Queue(query, []any{p.head.contents, g.store.dialect.List(references)}, func(scan func(...any) error) error {
		var reference, id string
		err := scan(&reference, &id)
		p.references[reference] = id
		return p.note(err)
	})
}

// queueJobs queues the reading of the jobs after a place, by a time, and of the transfers of those that are due soon.
func (p *prefetch) queueJobs(g *group, transfers *schema, after jobKey, soon time.Time, by string) {
	p.readJobs, p.after, p.by = true, after, by
	args := []any{p.head.contents, after.due, after.number, int64(jobsAtOnce), by}
	g.conn.Queue(nextJobs, args, func(scan func(...any) error) error {
		job, err := scanJob(scan)
		p.jobs = append(p.jobs, job)
		return p.note(err)
	})
	p.queueRecords(g, transfers, p.head.contents, "(SELECT subject AS value"+laterJobs+
		" AND due <= $4 AND kind = $5"+inOrder+" LIMIT $6) AS wanted",
		after.due, after.number, timeText(soon), string(store.JobTransfer), int64(jobsAtOnce))
}

// fill puts what was read into the cache of the world, whose lock the transaction has.
func (p *prefetch) fill(c *cache) {
	for key, r := range p.records {
		c.put(key, r.record, r.bytes)
	}
	for reference, id := range p.references {
		c.putReference(reference, id)
	}
	if p.readJobs && p.after == (jobKey{}) {
		c.jobs = newJobWindow()
	}
	if p.readJobs && p.after == c.jobs.through && !c.jobs.all {
		c.jobs.extend(p.jobs, p.by)
	}
}
