package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
)

// An ExitCode is a row of the table of exit codes.
type ExitCode struct {
	Code    int
	Meaning string
}

// ExitCodes returns the table of exit codes, from which the help and the documentation are made.
func ExitCodes() []ExitCode {
	return []ExitCode{
		{cmdutil.ExitDone, "done"},
		{cmdutil.ExitUnexpected, "unexpected failure"},
		{cmdutil.ExitUsage, "usage: wrong flag, argument, input file, settings or base URL; nothing was done"},
		{cmdutil.ExitInvalid, "the service found the request invalid (400, or any other 4xx)"},
		{cmdutil.ExitCredential, "no usable credential, or not allowed (401, 403); keyring locked or absent"},
		{cmdutil.ExitNotFound, "not found (404, 410)"},
		{cmdutil.ExitConflict, "conflict: key or reference used before, or the state forbids it (409, 412, 422)"},
		{cmdutil.ExitRateLimited, "rate limited, and no retries left (429)"},
		{cmdutil.ExitReadFailed, "a read failed at the service (5xx, 408, or an unusable answer)"},
		{cmdutil.ExitUnreachable, "the service could not be reached; nothing was sent"},
		{cmdutil.ExitOutcomeUnknown, "outcome unknown: a write may have taken effect, another payctl is sending it, or a reference was paid twice"},
		{cmdutil.ExitWatchFailed, "a watch failed: identity check rejected, transfer failed"},
		{cmdutil.ExitWaitTimeout, "--timeout ran out while waiting"},
		{cmdutil.ExitRowsRefused, "a batch finished, but some rows were refused"},
		{cmdutil.ExitDeclined, "declined: identity check required, limit exceeded, or route and contact do not match"},
		{cmdutil.ExitCheckFailed, "serve --check found answers that break the contract"},
		{cmdutil.ExitHungUp, "the terminal was closed"},
		{cmdutil.ExitInterrupted, "interrupted (Ctrl-C)"},
		{cmdutil.ExitTerminated, "terminated"},
	}
}

// exitCodes is the help topic `payctl help exit-codes`.
func exitCodes() *cobra.Command {
	var b strings.Builder
	b.WriteString("The exit code tells a script what happened, and what it can do next:\n\n")
	for _, row := range ExitCodes() {
		fmt.Fprintf(&b, "  %3d  %s\n", row.Code, row.Meaning)
	}
	long := strings.TrimRight(b.String(), "\n")
	return &cobra.Command{Use: "exit-codes", Short: "What each exit code means", Long: long}
}

// environment is the help topic `payctl help environment`.
func environment() *cobra.Command {
	return &cobra.Command{
		Use:   "environment",
		Short: "The environment variables that payctl reads",
		Long: `A flag wins over an environment variable, a variable over the profile, and the profile over the default.

  PAYCTL_PROFILE           the profile to use
  PAYCTL_BASE_URL          the URL of the service
  PAYCTL_TOKEN             an access token, for the service that PAYCTL_BASE_URL or PAYCTL_PROFILE names
  PAYCTL_CLIENT_ID         a client id, together with
  PAYCTL_CLIENT_SECRET     its secret: payctl fetches a token with them for this process
  PAYCTL_CA_CERT           a PEM file with the only certificate authorities to trust
  PAYCTL_OUTPUT            the output format
  PAYCTL_CREDENTIAL_STORE  keyring or file
  PAYCTL_CONFIG_DIR        the folder of the configuration, and of the state below it
  XDG_CONFIG_HOME          without PAYCTL_CONFIG_DIR, on Linux and the BSDs: the configuration is in payctl below it
                           (default ~/.config)
  XDG_STATE_HOME           likewise, the state is in payctl below it (default ~/.local/state)
  HTTPS_PROXY, NO_PROXY    the proxy, and the hosts without; HTTP_PROXY for plain http; none for this machine
  NO_COLOR                 no colour (https://no-color.org); CLICOLOR=0 and TERM=dumb do the same
  CLICOLOR_FORCE           colour without a terminal too
  LC_ALL, LC_CTYPE, LANG   whether a terminal shows more than ASCII`,
	}
}

// operations is the help topic `payctl help operations`.
func operations(d *cmdutil.Deps) *cobra.Command {
	var b strings.Builder
	b.WriteString(`The published interface of the service describes only some of its operations. payctl assumes the
others, and a real service may have them at another path. A profile maps an assumed operation to the method and path
that the service has:

  payctl profile set production operations.getKycStatus "GET /kyc/{accountId}/v2"
  payctl profile set production kyc_status_pointer /data/status

or in the configuration file:

  profiles:
    production:
      base_url: https://payments.example
      operations:
        getKycStatus: GET /kyc/{accountId}/v2
      kyc_status_pointer: /data/status

The path is below the base URL. It has the same number of {parameters} as the original one, in the same order. An
operation that changes something cannot become a GET. An operation that only reads counts as a read with any method, and
is sent again after a failure. kyc_status_pointer is a JSON Pointer (RFC 6901) to the status in the answers of getKycStatus and
submitKyc, for a service whose answers have another form. An empty value removes a mapping. payctl profile show lists
the mappings and where each was set.

Published operations cannot be mapped. payctl api makes any call.

The operations that can be mapped:

`)
	for _, op := range d.Mappable {
		fmt.Fprintf(&b, "  %-20s %-6s %s\n", op.ID, op.Method, op.Path)
	}
	return &cobra.Command{
		Use: "operations", Short: "How a profile maps operations that a service has at other paths",
		Long: strings.TrimRight(b.String(), "\n"),
	}
}
