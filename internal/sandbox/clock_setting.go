package sandbox

import (
	"errors"
	"strconv"
	"strings"

	"github.com/payctl/payctl/internal/payments"
)

// maxScale is the most seconds that a clock runs in one second.
const maxScale = 1_000_000

// ErrClockSetting is the reason why a text is refused as a clock's setting.
var ErrClockSetting = errors.New("must be real, manual, or a whole number of seconds in one second such as 10x, up to 1000000x")

// ParseClockSetting reads how clocks are to run: real, manual or 10x. The error is ErrClockSetting.
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
