package routes

import (
	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// A selection holds the flags of both sides of a route.
type selection struct{ source, destination string }

func (s *selection) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	const usage = "`RAIL:CURRENCY@PROVIDER` of the "
	f.StringVar(&s.source, "source", "", usage+"source; you can leave out parts, as in :USD or ach")
	f.StringVar(&s.destination, "destination", "", usage+"destination")
}

func (s *selection) selected() (chosen payments.RouteSelection, err error) {
	if chosen.SelectedSource, err = endpoint("source", s.source); err != nil {
		return chosen, err
	}
	chosen.SelectedDestination, err = endpoint("destination", s.destination)
	return chosen, err
}

// endpoint returns what a flag describes, or nil if it is not set.
func endpoint(flag, text string) (*payments.RouteEndpoint, error) {
	if text == "" {
		return nil, nil
	}
	parsed, err := payments.ParseEndpoint(text)
	if err != nil {
		return nil, cmdutil.Usage("--%s %v", flag, err)
	}
	return parsed, nil
}
