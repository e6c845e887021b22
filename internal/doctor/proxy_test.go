package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/shell"
)

func TestProxiesOfTheEnvironment(t *testing.T) {
	t.Parallel()
	const elsewhere, here, broken = "https://payments.test", "https://127.0.0.1:1", "http://ada:pass%word@proxy.test:3128"
	for name, c := range map[string]struct {
		service string
		more    []string
		result  Result
		kind    payments.Kind
		message string
		fix     string
	}{
		"none":             {elsewhere, nil, OK, "", "No proxy is named.", ""},
		"one":              {elsewhere, []string{"HTTPS_PROXY", "http://ada:s3cret-pass@proxy.test:3128"}, OK, "", "The environment names one (HTTPS_PROXY).", ""},
		"lower case":       {elsewhere, []string{"https_proxy", "proxy.test"}, OK, "", "The environment names one (https_proxy).", ""},
		"this machine":     {here, []string{"HTTPS_PROXY", "proxy.test"}, OK, "", "The environment names one (HTTPS_PROXY); this service is called without it.", ""},
		"not readable":     {elsewhere, []string{"HTTPS_PROXY", broken}, Failed, payments.KindUnreachable, "HTTPS_PROXY names a proxy that cannot be read, and nothing is sent without it.", shell.UnsetCommand("HTTPS_PROXY")},
		"another scheme's": {elsewhere, []string{"HTTP_PROXY", broken}, Warning, "", "HTTP_PROXY names a proxy that cannot be read; it is not used here.", shell.UnsetCommand("HTTP_PROXY")},
		"not used here":    {here, []string{"https_proxy", broken}, Warning, "", "https_proxy names a proxy that cannot be read; it is not used here.", shell.UnsetCommand("https_proxy")},
		"for everything":   {elsewhere, []string{"ALL_PROXY", "socks5://proxy.test"}, Warning, "", "ALL_PROXY names a proxy, but payctl uses HTTPS_PROXY: the service is called without one.", shell.ExportCommand("HTTPS_PROXY", "ALL_PROXY")},
		"both":             {elsewhere, []string{"ALL_PROXY", "socks5://proxy.test", "HTTPS_PROXY", "proxy.test"}, OK, "", "The environment names one (HTTPS_PROXY).", ""},
		"excepted":         {elsewhere, []string{"HTTPS_PROXY", broken, "NO_PROXY", "payments.test"}, Warning, "", "HTTPS_PROXY names a proxy that cannot be read; it is not used here.", shell.UnsetCommand("HTTPS_PROXY")},
		"excepted, one":    {elsewhere, []string{"HTTPS_PROXY", "proxy.test", "no_proxy", ".test"}, OK, "", "The environment names one (HTTPS_PROXY); this service is called without it.", ""},
		"excepted, all":    {elsewhere, []string{"ALL_PROXY", "socks5://proxy.test", "NO_PROXY", "*"}, OK, "", "No proxy is named.", ""},
		"for all, broken":  {elsewhere, []string{"all_proxy", broken}, Warning, "", "all_proxy names a proxy that cannot be read; it is not used here.", shell.UnsetCommand("all_proxy")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := environment(t, c.service, c.more...)
			found := findings(t, subjectOf(e), (*examination).proxy)
			require.Len(t, found, 1)
			require.Equal(t, Finding{Check: "a check", Result: c.result, Message: c.message, Fix: c.fix, Kind: c.kind}, found[0])
		})
	}
}
