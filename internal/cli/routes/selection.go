package routes

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
)

// A side holds the flags of one side of a route.
type side struct {
	name                     string // source or destination
	endpoint                 string
	rail, currency, provider string
}

func (s *side) addTo(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.endpoint, s.name, "", "`RAIL:CURRENCY@PROVIDER` of the "+s.name+"; you can leave out parts, as in :USD or ach")
	f.StringVar(&s.rail, s.name+"-rail", "", "`RAIL` of the "+s.name)
	f.StringVar(&s.currency, s.name+"-currency", "", "`CURRENCY` of the "+s.name)
	f.StringVar(&s.provider, s.name+"-provider", "", "`PROVIDER` of the "+s.name)
}

// selected returns the endpoint that the flags describe, or nil if none is set.
func (s *side) selected() (*payments.RouteEndpoint, error) {
	endpoint := &payments.RouteEndpoint{}
	if s.endpoint != "" {
		parsed, err := payments.ParseEndpoint(s.endpoint)
		if err != nil {
			return nil, cmdutil.Usage("--%s %v", s.name, err)
		}
		endpoint = parsed
	}
	for _, part := range []struct {
		flag, value string
		into        **string
	}{
		{"rail", s.rail, &endpoint.PaymentRail},
		{"currency", strings.ToUpper(s.currency), &endpoint.Currency},
		{"provider", s.provider, &endpoint.Provider},
	} {
		switch {
		case part.value == "":
		case *part.into != nil && **part.into != part.value:
			return nil, cmdutil.Usage("--%s says %s, and --%s-%s says %s", s.name, **part.into, s.name, part.flag, part.value)
		default:
			*part.into = new(part.value)
		}
	}
	if *endpoint == (payments.RouteEndpoint{}) {
		return nil, nil
	}
	return endpoint, nil
}

// A selection holds the flags of both sides.
type selection struct{ source, destination side }

func (s *selection) addTo(cmd *cobra.Command) {
	s.source.name, s.destination.name = "source", "destination"
	s.source.addTo(cmd)
	s.destination.addTo(cmd)
}

func (s *selection) selected() (chosen payments.RouteSelection, err error) {
	if chosen.SelectedSource, err = s.source.selected(); err != nil {
		return chosen, err
	}
	chosen.SelectedDestination, err = s.destination.selected()
	return chosen, err
}
