package sandbox

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/store"
)

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
