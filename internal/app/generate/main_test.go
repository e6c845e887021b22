package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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
	fence(root)
	require.NoError(t, manual(root, dir))
	page, err := os.ReadFile(filepath.Join(dir, "pay-all.1"))
	require.NoError(t, err)
	require.Contains(t, string(page), `.TH "PAY-ALL" "1" "" "payctl" ""`)
	require.Contains(t, string(page), ".EX\n  a  one\n  b  another\n.EE")
	require.NotContains(t, string(page), time.Unix(0, 0).UTC().Format("2006"))
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
