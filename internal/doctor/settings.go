package doctor

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/settings"
	"github.com/payctl/payctl/internal/shell"
)

// config checks the configuration file and every profile in it: those that are not in use will be some day.
func (e *examination) config(_ context.Context, c *check) {
	file, err := e.file()
	if err != nil {
		c.badSettings(err, "")
		return
	}
	if err := file.Nowhere(); err != nil {
		c.skip("%s", payments.Sentence(err.Problem()+": flags and variables have to name the service"))
		return
	}
	if _, err := os.Stat(file.Path()); errors.Is(err, fs.ErrNotExist) {
		c.ok("There is no %s; the built-in profile %s is used.", file.Path(), settings.DefaultProfile)
	} else {
		c.ok("%s can be read; its profiles: %s.", file.Path(), strings.Join(file.Profiles(), ", "))
	}
	for _, name := range file.Profiles() {
		set := setBaseURL(name, "")
		url, _ := file.Value(name, settings.KeyBaseURL)
		base, err := settings.ParseBaseURL(url)
		switch {
		case url == "":
			c.warn("The profile %s has no base URL.", name).Fix = set
		case err != nil:
			c.warn("The base URL of the profile %s cannot be used: %v.", name, err).Fix = set
		case base.Scheme == "http" && !settings.IsLoopback(base):
			c.warn("The profile %s uses plain http to %s, so that the network can read its credentials.", name, base.Host).
				Fix = setBaseURL(name, "https://"+base.Host+base.Path)
		}
	}
}

// profile reports which service is used, and which setting decides that.
func (e *examination) profile(_ context.Context, c *check) {
	resolved, err := e.settings()
	if errors.Is(err, errUnknown) {
		c.skip("The profile is not known until the configuration can be read.")
		return
	}
	if err != nil {
		c.badSettings(err, "payctl profile show")
		return
	}
	decides := ""
	from := resolved.Sources[settings.KeyBaseURL]
	if from != resolved.Sources[settings.KeyProfile] && !strings.HasPrefix(string(from), "profile ") {
		decides = " (" + string(from) + ")"
	}
	base := resolved.BaseURL
	c.ok("%s (%s) at %s%s.", resolved.Profile, resolved.Sources[settings.KeyProfile], base, decides)
	if base.Scheme == "http" && !settings.IsLoopback(base) {
		c.warn("%s is plain http to another machine: the network can read the credentials.", base).
			Fix = setBaseURL(resolved.Profile, "https://"+base.Host+base.Path)
	}
}

// setBaseURL is the command that sets the base URL of a profile, to one that the user has to fill in if it is empty.
func setBaseURL(profile, url string) string {
	return shell.Hint("payctl profile set -- PROFILE base_url URL", shell.Values{"PROFILE": profile, "URL": url})
}

// badSettings adds an error of the settings. otherwise is the fix of one that has none and no next step.
func (c *check) badSettings(err error, otherwise string) {
	bad, ok := errors.AsType[*settings.Error](err)
	if !ok {
		bad = &settings.Error{Reason: err.Error()}
	}
	f := c.fail(payments.KindInvalidSettings, "%s", payments.Sentence(bad.Problem()))
	switch {
	case bad.Fix != "":
		f.Fix = bad.Fix
	case bad.Next != "":
		f.Advice = bad.Next
	default:
		f.Fix = otherwise
	}
}
