package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

// snapshotVersion is the version of the format of snapshots.
const snapshotVersion = "1"

// snapshotContent is the world in a snapshot.
type snapshotContent struct {
	Generation int
	Clock      store.Clock
	Export
}

// snapshotFormat writes durations as text such as 1h30m0s, which is exact, as numbers in JSON need not be.
var snapshotFormat = sync.OnceValue(func() json.Options {
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
})

// ResetSandbox implements payments.SandboxSnapshots.
func (w *World) ResetSandbox(ctx context.Context) (payments.SandboxWorld, error) {
	return w.replace(ctx, Export{}, func(*store.World) {})
}

// replace begins a new instance of the world, with other contents and a record that change completes.
func (w *World) replace(
	ctx context.Context, contents Export, change func(*store.World),
) (payments.SandboxWorld, error) {
	if err := w.changing.acquire(ctx); err != nil {
		return payments.SandboxWorld{}, err
	}
	defer w.changing.release()
	var next store.World
	undo := func() {}
	err := w.worlds.config.Store.Update(ctx, w.client, func(tx store.Tx) error {
		if _, err := w.loadRecord(tx); err != nil {
			return err
		}
		before := w.record.Load()
		next = w.newRecord(before.Number + 1)
		next.Version = before.Version + 1
		change(&next)
		if err := errors.Join(contents.replaceContents(tx), tx.Worlds().Put(&next)); err != nil {
			return err
		}
		// Within the transaction, so that no other one sees the new world by the old clock.
		undo = w.beginInstance(&next, w.seeded(&next))
		return nil
	})
	if err != nil {
		undo()
		return payments.SandboxWorld{}, err
	}
	_ = w.worlds.config.Requests.ClearRequests(ctx, w.client) // otherwise nobody sees those of the instance before either
	w.WakeAll()
	return payments.SandboxWorld{Instance: next.Instance}, nil
}

// GetSandboxSnapshot implements payments.SandboxSnapshots.
func (w *World) GetSandboxSnapshot(ctx context.Context) (payments.SandboxSnapshot, error) {
	if err := w.RunDueJobs(ctx); err != nil {
		return payments.SandboxSnapshot{}, err
	}
	var content snapshotContent
	var instance string
	err := w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		// The record in memory may be of a change that is not committed yet, and that the export does not have.
		record, err := tx.Worlds().Get(store.WorldID)
		if err != nil {
			return err
		}
		machine := w.clock.machine()
		instance, content.Generation = record.Instance, record.Generation
		content.Clock = restarted(record.Clock, timeOf(record.Clock, machine), machine)
		content.Export, err = ReadExport(tx)
		return err
	})
	if err != nil {
		return payments.SandboxSnapshot{}, err
	}
	taken := content.Clock.Shown
	content.Clock.Since = taken // the machine's time is not part of the world
	text, err := json.Marshal(content, snapshotFormat())
	if err != nil {
		return payments.SandboxSnapshot{}, err
	}
	sum, err := checksum(text)
	return payments.SandboxSnapshot{
		Version: snapshotVersion, TakenAt: taken, Instance: instance, Checksum: sum, World: text,
	}, err
}

// RestoreSandboxSnapshot implements payments.SandboxSnapshots. A snapshot whose content was changed is refused.
func (w *World) RestoreSandboxSnapshot(
	ctx context.Context, snapshot payments.SandboxSnapshot,
) (payments.SandboxWorld, error) {
	content, err := readSnapshot(snapshot)
	if err != nil {
		return payments.SandboxWorld{}, err
	}
	return w.replace(ctx, content.Export, func(next *store.World) {
		// So that no identifier is drawn twice.
		next.Generation = max(w.record.Load().Generation, content.Generation) + 1
		next.Clock = restarted(content.Clock, content.Clock.Shown, w.clock.machine())
		next.At = content.Clock.Shown
	})
}

// readSnapshot returns what a snapshot holds. The error is a problem that names the field that is wrong.
func readSnapshot(snapshot payments.SandboxSnapshot) (content snapshotContent, err error) {
	wrong := func(field, format string, args ...any) (snapshotContent, error) {
		message := "The " + field + " field " + fmt.Sprintf(format, args...) + "."
		return snapshotContent{}, payments.NewValidationProblem(payments.FieldErrors{field: {message}})
	}
	if snapshot.Version != snapshotVersion {
		return wrong("version", "must be %s", snapshotVersion)
	}
	sum, err := checksum(snapshot.World)
	if err != nil || sum != snapshot.Checksum {
		return wrong("checksum", "does not fit the world; the snapshot was changed after it was taken")
	}
	if err := json.Unmarshal(snapshot.World, &content, snapshotFormat()); err != nil {
		var place jsontext.Pointer
		if unknown, ok := errors.AsType[*json.SemanticError](err); ok {
			place = unknown.JSONPointer
		}
		return wrong("world", "has a value that no world of version %s has, at %.200q", snapshotVersion, place)
	}
	if place := content.missing(); place != "" {
		return wrong("world", "lacks a record, or has one without a meaning, at %q", place)
	}
	return content, nil
}

// missing returns the place of a clock that shows no time, or of a record that is null, which JSON allows in any list;
// empty: there is none.
func (c *snapshotContent) missing() string {
	scaled := c.Clock.Scale >= 1 && c.Clock.Scale <= maxScale
	standing := c.Clock.Mode == payments.ClockModeManual
	if !c.Clock.Mode.Valid() || standing == scaled || standing && c.Clock.Scale != 0 ||
		c.Clock.Shown.Before(time.Unix(0, 0)) || c.Clock.Shown.After(latest) {
		return "/Clock"
	}
	for list, at := range map[string]int{
		"Accounts": slices.Index(c.Accounts, nil), "Contacts": slices.Index(c.Contacts, nil), "Keys": slices.Index(c.Keys, nil),
		"Transfers": slices.IndexFunc(c.Transfers, func(t *store.Transfer) bool { return t == nil || t.Transfer == nil }),
	} {
		if at >= 0 {
			return fmt.Sprintf("/%s/%d", list, at)
		}
	}
	return ""
}

// checksum returns the SHA-256 of the content of a world in canonical form (RFC 8785), so that the content may be
// indented.
func checksum(world jsontext.Value) (string, error) {
	canonical := world.Clone()
	if err := canonical.Canonicalize(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
