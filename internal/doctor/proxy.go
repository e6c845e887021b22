package doctor

import (
	"context"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

// proxy reports which proxy the environment names, and which of its variables cannot be read, also where this profile's
// service is called without a proxy: another profile's may not be.
func (e *examination) proxy(_ context.Context, c *check) {
	resolved, err := e.settings()
	used, mayUse := "", false
	if err == nil {
		used, _ = client.ProxyVariable(e.Getenv, resolved.BaseURL)
		mayUse = client.MayUseProxy(e.Getenv, resolved.BaseURL)
	}
	text := "No proxy is named."
	for _, name := range client.ProxyVariables() {
		value := e.Getenv(name)
		isAll := strings.EqualFold(name, "ALL_PROXY")
		switch {
		case value == "":
		case !client.IsProxy(value) && name == used:
			c.fail(payments.KindUnreachable, "%s names a proxy that cannot be read, and nothing is sent without it.", name).
				Fix = shell.UnsetCommand(name)
		case !client.IsProxy(value):
			c.warn("%s names a proxy that cannot be read; it is not used here.", name).Fix = shell.UnsetCommand(name)
		case isAll && used == "" && mayUse:
			variable := strings.ToUpper(resolved.BaseURL.Scheme) + "_PROXY"
			c.warn("%s names a proxy, but payctl uses %s: the service is called without one.", name, variable).
				Fix = shell.ExportCommand(variable, name)
		case !isAll && name == used:
			text = "The environment names one (" + name + ")."
		case !isAll && used == "":
			text = "The environment names one (" + name + "); this service is called without it."
		}
	}
	if len(c.findings) == 0 {
		c.ok("%s", text)
	}
}
