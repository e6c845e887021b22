package cli

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// sinceBash4 is what the bash of macOS, which is 3.2, does not know: a group behind =~ that is not in a variable,
// associative arrays, names of names, changes of case, and other ways to read lines and to redirect.
var sinceBash4 = regexp.MustCompile(
	`=~ [^$]\S*\(|\b(local|declare) -\w*[An]|\$\{\w+(,|\^)|\b(mapfile|readarray|coproc)\b|&>>|\|&[^\]\\]`)

// One word that the bash of macOS does not know, and all of the script is a syntax error there.
func TestTheBashOfMacOS(t *testing.T) {
	t.Parallel()
	script, err := shells.ReadFile("shells/payctl.bash")
	require.NoError(t, err)
	require.NotRegexp(t, sinceBash4, string(script))
}
