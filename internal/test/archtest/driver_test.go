package archtest

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayLinkDriver lists the packages below internal that may link the driver of PostgreSQL, also by way of other ones:
// those that put the service together, and the generator that records examples from it. No client command talks to a
// database server, so a driver in the client's half would mean that a part of the service has moved there.
var mayLinkDriver = []string{"store/sql/postgres", "refserver", "contract/publish", "app", "app/*", "test/*"}

func TestTheClientLinksNoDatabaseDriver(t *testing.T) {
	t.Parallel()
	isDriver := func(name string) bool {
		return within("github.com/jackc", name) || name == "golang.org/x/text/secure/precis" // of SASLprep, for passwords
	}
	list := exec.CommandContext(t.Context(), "go", "list", "-f", `{{.ImportPath}} {{join .Deps " "}}`, "./...")
	list.Dir = filepath.Join("..", "..")
	output, err := list.Output()
	require.NoError(t, err)
	linked := map[string]string{} // by package: a package of the driver
	for line := range strings.Lines(string(output)) {
		words := strings.Fields(line)
		if i := slices.IndexFunc(words[1:], isDriver); i >= 0 {
			linked[strings.TrimPrefix(words[0], module+"internal/")] = words[1+i]
		}
	}
	require.Contains(t, linked, "store/sql/postgres", "this test knows the driver by another name")
	for name, driver := range linked {
		require.True(t, matches(mayLinkDriver, name), "%s links %s", name, driver)
	}
}
