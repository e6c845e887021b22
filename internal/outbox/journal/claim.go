package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/sqlitedb"
)

// KeyPrefix begins the keys and external ids that payctl makes.
const KeyPrefix = "payctl-"

// ReferenceKey returns the idempotency key of an operation with a reference. It is the same on every machine, so the
// same line pays once wherever it runs.
func ReferenceKey(operation, reference string) string {
	sum := sha256.Sum256([]byte(operation + "\n" + reference))
	return KeyPrefix + hex.EncodeToString(sum[:16])
}

// ExternalIDOf returns the external id that stands for an idempotency key. It has at most 32 characters of a-z, 0-9 and
// -, so services keep it unchanged.
func ExternalIDOf(operation, key string) string { return ReferenceKey(operation, key)[:31] }

// A Claim is the journal's answer to a program that wants to send a write.
type Claim struct {
	// Mine reports that the write is recorded as about to be sent and that this program may send it.
	Mine bool
	// Entry is the entry in the way of a write that is not Mine.
	Entry Entry
	// Refused is why the write may not be sent and is not recorded. Nil means that it may be sent.
	Refused *payments.ProblemError
}

// matches selects the entries that may be the same payment as a write. They have the same operation and service, and
// its key, the key made of its reference, or its reference with a user's key. An unknown client matches any. The
// parameters are those of putWrite.
const matches = `operation = ?3 AND service = ?1 AND (client IN (?2, '') OR ?2 = '') AND (idempotency_key IN (?4, ?17)
	OR given_key = 1 AND reference = ?7)`

const (
	// putWrite records that a write is about to be sent, if no entry matches or ?29 is true. It replaces the write's
	// own entry. With ?30 that entry's first time stays, with ?31 what an answer showed. With ?32 the payment does not
	// count again. OR ROLLBACK saves SQLite the copies of pages that could undo one statement. A transaction with an
	// error fails anyway.
	putWrite = `INSERT OR ROLLBACK INTO writes (` + columns + `, sent, given_key)
	SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?13, ?11, ?12,
		'', '', '', '', '', '', 1, ?14, ?14, ?27, ?28, ?15, ?14 || ' ', ?16
	WHERE ?29 OR NOT EXISTS (SELECT 1 FROM writes WHERE ` + matches + `)
	ON CONFLICT (idempotency_key, operation, service, client) DO UPDATE SET
	body_hash = excluded.body_hash, body = excluded.body, reference = excluded.reference,
	external_id = excluded.external_id, batch_id = excluded.batch_id, file = excluded.file,
	target = excluded.target, sent_hash = excluded.sent_hash, amount = excluded.amount, currency = excluded.currency,
	payee_name = excluded.payee_name, payee_id = excluded.payee_id, payee_label = excluded.payee_label,
	payee_holder = excluded.payee_holder, payee_rail = excluded.payee_rail, payee_account = excluded.payee_account,
	outcome = excluded.outcome,
	world = excluded.world, subject = CASE WHEN ?31 THEN subject ELSE '' END, shown = CASE WHEN ?31 THEN shown ELSE '' END,
	accepted = '', state = '', problem = '', detail = '',
	attempts = attempts + 1, began = CASE WHEN ?30 THEN began ELSE excluded.began END, changed = excluded.changed,
	sent = max(?14, substr(sent, 1, 30)) || ' ' || CASE WHEN ?32 THEN substr(sent, 32) ELSE sent END,
	user = excluded.user, host = excluded.host, owner = excluded.owner, given_key = excluded.given_key`

	// findMatches begins with the write's own entry.
	findMatches = `SELECT ` + columns + ` FROM writes WHERE ` + matches + `
	ORDER BY client = ?2 AND idempotency_key = ?4 DESC, number`

	renewWrite = `UPDATE writes SET changed = ?5, sent = max(?5, substr(sent, 1, 30)) || ' ' || substr(sent, 32)
	WHERE ` + isOwn + ` AND ` + isOpen + ` AND owner = ?6`
)

// put are the arguments of putWrite for a new write. Those before putAnyway are also the arguments of findMatches.
func (f *file) put(i PendingWrite) []any {
	made := i.Key
	if i.Reference != "" {
		made = ReferenceKey(i.Operation, i.Reference)
	}
	var body any // nil is NULL, but a nil []byte is not
	if i.Body != nil {
		body = i.Body
	}
	user, host := person()
	return []any{
		i.Service, i.Client, i.Operation, i.Key, i.Fingerprint, body, i.Reference, i.ExternalID, i.BatchID, i.File,
		string(OutcomeSending), i.World, i.Payee.Account, timeText(f.now()), f.owner.name, i.HasGivenKey(), made,
		i.Of, i.SentHash, i.Amount, i.Currency, i.Payee.Name, i.Payee.ID, i.Payee.Label, i.Payee.Holder, i.Payee.Rail,
		user, host, false, false, false, false,
	}
}

// The arguments of putWrite that change if there is an entry.
const (
	putOutcome     = 10
	putAnyway      = 28
	putKeepBegan   = 29
	putKeepSubject = 30
	putRepeats     = 31
)

// A Mode says which own entries of a write a claim replaces. It never replaces one that a program is sending.
type Mode uint8

// The modes.
const (
	// First replaces entries without an effect.
	First Mode = iota
	// Again also replaces an open entry with the same content.
	Again
	// Anew replaces any entry that has not changed: a person has decided that the write did not happen.
	Anew
)

// Claim records writes that are about to be sent, in one transaction. They are on the disk when it returns. A write is
// not recorded if a matching entry is in the way, as the mode says, or if it passes a limit.
//
// The caller must call End for every write that is Mine. Claim completes the writes.
func (j *Journal) Claim(ctx context.Context, intents []PendingWrite, mode Mode) ([]Claim, error) {
	f, _, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.owner.claim(ctx); err != nil {
		return nil, explain(f.path, err)
	}
	claims := make([]Claim, len(intents))
	err = j.transact(ctx, func(g *guard) error {
		for i := range intents {
			complete(&intents[i], g.own)
			if claims[i], err = g.claim(&intents[i], mode); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// claim claims one write.
func (g *guard) claim(pending *PendingWrite, mode Mode) (Claim, error) {
	args := g.put(*pending)
	pending.Repeats = false
	err := g.check(pending, false)
	refused, isRefused := errors.AsType[*payments.ProblemError](err)
	if err == nil {
		var added int64
		if added, err = g.conn.Changes(putWrite, args...); added > 0 {
			g.add(pending)
			return Claim{Mine: err == nil}, err
		}
	}
	if err != nil && !isRefused {
		return Claim{}, err
	}
	found, err := find(g.conn, findMatches, args[:putAnyway]...)
	if err != nil {
		return Claim{}, err
	}
	for i := range found {
		entry, of := &found[i], First
		entry.Busy = entry.IsOpen() && g.owner.alive(entry.owner)
		isSame := entry.Key == pending.Key
		if isSame {
			of = mode
		}
		switch {
		case !entry.mayBeReplaced(*pending, of):
			return Claim{Entry: *entry}, nil
		case isSame && entry.Client == pending.Client && !entry.IsOfOtherWorld(pending.World):
			// Its earlier attempt may have had an effect, whatever becomes of this one.
			hasLeft := entry.Outcome != effect.Refused && entry.Outcome != effect.NotSent
			if entry.IsOpen() || hasLeft && pending.Body != nil {
				args[putOutcome], args[putKeepSubject] = string(effect.Unknown), true
			}
			args[putKeepBegan] = entry.IsOpen() || entry.Outcome == OutcomeClosed
			pending.Repeats = entry.IsOpen() && mode == Again
			args[putRepeats] = pending.Repeats
			if mode == Anew { // the claim may expire and be made again
				seen := *entry
				seen.Outcome, seen.Attempts = effect.Unknown, seen.Attempts+1
				pending.Replaces = &seen
			}
		}
	}
	if isRefused && (refused.ProblemType() == payments.ProblemPayeeChanged || !pending.Repeats) {
		return Claim{Refused: refused}, nil
	}
	g.add(pending)
	args[putAnyway] = true
	return Claim{Mine: true}, g.conn.Exec(putWrite, args...)
}

// mayBeReplaced reports whether an entry is not in the way of a write. An entry is in the way while its program runs.
// One whose write did not happen, or is of a world that is gone, is not. The mode decides about the write's own entry.
// Closed transfers, whose bodies are kept, and closed calls outside the contract stay closed. Other closed writes are
// not in the way.
func (e *Entry) mayBeReplaced(by PendingWrite, mode Mode) bool {
	switch {
	case e.Busy:
		return false
	case e.IsOfOtherWorld(by.World):
		return true
	case mode == Anew:
		return by.Replaces == nil || !e.hasChangedSince(by.Replaces)
	case e.IsOpen():
		return mode == Again && e.Fingerprint == by.Fingerprint
	case e.Outcome == OutcomeClosed:
		return e.Body == nil && !strings.Contains(e.Operation, " ")
	}
	return e.Outcome != effect.Done
}

// hasChangedSince reports whether an entry was sent or settled since it was seen.
func (e *Entry) hasChangedSince(seen *Entry) bool {
	return e.Attempts != seen.Attempts || e.IsOpen() != seen.IsOpen() || !e.IsOpen() && e.Outcome != seen.Outcome
}

// Renew records again that a claimed write is about to be sent. It reports whether the claim still stands: no other
// program has sent the write or found its outcome since. The error is a problem if the write no longer fits the limit
// of the day.
func (j *Journal) Renew(ctx context.Context, pending PendingWrite) (mine bool, err error) {
	err = j.transact(ctx, func(g *guard) error {
		complete(&pending, g.own)
		if err := g.check(&pending, true); err != nil {
			return err
		}
		changed, err := g.conn.Changes(renewWrite, append(pending.own(), timeText(g.now()), g.file.owner.name)...)
		mine = changed > 0
		return err
	})
	return mine && err == nil, err
}

// find returns the entries that a statement selects.
func find(conn *sqlitedb.Conn, statement string, args ...any) (entries []Entry, err error) {
	err = conn.Rows(context.Background(), statement, args, func(row func(...any) error) error {
		entry, err := scan(row)
		entries = append(entries, entry)
		return err
	})
	return entries, err
}
