package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/payctl/payctl/internal/config"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/safefile"
)

// config tells whether the configuration file can be read, and which profiles in it cannot be used.
func (e *examination) config(context.Context) []Finding {
	file, err := e.file()
	if err != nil {
		return one(failed(CheckConfig, payments.KindInvalidSettings, plainly(err), mendConfig(err)))
	}
	findings := one(ok(CheckConfig, "%s can be read; its profiles: %s.", file.Path(), strings.Join(file.Profiles(), ", ")))
	if _, err := os.Stat(file.Path()); errors.Is(err, fs.ErrNotExist) {
		findings = one(ok(CheckConfig, "There is no %s; the built-in profile %s is used.", file.Path(), config.DefaultProfile))
	}
	for _, name := range file.Profiles() {
		findings = append(findings, brokenProfile(file, name)...)
	}
	return findings
}

// brokenProfile says what is wrong with a profile that is not in use, too: somebody will want it.
func brokenProfile(file *config.File, name string) []Finding {
	profile, _ := file.Profile(name)
	if profile.BaseURL == "" {
		return one(warning(CheckConfig, fmt.Sprintf("The profile %s has no base URL.", name), "payctl profile set "+name+" base_url URL"))
	}
	base, err := config.ParseBaseURL(profile.BaseURL)
	if err != nil {
		return one(warning(CheckConfig, fmt.Sprintf("The base URL of the profile %s cannot be used: %v.", name, err), "payctl profile set "+name+" base_url URL"))
	}
	if base.Scheme == "http" && !config.IsLoopback(base) {
		text := fmt.Sprintf("The profile %s speaks plain http to %s, so that the network can read its credentials.", name, base.Host)
		return one(warning(CheckConfig, text, "payctl profile set "+name+" base_url https://"+base.Host+base.Path))
	}
	return nil
}

// mendConfig names the place to mend.
func mendConfig(err error) string {
	bad, isFile := errors.AsType[*config.FileError](err)
	folder, isFolder := errors.AsType[*config.FolderError](err)
	switch {
	case isFile && bad.Line > 0:
		return fmt.Sprintf("${EDITOR:-vi} +%d %s", bad.Line, safefile.Quote(bad.Path))
	case isFile:
		return "mv " + safefile.Quote(bad.Path) + " " + safefile.Quote(bad.Path+".bad")
	case isFolder && folder.Op == "read" && errors.Is(folder.Err, fs.ErrPermission):
		return "chmod u+r " + safefile.Quote(folder.Path)
	}
	return "set " + config.EnvConfigDir + " to a folder of your own"
}

// profile tells which service is meant, and who says so.
func (e *examination) profile(context.Context) []Finding {
	settings, err := e.settings()
	if errors.Is(err, errUnknown) {
		return one(skipped(CheckProfile, "Which profile is meant cannot be told before the configuration can be read."))
	}
	if err != nil {
		return one(failed(CheckProfile, payments.KindInvalidSettings, plainly(err), mendSettings(err)))
	}
	text := fmt.Sprintf("%s (%s) at %s", settings.Profile, settings.Sources["profile"], settings.BaseURL)
	if from := settings.Sources["base_url"]; from != settings.Sources["profile"] && !strings.HasPrefix(string(from), "profile ") {
		text += fmt.Sprintf(" (%s)", from)
	}
	findings := one(ok(CheckProfile, "%s.", text))
	if settings.BaseURL.Scheme == "http" && !config.IsLoopback(settings.BaseURL) {
		findings = append(findings, warning(CheckProfile,
			fmt.Sprintf("%s is plain http to another machine: the network can read the credentials.", settings.BaseURL),
			"payctl profile set "+settings.Profile+" base_url https://"+settings.BaseURL.Host+settings.BaseURL.Path))
	}
	return findings
}

func mendSettings(err error) string {
	usage, isUsage := errors.AsType[*config.UsageError](err)
	unknown, isUnknown := errors.AsType[*config.UnknownProfileError](err)
	value, isValue := errors.AsType[*config.ValueError](err)
	switch {
	case isUnknown:
		return "payctl profile set " + unknown.Name + " base_url URL"
	case isUsage:
		return usage.Hint
	case isValue && strings.HasPrefix(string(value.Source), "environment "):
		return "unset " + strings.TrimPrefix(string(value.Source), "environment ")
	}
	return "payctl profile show"
}

// plainly is an error as a sentence, without what its mend says.
func plainly(err error) string {
	text := err.Error()
	if usage, ok := errors.AsType[*config.UsageError](err); ok {
		text = usage.Reason
	}
	if unknown, ok := errors.AsType[*config.UnknownProfileError](err); ok {
		text = fmt.Sprintf("there is no profile %q, which %s names; there are: %s", unknown.Name, unknown.Source, strings.Join(unknown.Known, ", "))
	}
	return payments.Sentence(text)
}
