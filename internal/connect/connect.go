// Package connect turns settings into a client of the service that they name, in one place: whoever speaks to the service, be
// it for a command, a completion or the doctor, trusts the same authorities and keeps to the same rules.
package connect

import (
	"github.com/payctl/payctl/internal/client"
	"github.com/payctl/payctl/internal/config"
)

// Config is what the settings say of a client. It has no credentials, no journal and no log, which are the caller's to add. The
// error is a *client.Failure, where the certificate authorities that the settings name cannot be read.
func Config(settings config.Settings, version string) (client.Config, error) {
	c := client.Config{
		BaseURL:           settings.BaseURL,
		UserAgent:         "payctl/" + version,
		CACert:            settings.CACert,
		Timeout:           settings.Timeout,
		Retries:           settings.Retries,
		KeysHonoured:      settings.IdempotencyKeys == config.IdempotencyKeysHonoured,
		KeysPresumed:      settings.Sources[config.KeyIdempotencyKeys].Presumed() || config.IsLoopback(settings.BaseURL),
		Operations:        settings.Operations,
		KYCStatusPointer:  settings.KYCStatusPointer,
		AllowInsecureHTTP: settings.AllowInsecureHTTP,
	}
	if settings.CACert != "" {
		roots, err := client.Roots(settings.CACert)
		if err != nil {
			return client.Config{}, err
		}
		c.RootCAs = roots
	}
	return c, nil
}
