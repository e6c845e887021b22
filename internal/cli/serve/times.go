package serve

import (
	"time"

	"github.com/payctl/payctl/internal/cli/deps"
)

// longest is the longest time that a flag takes. Clocks stop two years before the last moment that can be told, so that what is
// a year ahead always can.
const longest = 8760 * time.Hour

// checkTimes refuses times that nothing can take.
func checkTimes(c deps.ServeConfig) error {
	for _, flag := range []struct {
		name           string
		given, atLeast time.Duration
	}{{"kyc-delay", c.KYCDelay, 0}, {"settle-delay", c.SettleDelay, 0}, {"token-ttl", c.TokenLifetime, time.Second}} {
		if flag.given < flag.atLeast || flag.given > longest {
			return deps.Usage("--%s must be from %s to 8760h", flag.name, flag.atLeast)
		}
	}
	return nil
}
