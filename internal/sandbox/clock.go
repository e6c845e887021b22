package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
	"github.com/payctl/payctl/internal/store"
)

var _ payments.SandboxControls = (*World)(nil)

// GetSandboxClock implements payments.Sandbox.
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

// SetSandboxClock implements payments.Sandbox.
func (w *World) SetSandboxClock(
	ctx context.Context, settings payments.SandboxClockSettings,
) (payments.SandboxClock, error) {
	if fields := checkClockSettings(settings); len(fields) > 0 {
		return payments.SandboxClock{}, payments.NewValidationProblem(fields)
	}
	once := service.WriteKey{}
	set, err := w.changeClock(ctx, "setSandboxClock", once, func(_ store.Clock, now time.Time) (store.Clock, error) {
		if settings.Now != nil {
			if settings.Now.Before(now) {
				return store.Clock{}, payments.NewProblem(payments.ProblemInvalidState,
					"The clock shows %s and never goes back; reset the sandbox to start again.", now.Format(time.RFC3339Nano))
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

// checkClockSettings checks the settings of a clock beyond their schema.
func checkClockSettings(settings payments.SandboxClockSettings) payments.FieldErrors {
	fields := payments.FieldErrors{}
	if settings.Mode == payments.ClockModeScaled && settings.Scale == 0 {
		fields.Add("scale", payments.RequiredMessage("scale"))
	}
	if settings.Mode.Valid() && settings.Mode != payments.ClockModeScaled && settings.Scale != 0 {
		fields.Add("scale", "The scale field is only for the mode scaled.")
	}
	if settings.Now != nil && settings.Now.After(latest) {
		fields.Add("now", tooLate("now"))
	}
	return fields
}

func tooLate(field string) string {
	return fmt.Sprintf("The %s field goes beyond %s, where clocks stop.", field, latest.Format(time.RFC3339))
}

// AdvanceSandboxClock implements payments.Sandbox.
func (w *World) AdvanceSandboxClock(
	ctx context.Context, advance payments.SandboxAdvance, key service.WriteKey,
) (result service.Written[payments.SandboxClock], err error) {
	wrong := func(message string) error {
		return payments.NewValidationProblem(payments.FieldErrors{"duration": {"The duration field " + message + "."}})
	}
	d, err := payments.ParseDuration(advance.Duration)
	if err != nil {
		return result, wrong(err.Error())
	}
	if d < precision { // the clock would show the same as before
		return result, wrong(fmt.Sprintf("must be at least %s, the precision of clocks", precision))
	}
	advanced := func(clock store.Clock, now time.Time) (store.Clock, error) {
		if now.Add(d).After(latest) {
			return store.Clock{}, payments.NewValidationProblem(payments.FieldErrors{"duration": {tooLate("duration")}})
		}
		return restarted(clock, now.Add(d), w.clock.machine()), nil
	}
	result, err = w.changeClock(ctx, "advanceSandboxClock", key, advanced)
	if err != nil {
		return service.Written[payments.SandboxClock]{}, err
	}
	return result, w.RunDueJobs(ctx)
}

// Advance moves the world's clock and runs everything that is due by then.
func (w *World) Advance(ctx context.Context, d time.Duration) error {
	_, err := w.AdvanceSandboxClock(ctx, payments.SandboxAdvance{Duration: d.String()}, service.WriteKey{})
	return err
}

// changeClock changes the clock in a transaction, so that no other transaction sees two times. change returns the new
// clock, given the current one and its time.
func (w *World) changeClock(
	ctx context.Context, operation string, key service.WriteKey,
	change func(clock store.Clock, now time.Time) (store.Clock, error),
) (service.Written[payments.SandboxClock], error) {
	var next *store.World
	set, err := service.ApplyOnce(ctx, w.Service, operation, key, func(tx store.Tx) (payments.SandboxClock, error) {
		stored, err := tx.Worlds().Get(store.WorldID)
		if err != nil {
			return payments.SandboxClock{}, err
		}
		record := *stored
		if record.Clock, err = change(stored.Clock, w.clock.Shows(stored.Clock)); err != nil {
			return payments.SandboxClock{}, err
		}
		record.Version++
		next = &record
		return clockResponse(record.Clock, record.Clock.Shown), tx.Worlds().Put(next)
	})
	if err == nil {
		w.adoptChanged(next)
	}
	return set, err
}

// maxScale is the largest scale. A clock with it passes a year in about half a minute.
const maxScale = 1_000_000

// SeededStart is the first time of a manual clock in runs with a seed, so that all have the same times.
var SeededStart = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// A ClockSetting is how the clock of a new world runs. The zero value is the machine's clock.
type ClockSetting struct {
	// Mode is real when empty.
	Mode payments.ClockMode
	// Scale is how many seconds a scaled clock runs in one second.
	Scale int
	// Start is the first time of the clock. Zero means the machine's time.
	Start time.Time
}

// begin returns the state of a new clock.
func (s ClockSetting) begin(machine time.Time) store.Clock {
	state := store.Clock{Mode: s.Mode, Scale: s.Scale}
	switch s.Mode {
	case payments.ClockModeManual:
		state.Scale = 0
	case payments.ClockModeReal, "":
		state.Mode, state.Scale = payments.ClockModeReal, 1
	}
	start := s.Start
	if start.IsZero() {
		start = machine
	}
	return restarted(state, start, machine)
}

// ErrClockSetting is the error for an invalid clock setting.
var ErrClockSetting = errors.New(
	"must be real, manual, or how many times faster than real, such as 10x, up to 1000000x")

// ParseClockSetting parses a clock setting: real, manual, or a scale such as 10x. The error is ErrClockSetting.
func ParseClockSetting(text string) (ClockSetting, error) {
	switch mode := payments.ClockMode(text); mode {
	case payments.ClockModeReal, payments.ClockModeManual:
		return ClockSetting{Mode: mode}, nil
	}
	number, scaled := strings.CutSuffix(text, "x")
	scale, err := strconv.ParseUint(number, 10, 32)
	if !scaled || err != nil || scale < 1 || scale > maxScale {
		return ClockSetting{}, ErrClockSetting
	}
	return ClockSetting{Mode: payments.ClockModeScaled, Scale: int(scale)}, nil
}
