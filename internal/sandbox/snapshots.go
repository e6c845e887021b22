package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
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

// snapshotFormat writes durations as text such as 1h30m0s, since numbers in JSON may lose precision.
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

// ResetSandbox implements payments.Sandbox.
func (w *World) ResetSandbox(ctx context.Context) (payments.SandboxWorld, error) {
	return w.replace(ctx, Export{}, func(_, _ *store.World) {})
}

// replace begins a new instance of the world with these contents. complete completes its record, given the one before.
func (w *World) replace(
	ctx context.Context, contents Export, complete func(before, next *store.World),
) (payments.SandboxWorld, error) {
	if leaving := w.worlds.config.Leaving; leaving != nil {
		leaving(ctx, w.client)
	}
	var instance string
	err := w.changeRecord(ctx, func(tx store.Tx, record *store.World) (changed bool, err error) {
		next := w.newRecord(record.Number + 1)
		complete(record, &next)
		*record, instance = next, next.Instance
		return true, contents.replaceContents(tx)
	})
	if err != nil {
		return payments.SandboxWorld{}, err
	}
	_ = w.worlds.config.Requests.ClearRequests(ctx, w.client) // an error hides nothing: lists only show this instance
	return payments.SandboxWorld{Instance: instance}, nil
}

// GetSandboxSnapshot implements payments.Sandbox.
func (w *World) GetSandboxSnapshot(ctx context.Context) (payments.SandboxSnapshot, error) {
	if err := w.RunDueJobs(ctx); err != nil {
		return payments.SandboxSnapshot{}, err
	}
	var content snapshotContent
	var instance string
	err := w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
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
	content.Clock.Since = taken // the machine's time does not belong to the world
	text, err := json.Marshal(content, snapshotFormat())
	if err != nil {
		return payments.SandboxSnapshot{}, err
	}
	sum, err := checksum(text)
	return payments.SandboxSnapshot{
		Version: snapshotVersion, TakenAt: taken, Instance: instance, Checksum: sum, World: text,
	}, err
}

// RestoreSandboxSnapshot implements payments.Sandbox. It refuses a snapshot that was changed.
func (w *World) RestoreSandboxSnapshot(
	ctx context.Context, snapshot payments.SandboxSnapshot,
) (payments.SandboxWorld, error) {
	content, err := readSnapshot(snapshot)
	if err != nil {
		return payments.SandboxWorld{}, err
	}
	return w.replace(ctx, content.Export, func(before, next *store.World) {
		next.Generation = max(before.Generation, content.Generation) + 1 // makes new identifiers unique
		next.Clock = restarted(content.Clock, content.Clock.Shown, w.clock.machine())
		next.At = content.Clock.Shown
	})
}

// readSnapshot returns the content of a snapshot. The error is a problem that names the invalid field.
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
		return wrong("checksum", "does not match the world field; the snapshot was changed after it was taken")
	}
	if json.Unmarshal(snapshot.World, &content, snapshotFormat()) != nil || !content.isWhole() {
		return wrong("world", "is not the world of a snapshot of version %s", snapshotVersion)
	}
	return content, nil
}

// isWhole reports whether the clock is valid and no record is null, which JSON allows in any list.
func (c *snapshotContent) isWhole() bool {
	scaled := c.Clock.Scale >= 1 && c.Clock.Scale <= maxScale
	standing := c.Clock.Mode == payments.ClockModeManual && c.Clock.Scale == 0
	return c.Clock.Mode.Valid() && scaled != standing && standing == (c.Clock.Mode == payments.ClockModeManual) &&
		!c.Clock.Shown.Before(time.Unix(0, 0)) && !c.Clock.Shown.After(latest) &&
		!slices.Contains(c.Accounts, nil) && !slices.Contains(c.Contacts, nil) && !slices.Contains(c.Keys, nil) &&
		!slices.ContainsFunc(c.Transfers, func(t *store.Transfer) bool { return t == nil || t.Transfer == nil })
}

// checksum returns the SHA-256 of a world in canonical form (RFC 8785), so that people may indent a snapshot.
func checksum(world jsontext.Value) (string, error) {
	canonical := world.Clone()
	if err := canonical.Canonicalize(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}

// An Export is the contents of a world, for a snapshot. It lacks the world's own record, its clients and tokens.
type Export struct {
	Accounts  []*store.Account
	Contacts  []*store.Contact
	Transfers []*store.Transfer
	Keys      []*store.Key
}

// ReadExport reads a world.
func ReadExport(tx store.Tx) (e Export, err error) {
	var failed [4]error
	all := store.Query{Limit: math.MaxInt}
	e.Accounts, failed[0] = tx.Accounts().List(all)
	e.Contacts, failed[1] = tx.Contacts().List(all)
	e.Transfers, failed[2] = tx.Transfers().List(all)
	e.Keys, failed[3] = tx.Keys().List(all)
	return e, errors.Join(failed[:]...)
}

// replaceContents replaces the contents of a world with the export.
func (e Export) replaceContents(tx store.Tx) error {
	return errors.Join(tx.Clear(), putAll(tx.Accounts(), e.Accounts), putAll(tx.Contacts(), e.Contacts),
		putAll(tx.Transfers(), e.Transfers), putAll(tx.Keys(), e.Keys))
}

// putAll puts records, the least identifier first, since inserting at the end of a table is faster.
func putAll[T any](table store.Table[T], records []*T) error {
	for _, record := range slices.Backward(records) {
		if err := table.Put(record); err != nil {
			return err
		}
	}
	return nil
}
