package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs/NOTICES has the licences of the modules that the program is linked from now.
func TestNoticesAreCurrent(t *testing.T) {
	t.Parallel()
	const root = "../../.."
	modules, err := linked(root)
	require.NoError(t, err)
	require.Greater(t, len(modules), 20)
	written, err := os.ReadFile(filepath.Join(root, "docs", "NOTICES"))
	require.NoError(t, err)
	for _, m := range modules {
		require.Contains(t, string(written), "\n"+m.path+" "+m.version+": ", "run make generate")
	}
}

// A licence that asks for more than a notice, or that is not on the list, stops the generation.
func TestOnlyKnownLicences(t *testing.T) {
	t.Parallel()
	const mit = "Permission is hereby granted, free of charge, to any person\n obtaining a copy of this software and so on\n" +
		"THE SOFTWARE IS PROVIDED “AS IS”, WITHOUT WARRANTY OF ANY KIND"
	for text, want := range map[string]string{
		mit: "MIT",
		mit + "\nThe Software shall be used for Good, not Evil.": "",
		"\"Commons Clause\" License Condition v1.0\n" + mit:      "",
		"GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007":     "",
		"All rights reserved.":                                   "",
		"":                                                       "",
		"Mozilla Public License Version 2.0\nCovered Software\nGNU General Public License": "MPL-2.0",
	} {
		require.Equal(t, want, recognise(text), text)
	}

	folder := t.TempDir()
	require.ErrorContains(t, describe(nil, module{"example.com/bare", "v1.0.0", folder}), "has no licence")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "COPYING"), []byte("GNU Affero General Public License"), 0o600))
	require.ErrorContains(t, describe(nil, module{"example.com/agpl", "v1.0.0", folder}), "not on the list")
}
