package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/ui"
)

// A panic is reported as a fault, without the secrets that it may contain.
func TestCrashTellsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "secret-in-a-panic"
	dir := t.TempDir()
	for name, cause := range map[string]any{
		"text": "cannot use " + secret, "error": errors.New(secret), "value": struct{ A []string }{[]string{secret}},
	} {
		var stdout, stderr bytes.Buffer
		out, notes := &recorder{Writer: &stdout}, &recorder{Writer: &stderr}
		p := wire(nil, func(name string) string {
			return map[string]string{"PAYCTL_CONFIG_DIR": dir, "PAYCTL_CLIENT_SECRET": secret}[name]
		}, &ui.Streams{Out: out, Err: notes, In: &bytes.Buffer{}}, time.Now)
		out.redact, notes.redact = p.Secrets.Redact, p.Secrets.Redact
		p.Options.Given = func(string) bool { return false }
		p.Options.Output = "json"
		root := &cobra.Command{Run: func(*cobra.Command, []string) { panic(cause) }}
		root.SetArgs([]string{})
		root.SetOut(io.Discard)
		cmd, err := execute(context.Background(), root)
		require.Equal(t, cmdutil.ExitUnexpected, exitCode(err), name)
		report(p.Deps, cmd, err, false)
		require.NotContains(t, stderr.String()+stdout.String(), secret, name)
		require.Contains(t, stderr.String(), "payctl has a fault", name)
		require.Contains(t, stderr.String(), "crash_test.go", "the place of the panic")
		require.Contains(t, stdout.String(), `"payctl:unexpected"`)
	}
}
