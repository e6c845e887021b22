package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
	"github.com/payctl/payctl/internal/ui"
	"github.com/payctl/payctl/internal/wait"
)

// newPing returns `payctl ping`.
func newPing(d *cmdutil.Deps) *cobra.Command {
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
		RunE: func(cmd *cobra.Command, _ []string) error { return ping(cmd.Context(), d, waiting) },
	}
	cmdutil.DurationVar(cmd.Flags(), &waiting, "wait", 0, "try again until the service answers, for `DURATION` at most, such as 30s")
	return cmd
}

// A pingResult is what `ping` prints for programs.
type pingResult struct {
	URL       string  `json:"url"`
	Answered  bool    `json:"answered"`
	Status    int     `json:"status"`    // of HTTP
	LatencyMS float64 `json:"latencyMs"` // from the beginning of the connection to the complete answer
	Server    string  `json:"server,omitzero"`
}

func ping(ctx context.Context, d *cmdutil.Deps, waiting time.Duration) error {
	printer, err := d.Printer(ctx)
	if err != nil {
		return err
	}
	resolved, err := d.Settings()
	if err != nil {
		return err
	}
	service, err := d.NewClient(resolved)
	if err != nil {
		return err
	}
	var answer client.Probe
	err = cmdutil.RunWithTimeout(ctx, waiting, func(ctx context.Context) error {
		// A service is waited for no longer than a second after it has begun to listen.
		pauses := wait.Backoff{First: 100 * time.Millisecond, Longest: time.Second}
		for failures := 1; ; failures++ {
			if answer, err = pingOnce(ctx, service, waiting > 0); err == nil || ctx.Err() != nil || waiting == 0 ||
				!mayPass(err) {
				return err
			}
			if failures == 1 {
				d.Trouble(err)
			}
			if err := wait.Sleep(ctx, pauses.Pause(failures, 0)); err != nil {
				return err
			}
		}
	}, func() error {
		return &cmdutil.Error{
			Code: cmdutil.ExitWaitTimeout, ProblemType: "wait-timeout", Title: "The time to wait ran out.",
			Detail: "after " + waiting.String() + " the service does not answer",
			Next:   []shell.Hint{shell.Payctl("doctor"), shell.Note("allow more time with --wait")},
		}
	})
	if err != nil {
		return err
	}
	found := pingResult{
		URL: resolved.BaseURL.String(), Answered: true, Status: answer.Status, Server: answer.Server,
		LatencyMS: float64(answer.Took.Round(100*time.Microsecond)) / float64(time.Millisecond),
	}
	return printer.Print(found, func() ui.Details {
		return slices.Concat(cmdutil.Field("URL", found.URL),
			cmdutil.Field("Answered in", strconv.FormatFloat(found.LatencyMS, 'f', 1, 64)+" ms"),
			cmdutil.Field("Status", strconv.Itoa(found.Status)+" "+answer.StatusText()), cmdutil.Field("Server", found.Server))
	})
}

// pingOnce asks the service. An answer with a status of 500 or more is an error: it may be that of a gateway in front
// of a service that does not run. An attempt that is followed by others has five seconds: a service that listens
// answers sooner.
func pingOnce(ctx context.Context, service *client.Client, isOneOfMany bool) (client.Probe, error) {
	if isOneOfMany {
		attempt, end := context.WithTimeout(ctx, 5*time.Second)
		defer end()
		ctx = attempt
	}
	answer, err := service.Probe(ctx)
	if err == nil && answer.Status >= 500 {
		reason := fmt.Sprintf("HTTP status %d (%s)", answer.Status, answer.StatusText())
		broken := payments.NewLocalProblem(payments.ProblemUnusable, nil, "The service does not work.",
			"It, or a gateway in front of it, answers with %s.", reason)
		broken.Reason, err = reason, broken
	}
	return answer, err
}

// mayPass reports whether an error may pass by itself: the service cannot be reached yet, or does not work yet.
func mayPass(err error) bool {
	return payments.IsProblem(err, payments.ProblemUnreachable) || payments.IsProblem(err, payments.ProblemTimeout) ||
		payments.IsProblem(err, payments.ProblemUnusable)
}
