// Package ping is `payctl ping`.
package ping

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// Deps are what the command is given.
type Deps struct {
	*cmdutil.Deps
	// Ping asks the service at the settings' base URL for its health, without a credential. Any answer is a Pong.
	Ping func(context.Context) (Pong, error)
}

// A Pong is the answer to Ping.
type Pong struct {
	Status     int
	StatusText string        // the meaning of the status, such as Not Found
	Server     string        // the product and version that it names, such as payctl/1.2.0; may be empty
	Took       time.Duration // from the call to the complete answer
}

// New returns the command.
func New(d *Deps) *cobra.Command {
	var waiting time.Duration
	cmd := &cobra.Command{
		Use:   "ping",
		Short: "See whether the service answers",
		Long: `See whether the service at the base URL answers: a health check for containers and scripts. It needs
no login and no configuration.

The request is GET /healthz below the base URL. Every answer counts, also a 404 of a service that
does not have this path, except for one with a status of 500 or more. The exit code is 0 if the
service answers, 9 if it cannot be reached, 8 if its answer does not count or is not complete within
--timeout, and 12 if --wait ran out.`,
		Example: `  payctl ping
  payctl ping --wait 30s && ./run-tests
  payctl ping -o json | jq .latencyMs`,
		Args: cmdutil.Args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return ping(cmd.Context(), d, waiting) },
	}
	cmdutil.DurationVar(cmd.Flags(), &waiting, "wait", 0, "try again until the service answers, for `DURATION` at most, such as 30s")
	return cmd
}

// A result is what `ping` prints for programs.
type result struct {
	URL       string  `json:"url"`
	Answered  bool    `json:"answered"`
	Status    int     `json:"status"`    // of HTTP
	LatencyMS float64 `json:"latencyMs"` // from the beginning of the connection to the complete answer
	Server    string  `json:"server,omitzero"`
}

func ping(ctx context.Context, d *Deps, waiting time.Duration) error {
	if waiting < 0 {
		return cmdutil.Usage("--wait must be more than zero")
	}
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	var pong Pong
	if waiting == 0 {
		pong, err = askOnce(ctx, d)
	} else {
		pong, err = askUntilAnswered(ctx, d, waiting)
	}
	if err != nil {
		return err
	}
	const perMillisecond, tenth = float64(time.Millisecond), 10
	found := result{
		URL: resolved.BaseURL.String(), Answered: true, Status: pong.Status, Server: pong.Server,
		LatencyMS: math.Round(float64(pong.Took)/perMillisecond*tenth) / tenth,
	}
	return printer.Print(found, func() ui.View {
		field := func(label, text string) ui.Field {
			return ui.Field{Label: label, Cells: []ui.Cell{ui.Optional(text)}}
		}
		return ui.Details{
			field("URL", found.URL),
			field("Answered in", strconv.FormatFloat(found.LatencyMS, 'f', 1, 64)+" ms"),
			field("Status", strconv.Itoa(found.Status)+" "+pong.StatusText), field("Server", found.Server),
		}
	})
}

// askOnce asks the service. An answer with a status of 500 or more is an error: it may be that of a gateway in front of
// a service that does not run.
func askOnce(ctx context.Context, d *Deps) (Pong, error) {
	pong, err := d.Ping(ctx)
	if err == nil && pong.Status >= 500 {
		reason := fmt.Sprintf("HTTP status %d (%s)", pong.Status, pong.StatusText)
		broken := payments.NewLocalProblem(payments.KindUnusable, nil, "The service does not work.",
			"It, or a gateway in front of it, answers with %s.", reason)
		broken.Reason, err = reason, broken
	}
	return pong, err
}

const (
	// attemptTime is how long one attempt may take while there is time for another one: a service that has begun to
	// listen answers sooner.
	attemptTime = 5 * time.Second
	// firstPause and longestPause bound the pauses between attempts: a service is waited for no longer than a second
	// after it has begun to listen.
	firstPause, longestPause = 100 * time.Millisecond, time.Second
)

// askUntilAnswered asks until the service answers or the time is over. It ends at once with an error that waiting does
// not change.
func askUntilAnswered(ctx context.Context, d *Deps, waiting time.Duration) (pong Pong, err error) {
	pauses := wait.Backoff{First: firstPause, Longest: longestPause}
	var last error
	err = cmdutil.RunWithTimeout(ctx, waiting, func(ctx context.Context) error {
		for failures := 1; ; failures++ {
			attempt, end := context.WithTimeout(ctx, attemptTime)
			answer, err := askOnce(attempt, d)
			end()
			if err == nil {
				pong = answer
				return nil
			}
			if ctx.Err() != nil {
				return err
			}
			if !mayPass(err) {
				return err
			}
			if last == nil {
				d.Trouble(err)
			}
			last = err
			if err := wait.Sleep(ctx, pauses.Pause(failures, 0)); err != nil {
				return err
			}
		}
	}, func() error {
		detail := "after " + waiting.String() + " the service does not answer"
		if last != nil {
			detail += ": " + cmdutil.Reason(last)
		}
		return &cmdutil.Error{
			Code: cmdutil.ExitWaitTimeout, Kind: "wait-timeout", Title: "The time to wait ran out.", Detail: detail,
			Next: []string{"payctl doctor", "allow more time with --wait"},
		}
	})
	return pong, err
}

// mayPass reports whether an error may pass by itself: the service cannot be reached yet, or does not work yet.
func mayPass(err error) bool {
	problem, ok := errors.AsType[*payments.ProblemError](err)
	if !ok {
		return false
	}
	switch problem.Kind() {
	case payments.KindUnreachable, payments.KindTimeout, payments.KindUnusable:
		return true
	}
	return false
}
