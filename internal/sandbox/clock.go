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

// GetSandboxClock implements payments.SandboxTime. It shows the clock that is stored: the one in memory is moved
// before the change is committed.
func (w *World) GetSandboxClock(ctx context.Context) (clock payments.SandboxClock, err error) {
	record, err := w.storedRecord(ctx)
	if err == nil {
		clock = clockResponse(record.Clock, w.clock.Shows(record.Clock))
	}
	return clock, err
}

func clockResponse(state store.Clock, now time.Time) payments.SandboxClock {
	return payments.SandboxClock{Mode: state.Mode, Now: now, Scale: state.Scale}
}

// SetSandboxClock implements payments.SandboxTime.
func (w *World) SetSandboxClock(
	ctx context.Context, settings payments.SandboxClockSettings,
) (payments.SandboxClock, error) {
	if fields := checkClockSettings(settings); len(fields) > 0 {
		return payments.SandboxClock{}, payments.NewValidationProblem(fields)
	}
	set, err := w.changeClock(ctx, "setSandboxClock", payments.Idempotency{}, func(now time.Time) (store.Clock, error) {
		if settings.Now != nil {
			if settings.Now.Before(now) {
				return store.Clock{}, payments.NewProblem(payments.KindInvalidState,
					"The clock shows %s and never goes back; reset the world to begin anew.", now.Format(time.RFC3339Nano))
			}
			now = *settings.Now
		}
		return ClockSetting{Mode: settings.Mode, Scale: settings.Scale, Start: now}.begin(w.clock.machine()), nil
	})
	if err != nil {
		return payments.SandboxClock{}, err
	}
	return set.Value, w.RunDueJobs(ctx)
}

// checkClockSettings returns the fields that are wrong in the settings of a clock beyond their schema.
func checkClockSettings(settings payments.SandboxClockSettings) payments.FieldErrors {
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
func (w *World) AdvanceSandboxClock(
	ctx context.Context, advance payments.SandboxAdvance, key payments.Idempotency,
) (result payments.WriteResult[payments.SandboxClock], err error) {
	wrong := func(message string) error {
		return payments.NewValidationProblem(payments.FieldErrors{"duration": {"The duration field " + message + "."}})
	}
	d, err := payments.ParseDuration(advance.Duration)
	if err != nil {
		return result, wrong(err.Error())
	}
	if d < precision { // the clock would show the same as before
		return result, wrong(fmt.Sprintf("must be at least %s, which is the finest that a clock shows", precision))
	}
	result, err = w.changeClock(ctx, "advanceSandboxClock", key, func(now time.Time) (store.Clock, error) {
		if now.Add(d).After(latest) {
			return store.Clock{}, payments.NewValidationProblem(payments.FieldErrors{"duration": {tooLate("duration")}})
		}
		return restarted(*w.clock.state.Load(), now.Add(d), w.clock.machine()), nil
	})
	if err != nil {
		return payments.WriteResult[payments.SandboxClock]{}, err
	}
	return result, w.RunDueJobs(ctx)
}

// Advance moves the world's clock and returns when everything that is due by then has happened.
func (w *World) Advance(ctx context.Context, d time.Duration) error {
	_, err := w.AdvanceSandboxClock(ctx, payments.SandboxAdvance{Duration: d.String()}, payments.Idempotency{})
	return err
}

// changeClock changes the clock within a transaction, so that no other one sees two times. change returns the new
// clock, given what the present one shows. If the transaction fails, the clock goes on as before.
func (w *World) changeClock(
	ctx context.Context, operation string, key payments.Idempotency, change func(now time.Time) (store.Clock, error),
) (payments.WriteResult[payments.SandboxClock], error) {
	if err := w.changing.acquire(ctx); err != nil {
		return payments.WriteResult[payments.SandboxClock]{}, err
	}
	defer w.changing.release()
	undo := func() {}
	set, err := service.ApplyOnce(ctx, w.Service, operation, key, func(tx store.Tx) (payments.SandboxClock, error) {
		state, err := change(w.clock.Now())
		if err != nil {
			return payments.SandboxClock{}, err
		}
		record := *w.record.Load()
		record.Clock = state
		return clockResponse(state, state.Shown), w.putRecord(tx, &record, &undo)
	})
	if err != nil {
		undo()
	}
	w.ClockChanged()
	return set, err
}
