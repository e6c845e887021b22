package sandbox

import (
	"context"
	"fmt"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

var _ payments.Sandbox = (*World)(nil)

// GetSandboxClock implements payments.SandboxTime. It tells of the clock that is kept: the one in memory is moved before the disk
// has it.
func (w *World) GetSandboxClock(ctx context.Context) (clock payments.SandboxClock, err error) {
	err = w.worlds.config.Store.View(ctx, w.client, func(tx store.Tx) error {
		record, err := w.follow(tx)
		if err == nil {
			clock = told(record.Clock, shows(record.Clock, w.clock.machine()))
		}
		return err
	})
	return clock, err
}

func told(state store.Clock, now time.Time) payments.SandboxClock {
	return payments.SandboxClock{Mode: state.Mode, Now: now, Scale: state.Scale}
}

// SetSandboxClock implements payments.SandboxTime.
func (w *World) SetSandboxClock(ctx context.Context, settings payments.SandboxClockSettings) (payments.SandboxClock, error) {
	if fields := w.CheckSandboxClockSettings(settings); len(fields) > 0 {
		return payments.SandboxClock{}, payments.Invalid(fields)
	}
	set, err := w.reclock(ctx, "setSandboxClock", payments.Idempotency{}, func(now time.Time) (store.Clock, error) {
		if settings.Now != nil {
			if settings.Now.Before(now) {
				return store.Clock{}, payments.Refuse(payments.KindInvalidState,
					"The clock shows %s and never goes back; a reset begins anew.", now.Format(time.RFC3339Nano))
			}
			now = *settings.Now
		}
		return ClockSetting{Mode: settings.Mode, Scale: settings.Scale, Start: now}.begin(w.clock.machine()), nil
	})
	if err != nil {
		return payments.SandboxClock{}, err
	}
	return set.Value, w.CatchUp(ctx)
}

// CheckSandboxClockSettings finds what is wrong with a clock's settings beyond their schema.
func (*World) CheckSandboxClockSettings(settings payments.SandboxClockSettings) payments.FieldErrors {
	fields := payments.FieldErrors{}
	if settings.Mode == payments.ClockModeScaled && settings.Scale == 0 {
		fields.Add("scale", payments.RequiredMessage("scale"))
	}
	if settings.Mode.Valid() && settings.Mode != payments.ClockModeScaled && settings.Scale != 0 {
		fields.Add("scale", "The scale field goes with the mode scaled only.")
	}
	if settings.Now != nil && settings.Now.After(latest) {
		fields.Add("now", tooLate("now"))
	}
	return fields
}

func tooLate(field string) string {
	return fmt.Sprintf("The %s field leads beyond %s, where clocks stop.", field, latest.Format(time.RFC3339))
}

// AdvanceSandboxClock implements payments.SandboxTime.
func (w *World) AdvanceSandboxClock(ctx context.Context, advance payments.SandboxAdvance, key payments.Idempotency) (payments.Written[payments.SandboxClock], error) {
	d, err := payments.ParseDuration(advance.Duration)
	if err != nil {
		return payments.Written[payments.SandboxClock]{}, payments.Invalid(payments.FieldErrors{"duration": {"The duration field " + err.Error() + "."}})
	}
	if d < precision { // the clock would answer that it was advanced, and show the same
		return payments.Written[payments.SandboxClock]{}, payments.Invalid(payments.FieldErrors{"duration": {
			fmt.Sprintf("The duration field must be at least %s, which is the finest that a clock shows.", precision)}})
	}
	advanced, err := w.reclock(ctx, "advanceSandboxClock", key, func(now time.Time) (store.Clock, error) {
		if now.Add(d).After(latest) {
			return store.Clock{}, payments.Invalid(payments.FieldErrors{"duration": {tooLate("duration")}})
		}
		return goingOn(*w.clock.state.Load(), now.Add(d), w.clock.machine()), nil
	})
	if err != nil {
		return payments.Written[payments.SandboxClock]{}, err
	}
	return advanced, w.CatchUp(ctx)
}

// Advance moves the world's clock and returns when everything due has happened.
func (w *World) Advance(ctx context.Context, d time.Duration) error {
	_, err := w.AdvanceSandboxClock(ctx, payments.SandboxAdvance{Duration: d.String()}, payments.Idempotency{})
	return err
}

// reclock changes the clock within a transaction, so that no other one sees two times. What the clock is changed to is
// decided from what it shows. Where the transaction fails the clock goes on as before.
func (w *World) reclock(
	ctx context.Context, operation string, key payments.Idempotency, change func(now time.Time) (store.Clock, error),
) (payments.Written[payments.SandboxClock], error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	undo := func() {}
	set, err := service.Once(ctx, w.Service, operation, key, func(tx store.Tx, _ time.Time) (payments.SandboxClock, error) {
		state, err := change(w.clock.Now())
		if err != nil {
			return payments.SandboxClock{}, err
		}
		before, clock := w.record.Load(), w.clock.state.Load()
		record := *before
		record.Clock = state
		record.Version++
		if err := tx.Worlds().Put(&record); err != nil {
			return payments.SandboxClock{}, err
		}
		undo = func() {
			w.record.Store(before)
			w.clock.state.Store(clock)
		}
		w.clock.set(state)
		w.record.Store(&record)
		return told(state, state.Shown), nil
	})
	if err != nil {
		undo()
	}
	w.Repace()
	return set, err
}
