package version

import (
	"context"
	"fmt"
	"strconv"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// installURL is the page that explains how each kind of installation is upgraded.
const installURL = "https://github.com/payctl/payctl/blob/main/docs/INSTALL.md"

// A checked is what `version --check` prints for programs.
type checked struct {
	cmdutil.Build
	Latest string `json:"latest"`
	// UpdateAvailable reports whether the latest release is newer than this build; nil if they cannot be compared.
	UpdateAvailable *bool  `json:"updateAvailable"`
	URL             string `json:"url"` // of the page about the latest release
}

// check asks for the latest release, and prints how this build compares with it.
func check(ctx context.Context, d *cmdutil.Deps) error {
	printer, err := d.PrinterAnyway(ctx)
	if err != nil {
		return err
	}
	latest, err := d.Latest(ctx)
	if err != nil {
		return err
	}
	found := checked{Build: d.Build, Latest: latest.Version, URL: latest.URL}
	order := 0
	if isRelease(d.Build.Version) {
		order = semver.Compare("v"+d.Build.Version, "v"+latest.Version)
		found.UpdateAvailable = new(order < 0)
	}
	if printer.Format() == ui.FormatTable {
		_, err := fmt.Fprintln(d.Out, found.sentence(order))
		return err
	}
	return printer.Print(found, func() ui.View {
		view, answer := table(d.Build), ui.Optional("")
		if found.UpdateAvailable != nil {
			answer = ui.Text(strconv.FormatBool(*found.UpdateAvailable))
		}
		view.Columns = append(view.Columns,
			ui.Column{Header: "Latest"}, ui.Column{Header: "Update available", Name: "updateAvailable"}, ui.Column{Header: "URL"})
		view.Rows[0] = append(view.Rows[0], ui.Text(found.Latest), answer, ui.Text(found.URL))
		return view
	})
}

// isRelease reports whether a version is that of a release. One between two releases is a pseudo-version of Go, or has
// the commit behind a plus sign.
func isRelease(version string) bool {
	v := "v" + version
	return semver.IsValid(v) && semver.Build(v) == "" && !module.IsPseudoVersion(v)
}

// sentence is the result for a person. Order is less than zero if this build is older than the latest release, and
// greater if it is newer.
func (c checked) sentence(order int) string {
	switch {
	case c.UpdateAvailable == nil:
		return fmt.Sprintf("payctl %s is a development build, which cannot be compared. The latest version is %s: %s",
			c.Version, c.Latest, c.URL)
	case order == 0:
		return "payctl " + c.Version + " is the latest version."
	case order > 0:
		return fmt.Sprintf("payctl %s is newer than the latest version, which is %s.", c.Version, c.Latest)
	}
	upgrade := installURL
	if c.Installed {
		upgrade = "go install github.com/payctl/payctl/cmd/payctl@v" + c.Latest
	}
	return fmt.Sprintf("payctl %s is available; this is %s. What is new: %s\nTo upgrade: %s",
		c.Latest, c.Version, c.URL, upgrade)
}
