package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

// snapshotVersion is the version of the form of snapshots.
const snapshotVersion = "1"

// content is what a snapshot holds.
type content struct {
	Generation int
	Clock      store.Clock
	store.Export
}

// contentForm writes durations as text such as 1h30m0s, which is exact, as numbers in JSON need not be.
func contentForm() json.Options {
	return json.JoinOptions(json.Deterministic(true), json.RejectUnknownMembers(true),
		json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, d time.Duration) error {
			return e.WriteToken(jsontext.String(d.String()))
		})),
		json.WithUnmarshalers(json.UnmarshalFromFunc(func(d *jsontext.Decoder, into *time.Duration) (err error) {
			var text string
			if err := json.UnmarshalDecode(d, &text); err != nil {
				return err
			}
			*into, err = time.ParseDuration(text)
			return err
		})))
}

// ResetSandbox implements payments.SandboxLives.
func (w *World) ResetSandbox(ctx context.Context) (payments.SandboxWorld, error) {
	return w.renew(ctx, func(store.Tx, *store.World) error { return nil })
}

// renew begins a new life of the world, empty but for what fill puts there.
func (w *World) renew(ctx context.Context, fill func(store.Tx, *store.World) error) (payments.SandboxWorld, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var next store.World
	undo := func() {}
	err := w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		if _, err := w.follow(tx); err != nil {
			return err
		}
		before := w.record.Load()
		if err := tx.Clear(); err != nil {
			return err
		}
		next = w.begun(before.Life + 1)
		next.Version = before.Version + 1
		if err := fill(tx, &next); err != nil {
			return err
		}
		ids, err := service.Greatest(tx)
		if err != nil {
			return err
		}
		if err := tx.Worlds().Put(&next); err != nil {
			return err
		}
		// Within the transaction, so that no other one sees the new world by the old clock.
		undo = w.live(next, ids)
		return nil
	})
	if err != nil {
		undo()
		return payments.SandboxWorld{}, err
	}
	w.WakeAll()
	return payments.SandboxWorld{Instance: next.Instance}, nil
}

// live makes a record that the store has, or is about to have, the world's. Undo lets the world go on as before.
func (w *World) live(record store.World, ids []string) (undo func()) {
	return w.liveOn(record, ids, func(purpose string) io.Reader { return w.worlds.random(w.client, purpose, record.Generation) })
}

// liveOn is live on given sources of randomness.
func (w *World) liveOn(record store.World, ids []string, random func(purpose string) io.Reader) (undo func()) {
	before, clock := w.record.Load(), w.clock.state.Load()
	parts := []func(){
		w.ids.Restart(random(purposeIDs), ids...),
		w.requests.restart(random(purposeRequests)),
		w.faults.restart(w.worlds.config.Faults, random(purposeFaults)),
		w.requested.begin(record.Instance),
	}
	w.clock.set(record.Clock)
	w.record.Store(&record)
	return func() {
		for _, undo := range parts {
			undo()
		}
		w.record.Store(before)
		w.clock.state.Store(clock)
	}
}

// GetSandboxSnapshot implements payments.SandboxLives.
func (w *World) GetSandboxSnapshot(ctx context.Context) (payments.SandboxSnapshot, error) {
	if err := w.CatchUp(ctx); err != nil {
		return payments.SandboxSnapshot{}, err
	}
	var holds content
	var instance string
	err := w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		// The record in memory may be of a change that is not committed yet, and which what is exported here does not have.
		record, err := tx.Worlds().Get(store.WorldID)
		if err != nil {
			return err
		}
		machine := w.clock.machine()
		instance, holds.Generation, holds.Clock = record.Instance, record.Generation, goingOn(record.Clock, shows(record.Clock, machine), machine)
		holds.Export, err = store.ExportOf(tx)
		return err
	})
	if err != nil {
		return payments.SandboxSnapshot{}, err
	}
	taken := holds.Clock.Shown
	holds.Clock.Since = taken // the machine's clock is not the world's
	text, err := json.Marshal(holds, contentForm())
	if err != nil {
		return payments.SandboxSnapshot{}, err
	}
	sum, err := checksum(text)
	return payments.SandboxSnapshot{Version: snapshotVersion, TakenAt: taken, Instance: instance, Checksum: sum, World: text}, err
}

// RestoreSandboxSnapshot implements payments.SandboxLives. A snapshot that was changed by anyone is refused: what it says
// could not be relied on to ever have been.
func (w *World) RestoreSandboxSnapshot(ctx context.Context, snapshot payments.SandboxSnapshot) (payments.SandboxWorld, error) {
	holds, err := w.open(snapshot)
	if err != nil {
		return payments.SandboxWorld{}, err
	}
	return w.renew(ctx, func(tx store.Tx, next *store.World) error {
		next.Generation = max(w.record.Load().Generation, holds.Generation) + 1 // no identifier is drawn twice
		next.Clock = goingOn(holds.Clock, holds.Clock.Shown, w.clock.machine())
		next.At = holds.Clock.Shown
		return holds.Import(tx)
	})
}

// CheckSandboxSnapshot finds what is wrong with a snapshot beyond its schema.
func (w *World) CheckSandboxSnapshot(snapshot payments.SandboxSnapshot) payments.FieldErrors {
	if snapshot.World.Kind() != '{' {
		return nil // whether a checksum fits nothing cannot be said
	}
	_, err := w.open(snapshot)
	if refusal, ok := errors.AsType[*payments.Refusal](err); ok {
		return refusal.Errors
	}
	return nil
}

// open reads what a snapshot holds.
func (w *World) open(snapshot payments.SandboxSnapshot) (holds content, err error) {
	refuse := func(field, message string) (content, error) {
		return content{}, payments.Invalid(payments.FieldErrors{field: {"The " + field + " field " + message + "."}})
	}
	if snapshot.Version != snapshotVersion {
		return refuse("version", "must be 1")
	}
	sum, err := checksum(snapshot.World)
	if err != nil || sum != snapshot.Checksum {
		return refuse("checksum", "does not fit the world; the snapshot was changed after it was taken")
	}
	if err := json.Unmarshal(snapshot.World, &holds, contentForm()); err != nil {
		return refuse("world", "is of a form that this service does not know")
	}
	if fault := holds.fault(); fault != "" {
		return refuse("world", fault)
	}
	return holds, nil
}

// checksum is the SHA-256 of a JSON value in canonical form (RFC 8785), so that it may be indented.
func checksum(value jsontext.Value) (string, error) {
	canonical := value.Clone()
	if err := canonical.Canonicalize(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
