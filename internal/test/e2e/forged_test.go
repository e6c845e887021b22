package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/settings"
)

// alone is the environment of a command with a configuration folder and without a service.
func alone(t *testing.T, dir string, more ...string) []string {
	t.Helper()
	return inherited(append([]string{
		"HOME=" + t.TempDir(), "PAYCTL_CONFIG_DIR=" + dir, "PAYCTL_CREDENTIAL_STORE=file", "PAYCTL_TOKEN=some-token",
		"LANG=C.UTF-8", "TERM=xterm-256color",
	}, more...)...)
}

// TestForgedBaseURL has a profile name an address that is another one than it seems, or none of a service. Nothing is
// sent there.
func TestForgedBaseURL(t *testing.T) {
	t.Parallel()
	for _, base := range []string{
		"https://api.example.com@evil.example", "https://user:password@evil.example", "https://evil.example/?x=", "//evil.example",
		"https://evil.example#api.example.com", "http://evil.example", "file:///etc/passwd", "javascript:alert(1)",
		"https://ex\u0430mple.com", `https://api.example.com\@evil.example`, "https://evil.example/%2e%2e", "https://:443",
		"https://evil.example:99999999", "unix:///var/run/docker.sock",
	} {
		dir := t.TempDir()
		config := fmt.Sprintf("current: p\nprofiles: {p: {base_url: %q}}\n", base)
		require.NoError(t, os.WriteFile(filepath.Join(dir, settings.FileName), []byte(config), 0o600))
		p := &payer{t: t, env: alone(t, dir)}
		cmd := p.command(context.Background(), "accounts", "list", "--retries", "0")
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Equal(t, 2, cmd.ProcessState.ExitCode(), "%s: %s", base, out)
		require.NotContains(t, string(out), "password@")
	}
}
