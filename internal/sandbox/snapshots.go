package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
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
	store.Export
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
	return w.replace(ctx, store.Export{}, func(*store.World) {})
}

// replace begins a new instance of the world, with other contents and a record that change completes.
func (w *World) replace(
	ctx context.Context, contents store.Export, change func(*store.World),
) (payments.SandboxWorld, error) {
	if err := w.changing.acquire(ctx, lockTimeout); err != nil {
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
		if err := errors.Join(tx.Import(contents), tx.Worlds().Put(&next)); err != nil {
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
		content.Export, err = tx.Export()
		return err
	})
	if err != nil {
		return payments.SandboxSnapshot{}, err
	}
	content.dropStaleJobs()
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

// RestoreSandboxSnapshot implements payments.SandboxSnapshots. A snapshot whose content was changed is refused: the
// rules of the service may never lead to such a world.
func (w *World) RestoreSandboxSnapshot(
	ctx context.Context, snapshot payments.SandboxSnapshot,
) (payments.SandboxWorld, error) {
	content, err := readSnapshot(snapshot)
	if err != nil {
		return payments.SandboxWorld{}, err
	}
	return w.replace(ctx, content.Export, func(next *store.World) {
		// So that no identifier is drawn twice.
		next.Generation = nextGeneration(max(w.record.Load().Generation, content.Generation))
		next.Clock = restarted(content.Clock, content.Clock.Shown, w.clock.machine())
		next.At = content.Clock.Shown
	})
}

// CheckSandboxSnapshot returns the fields that are wrong in a snapshot beyond its schema.
func (w *World) CheckSandboxSnapshot(snapshot payments.SandboxSnapshot) payments.FieldErrors {
	if snapshot.World.Kind() != '{' {
		return nil // the schema reports it, and there is nothing that a checksum could fit
	}
	_, err := readSnapshot(snapshot)
	if problem, ok := errors.AsType[*payments.ProblemError](err); ok {
		return problem.Errors
	}
	return nil
}

// readSnapshot returns what a snapshot holds. The error is a problem that names the field that is wrong.
func readSnapshot(snapshot payments.SandboxSnapshot) (content snapshotContent, err error) {
	wrong := func(field, message string) (snapshotContent, error) {
		return snapshotContent{}, payments.NewValidationProblem(payments.FieldErrors{field: {"The " + field + " field " + message + "."}})
	}
	if snapshot.Version != snapshotVersion {
		return wrong("version", "must be 1")
	}
	sum, err := checksum(snapshot.World)
	if err != nil || sum != snapshot.Checksum {
		return wrong("checksum", "does not fit the world; the snapshot was changed after it was taken")
	}
	if content, err = readContent(snapshot.World); err != nil {
		return wrong("world", err.Error())
	}
	return content, nil
}

// checksum returns the SHA-256 of the content of a world in canonical form (RFC 8785), so that the content may be
// indented. It puts one record after the other into that form, as a copy of the whole could be large.
func checksum(world jsontext.Value) (string, error) {
	members := map[string]jsontext.Value{} // parts of world
	err := eachPart(world, func(d *jsontext.Decoder) error {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		value, err := d.ReadValue()
		end := int(d.InputOffset())
		members[text] = world[end-len(value) : end]
		return err
	})
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	separator := ""
	sum.Write([]byte("{"))
	for _, name := range slices.Sorted(maps.Keys(members)) { // a world's names are ASCII, and need no escapes
		sum.Write([]byte(separator + strconv.Quote(name) + ":"))
		if err := writeCanonical(sum, members[name]); err != nil {
			return "", err
		}
		separator = ","
	}
	sum.Write([]byte("}"))
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// writeCanonical writes a value in canonical form, an array element by element.
func writeCanonical(to io.Writer, value jsontext.Value) error {
	if value.Kind() != '[' {
		canonical := value.Clone()
		if err := canonical.Canonicalize(); err != nil {
			return err
		}
		_, err := to.Write(canonical)
		return err
	}
	if _, err := io.WriteString(to, "["); err != nil {
		return err
	}
	separator := ""
	err := eachPart(value, func(d *jsontext.Decoder) error {
		element, err := d.ReadValue()
		if err != nil {
			return err
		}
		if _, err := io.WriteString(to, separator); err != nil {
			return err
		}
		separator = ","
		return writeCanonical(to, element)
	})
	if err == nil {
		_, err = io.WriteString(to, "]")
	}
	return err
}

// eachPart calls visit to read each element of an array or member of an object, until there are no more. The decoder
// reads value in place.
func eachPart(value jsontext.Value, visit func(*jsontext.Decoder) error) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(value))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != ']' && d.PeekKind() != '}' {
		if err := visit(d); err != nil {
			return err
		}
	}
	return nil
}
