package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/deps"
)

// operations is the help topic `payctl help operations`.
func operations(d *deps.Deps) *cobra.Command {
	var b strings.Builder
	b.WriteString(`The published interface of the service shows a part of its operations; the others are assumed, and a real service may have
them elsewhere. A profile maps an assumed operation to the method and path that the service really has:

  payctl profile set production operations.getKycStatus "GET /kyc/{accountId}/v2"
  payctl profile set production kyc_status_pointer /data/status

or in the configuration file:

  profiles:
    production:
      base_url: https://payments.example
      operations:
        getKycStatus: GET /kyc/{accountId}/v2
      kyc_status_pointer: /data/status

The path lies below the base URL and has as many {parameters} as the one that it stands in for, in the same order. An
operation that changes something cannot become a GET. One that only reads stays a read, whatever its method: it may be
repeated. kyc_status_pointer is a JSON Pointer (RFC 6901) to the status in the answer of getKycStatus and submitKyc, where
that answer has another form. An empty value takes a mapping out. payctl profile show tells what is mapped and by whom.

Published operations cannot be mapped: the service promises them where they are. payctl api makes any call at all.

The operations that can be mapped:

`)
	for _, op := range d.Mappable {
		fmt.Fprintf(&b, "  %-20s %-6s %s\n", op.ID, op.Method, op.Path)
	}
	return &cobra.Command{Use: "operations", Short: "Where a service has its operations, and how a profile says so", Long: strings.TrimRight(b.String(), "\n")}
}
