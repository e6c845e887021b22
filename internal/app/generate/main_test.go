package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// What the help aligns is aligned on the pages too; what is prose is filled.
func TestAlignedLinesAreFenced(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                      "",
		"One line.\n\nAnother.": "One line.\n\nAnother.",
		"Exit codes:\n    0  done\n  130  interrupted":            "Exit codes:\n\n```\n    0  done\n  130  interrupted\n```",
		"Fields:\n\n  -f a  text\n\n  -F a  more\n\nThat is all.": "Fields:\n\n```\n  -f a  text\n\n  -F a  more\n```\n\nThat is all.",
		"  at once\nprose": "```\n  at once\n```\n\nprose",
	} {
		require.Equal(t, want, fenced(text))
	}
}

// A man page is headed by its own name, and by no date: it would change with the day.
func TestHeadsOfManPages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := &cobra.Command{Use: "pay", Short: "Pay", Run: func(*cobra.Command, []string) {}, DisableAutoGenTag: true}
	root.AddCommand(&cobra.Command{Use: "all", Short: "Pay all", Long: "Pay all:\n\n  a  one\n  b  another", Run: root.Run})
	root.Commands()[0].Flags().Int("limit", 0, "pay `N` at most")
	root.Commands()[0].Flags().Int("retries", 3, "try again `N` times")
	root.AddCommand(&cobra.Command{Use: "environment", Long: "The variables:\n\n  PAY_ALL    as *much* as there is\n  PAY_NONE   nothing"})
	fence(root)
	require.NoError(t, manual(root, dir))
	page, err := os.ReadFile(filepath.Join(dir, "pay-all.1"))
	require.NoError(t, err)
	require.Contains(t, string(page), `.TH "PAY-ALL" "1" "" "pay" ""`)
	require.Contains(t, string(page), ".EX\n  a  one\n  b  another\n.EE")
	require.Contains(t, string(page), "\\fB--limit N\\fP\npay N at most\n", "a zero is no default")
	require.Contains(t, string(page), "\\fB--retries N\\fP\ntry again N times (default 3)\n")
	for _, section := range []string{".SH EXIT STATUS\n.TP\n\\fB0\\fP\ndone\n", ".SH ENVIRONMENT", ".SH FILES\n.TP\n~/.config/payctl/config.yaml"} {
		require.Contains(t, string(page), section)
	}
	require.NoFileExists(t, filepath.Join(dir, "pay-environment.1"))
	page, err = os.ReadFile(filepath.Join(dir, "pay.1"))
	require.NoError(t, err)
	require.Contains(t, string(page), "The variables:\n.TP\n\\fBPAY_ALL\\fP\nas *much* as there is\n")
}

// The global flags are explained on the page of the program, and on no other.
func TestGlobalFlagsInTheReference(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	root := &cobra.Command{Use: "pay", Short: "Pay", Run: func(*cobra.Command, []string) {}, DisableAutoGenTag: true}
	root.PersistentFlags().String("profile", "", "use this `PROFILE`")
	all := &cobra.Command{Use: "all", Short: "Pay all", Run: root.Run}
	all.Flags().Bool("at-once", false, "do not wait")
	root.AddCommand(all)
	require.NoError(t, reference(root, dir))
	for page, has := range map[string]bool{"pay.md": true, "pay_all.md": false} {
		text, err := os.ReadFile(filepath.Join(dir, page))
		require.NoError(t, err)
		require.Equal(t, has, strings.Contains(string(text), "--profile"), page)
		require.Equal(t, !has, strings.Contains(string(text), "--at-once"), page)
	}
}
