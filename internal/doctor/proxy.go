package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/payments"
)

// proxy tells which proxy the environment names, and which of its variables cannot be read. What it names is told even where the
// service is spoken to without it: another profile's service may not be.
func (e *examination) proxy(context.Context) []Finding {
	settings, err := e.settings()
	used, way, may := "", "No proxy is named.", false
	if err == nil {
		used, _ = client.ProxyVariable(e.Getenv, settings.BaseURL)
		may = client.MayUseProxy(e.Getenv, settings.BaseURL)
	}
	var findings []Finding
	for _, name := range client.ProxyVariables() {
		value := e.Getenv(name)
		general := strings.EqualFold(name, "ALL_PROXY")
		switch {
		case value == "":
		case !client.IsProxy(value) && name == used:
			findings = append(findings, failed(CheckProxy, payments.KindUnreachable, name+" names a proxy that cannot be read, and nothing is sent past it.", "unset "+name))
		case !client.IsProxy(value):
			findings = append(findings, warning(CheckProxy, name+" names a proxy that cannot be read; it is not used here.", "unset "+name))
		case general && used == "" && may:
			variable := strings.ToUpper(settings.BaseURL.Scheme) + "_PROXY"
			findings = append(findings, warning(CheckProxy, fmt.Sprintf("%s names a proxy, but payctl goes by %s: the service is spoken to without one.", name, variable),
				fmt.Sprintf("export %s=\"$%s\"", variable, name)))
		case !general && name == used:
			way = "The environment names one (" + name + ")."
		case !general && used == "":
			way = "The environment names one (" + name + "); this service is spoken to without it."
		}
	}
	if len(findings) > 0 {
		return findings
	}
	return one(ok(CheckProxy, "%s", way))
}
