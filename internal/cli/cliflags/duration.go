package cliflags

import (
	"errors"
	"time"

	"github.com/spf13/pflag"

	"github.com/payctl/payctl/internal/payments"
)

// A duration is the value of a flag that takes a duration, such as 90s, 2d or 1w.
type duration time.Duration

// DurationVar adds a flag that takes a duration, also with days and weeks.
func DurationVar(f *pflag.FlagSet, p *time.Duration, name string, usual time.Duration, usage string) {
	*p = usual
	f.Var((*duration)(p), name, usage)
	if usual == 0 {
		f.Lookup(name).DefValue = "" // the help names no default then
	}
}

// String implements pflag.Value.
func (d *duration) String() string { return time.Duration(*d).String() }

// Type implements pflag.Value.
func (*duration) Type() string { return "duration" }

// Set implements pflag.Value. Commands refuse zero where they need more.
func (d *duration) Set(text string) error {
	read, err := time.ParseDuration(text)
	if err != nil {
		read, err = payments.ParseDuration(text)
	}
	if err == nil && read < 0 {
		err = errors.New("must not be negative")
	}
	*d = duration(read)
	return err
}
