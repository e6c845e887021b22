package journal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/payctl/payctl/internal/sqlitedb"
)

// ReferenceKey returns the idempotency key of an operation with a reference. It is the same on every machine, so that
// the same line pays once wherever it is run.
func ReferenceKey(operation, reference string) string {
	sum := sha256.Sum256([]byte(operation + "\n" + reference))
	return "payctl-" + hex.EncodeToString(sum[:16])
}

// A Claim is the journal's answer to a program that wants to send a write.
type Claim struct {
	// Mine reports that the write is recorded as about to be sent and that this program may send it.
	Mine bool
	// Entry is, if the write is not Mine, what the journal has in place of it: the same write, or one of the same
	// operation with the same reference, or external id, and another key, or of a client that may be the same one.
	Entry Entry
}

// Claim records writes that are about to be sent; they are on the disk when it returns. In one transaction it looks
// each one up, by its key and by its reference, and records it unless an entry stands in its way: one that is done, or
// whose outcome is open. A write with OneExternalID is looked up by its external id too. With takeOver, an open entry of the same write, with the same content, does not stand in its
// way, unless its program is still running.
//
// If the client of a write or of an entry is not known, they may have the same one. Then an entry that is open stands
// in the way.
//
// The caller must call End or Release for every write that is Mine. Claim completes the intents.
func (j *Journal) Claim(ctx context.Context, intents []Intent, takeOver bool) ([]Claim, error) {
	f, own, err := j.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := f.owner.claim(ctx); err != nil {
		return nil, explain(f.path, err)
	}
	writes := make([]write, len(intents))
	for i := range intents {
		complete(&intents[i], own)
		writes[i] = newWrite(intents[i], Result{})
	}
	claims := make([]Claim, 0, len(intents))
	err = f.do(ctx, func(conn *sqlitedb.Conn) error {
		return inGroups(writes, isAlike, func(writes []write) error {
			clients, err := sameClients(conn, writes[0].intent)
			if err != nil {
				return err
			}
			fresh := make([]bool, len(writes))
			if !writes[0].given && !writes[0].intent.OneExternalID && len(clients) == 0 {
				fresh, err = f.claimNew(conn, writes)
			}
			for i := 0; i < len(writes) && err == nil; i++ {
				claim := Claim{Mine: fresh[i]}
				if !claim.Mine {
					claim, err = f.claim(conn, writes[i], clients, takeOver)
				}
				claims = append(claims, claim)
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// claimNew claims those of some writes, which have keys made of their references or no references, in whose way
// certainly nothing stands. It reports which.
func (f *file) claimNew(conn *sqlitedb.Conn, writes []write) (fresh []bool, err error) {
	fresh = make([]bool, len(writes))
	args := insertArgs(writes, OutcomeSending, f.owner.name, f.now())
	inserted := make([]identity, 0, len(writes))
	err = conn.Rows(context.Background(), insertNew(len(writes)), args, func(row func(...any) error) error {
		var id []byte
		err := row(&id)
		inserted = append(inserted, identity(id))
		return err
	})
	for i := range writes {
		// A write that is there twice is claimed once.
		if at := slices.Index(inserted, writes[i].id); at >= 0 {
			fresh[i], inserted[at] = true, identity{}
		}
	}
	return fresh, err
}

// claim is Claim for one write that may have an entry.
func (f *file) claim(conn *sqlitedb.Conn, w write, clients []string, takeOver bool) (Claim, error) {
	found, _, err := find(conn, w.id)
	if err != nil {
		return Claim{}, err
	}
	earlier := found.entry
	outcome, ok := f.next(&earlier, found.owner, w.intent, takeOver)
	if !ok {
		return Claim{Entry: earlier}, nil
	}
	others, err := findOthers(conn, w, clients)
	if err != nil {
		return Claim{}, err
	}
	if w.intent.OneExternalID && !takeOver { // an attempt was sent already: whether that was right is decided
		sharing, err := findBy(conn, findSharing, w.intent.ExternalID, w.id, w.intent)
		if err != nil {
			return Claim{}, err
		}
		others = append(others, sharing...)
	}
	for i := range others {
		other := &others[i].entry
		if other.Client != w.intent.Client && isSettled(other.Outcome) {
			continue // perhaps it is not the same client; a lookup at the service shows what was done
		}
		if _, ok := f.next(other, others[i].owner, w.intent, takeOver && other.Key == w.intent.Key); !ok {
			return Claim{Entry: *other}, nil
		}
	}
	// An absent write may still arrive, so that the time from which its key counts stays, unless its world is gone.
	keepBegan := (outcome == OutcomeUnknown || earlier.Outcome == OutcomeAbsent) && !earlier.IsOfOtherWorld(w.intent.World)
	return Claim{Mine: true}, f.replace(conn, w, outcome, keepBegan)
}

// replace records an attempt of a write in place of its earlier entry, if there is one.
func (f *file) replace(conn *sqlitedb.Conn, w write, outcome Outcome, keepBegan bool) error {
	args := insertArgs([]write{w}, outcome, f.owner.name, f.now())
	return conn.Exec(replace(1), append(args, keepBegan)...)
}

// next returns the outcome of a write that is claimed over an earlier entry, of itself or of one with the same
// reference; false: that entry stands in its way. It sets the entry's Busy.
func (f *file) next(earlier *Entry, owner string, intent Intent, takeOver bool) (Outcome, bool) {
	from, event := earlier.Outcome, EventClaimed
	earlier.Busy = !isSettled(from) && f.owner.alive(owner)
	switch {
	case earlier.Busy:
		return from, false
	case earlier.IsOfOtherWorld(intent.World):
		from, _ = After(from, EventWorldReplaced)
	case takeOver && !isSettled(from) && earlier.Fingerprint == intent.Fingerprint:
		event = EventClaimedAgain
	}
	return After(from, event)
}

// sameClients returns the other clients of the journal that may be the client of a write, which it adds to them: one of
// the two is not known.
func sameClients(conn *sqlitedb.Conn, intent Intent) (clients []string, err error) {
	if err := conn.Exec(noteClient, intent.Service, intent.Client); err != nil {
		return nil, err
	}
	args := []any{intent.Service, intent.Client, intent.Client}
	err = conn.Rows(context.Background(), findClients, args, func(row func(...any) error) error {
		var client string
		err := row(&client)
		clients = append(clients, client)
		return err
	})
	return clients, err
}

// findOthers returns the entries of what may be the same payment as a write: those with the same reference and another
// key, and those of clients that may be the same one.
func findOthers(conn *sqlitedb.Conn, w write, clients []string) (others []owned, err error) {
	if w.intent.Reference != "" {
		if others, err = findGivenKeys(conn, w.id, w.intent); err != nil {
			return nil, err
		}
	}
	keys := []string{w.intent.Key}
	if w.given {
		keys = append(keys, ReferenceKey(w.intent.Operation, w.intent.Reference))
	}
	other := w.intent
	for _, other.Client = range append(clients, w.intent.Client) {
		for _, other.Key = range keys {
			id := identify(other)
			if id == w.id {
				continue
			}
			entry, found, err := find(conn, id)
			if err != nil {
				return nil, err
			}
			if found {
				others = append(others, entry)
			}
		}
	}
	return others, nil
}

// Renew records again that a write that was claimed is about to be sent. It reports whether the claim still stands: no
// other program has sent the write, or found its outcome, since.
func (j *Journal) Renew(ctx context.Context, intent Intent) (mine bool, err error) {
	f, own, err := j.open(ctx)
	if err != nil {
		return false, err
	}
	complete(&intent, own)
	id := identify(intent)
	err = f.do(ctx, func(conn *sqlitedb.Conn) error {
		changed, err := conn.Changes(renewWrite, timeText(f.now()), id[:], f.owner.name)
		mine = changed > 0
		return err
	})
	return mine && err == nil, err
}

// Release records that writes that were claimed have not been sent. What another program has found out about them
// stays. Like End, it does not wait for the disk.
func (j *Journal) Release(intents ...Intent) error {
	for _, intent := range intents {
		if err := j.End(intent, Result{Outcome: OutcomeNotSent}); err != nil {
			return err
		}
	}
	return nil
}
