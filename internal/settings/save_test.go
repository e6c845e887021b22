package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/securefile"
)

func TestSaveModes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	dir := filepath.Join(t.TempDir(), "a", "payctl")
	f := load(t, dir)
	require.NoError(t, f.SetValue("work", "output", "json"))
	require.NoError(t, f.Save())
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode().Perm()
	}
	require.Equal(t, os.FileMode(0o700), mode(dir))
	require.Equal(t, os.FileMode(0o600), mode(f.Path()))

	require.NoError(t, os.Chmod(f.Path(), 0o644))
	require.NoError(t, f.SetValue("work", "output", "csv"))
	require.NoError(t, f.Save())
	require.Equal(t, os.FileMode(0o600), mode(f.Path()))

	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the file, its lock and nothing left over")
}

// What a process that was killed left goes with the next change, and where a link was planted, what it leads to stays.
func TestSaveLeavesNoLeftover(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := load(t, dir)
	require.NoError(t, f.SetValue("work", "output", "json"))
	temp, other := f.Path()+".tmp", filepath.Join(t.TempDir(), "other")
	require.NoError(t, os.WriteFile(temp, []byte("curr"), 0o600))
	require.NoError(t, f.Save())
	require.NoFileExists(t, temp)

	require.NoError(t, os.WriteFile(other, []byte("of somebody"), 0o600))
	if err := os.Symlink(other, temp); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	require.NoError(t, f.SetValue("work", "output", "csv"))
	require.NoError(t, f.Save())
	text, err := os.ReadFile(other)
	require.NoError(t, err)
	require.Equal(t, "of somebody", string(text))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 2, "the file, its lock and nothing left over")
}

func TestSaveRefusesLinks(t *testing.T) {
	t.Parallel()
	symlink := func(t *testing.T, target, link string) {
		if err := os.Symlink(target, link); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Skip("no symbolic links here, as Wine does not say") // its function does nothing and succeeds
		}
	}
	for _, name := range []string{FileName, FileName + ".lock"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, target := t.TempDir(), filepath.Join(t.TempDir(), "target")
			require.NoError(t, os.WriteFile(target, []byte("current: local\n"), 0o600))
			symlink(t, target, filepath.Join(dir, name))
			f := load(t, dir)
			require.NoError(t, f.SetValue("work", "output", "json"))
			var bad *Error
			require.ErrorAs(t, f.Save(), &bad)
			require.Contains(t, bad.Reason, "symbolic link")
			data, err := os.ReadFile(target)
			require.NoError(t, err)
			require.Equal(t, "current: local\n", string(data))
		})
	}
	t.Run("folder", func(t *testing.T) {
		t.Parallel()
		real, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
		symlink(t, real, link)
		f := load(t, link)
		require.NoError(t, f.SetValue("work", "output", "json"))
		var bad *Error
		require.ErrorAs(t, f.Save(), &bad)
		require.NoFileExists(t, filepath.Join(real, FileName))
	})
}

// Every writer starts from the same, empty file; none may undo another.
func TestConcurrentSavesLoseNothing(t *testing.T) {
	t.Parallel()
	const writers = 12
	dir := t.TempDir()
	files := make([]*File, writers)
	for i := range files {
		files[i] = load(t, dir)
		require.NoError(t, files[i].SetValue(fmt.Sprintf("p%02d", i), "retries", fmt.Sprint(i)))
	}
	errs := make([]error, writers)
	var wg sync.WaitGroup
	for i, f := range files {
		wg.Go(func() { errs[i] = f.Save() })
	}
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	got := load(t, dir)
	require.Len(t, got.Profiles(), writers+1)
	for i := range writers {
		require.Equal(t, fmt.Sprint(i), profileValue(t, got, fmt.Sprintf("p%02d", i), "retries"))
	}
}

func TestSaveWaitsForTheLockAndGivesUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := load(t, dir)
	require.NoError(t, f.SetValue("work", "output", "json"))
	other := flock.New(f.Path() + ".lock")
	require.NoError(t, other.Lock())
	err := f.save(time.Millisecond)
	require.ErrorIs(t, err, securefile.ErrLockHeld)
	_, isMistake := errors.AsType[*Error](err)
	require.False(t, isMistake)
	require.NoFileExists(t, f.Path())
	require.NoError(t, other.Close())
	require.NoError(t, f.Save(), "the change is still there to be saved")
	require.FileExists(t, f.Path())
}

func TestSaveAfterTheFileBroke(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := load(t, dir)
	require.NoError(t, f.SetValue("work", "output", "json"))
	write(t, dir, "nonsense")
	var bad *Error
	require.ErrorAs(t, f.Save(), &bad)
	require.Equal(t, "nonsense", readBack(t, dir))
}

func TestSaveWithoutChangesTouchesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "absent")
	require.NoError(t, load(t, dir).Save())
	require.NoDirExists(t, dir)
}

// Values that any YAML reader is tempted to read as something else are among the generated ones.
func generated(k key) *rapid.Generator[string] {
	switch k.name {
	case "client_id":
		return rapid.OneOf(
			rapid.SampledFrom([]string{"null", "~", "true", "0123", "1e3", "2020-01-01", "- a", "a #b", "'", `"`, " a ", "{", "!x", "&x", "*x", "|", "%"}),
			rapid.StringMatching(`[ -9;-~äß€中]{1,40}`),
		)
	case "timeout":
		return rapid.Map(rapid.Int64Range(1, 1<<50), func(n int64) string { return time.Duration(n).String() })
	case "retries":
		return rapid.Map(rapid.IntRange(0, maxRetries), func(n int) string { return fmt.Sprint(n) })
	case "operations":
		return rapid.StringMatching(`(GET|POST) (/[a-zA-Z0-9~-]{1,6}|/\{[a-z]{1,5}\}){1,4}`)
	case "kyc_status_pointer":
		return rapid.StringMatching(`(/([a-z #:'"äß]|~0|~1){0,5}){1,4}`)
	case "base_url":
		return rapid.StringMatching(`https?://[a-zA-Z0-9.-]{1,20}(:[1-9][0-9]{0,3})?(/[a-z]{1,5}){0,3}/?`)
	}
	s := samples[k.name]
	return rapid.SampledFrom([]string{s.low, s.high})
}

// Save then Load is the identity, after any sequence of edits, in any number of sittings.
func TestSaveLoadIdentityProperty(t *testing.T) {
	t.Parallel()
	var settable []key
	for _, k := range keys() {
		if k.inProfile {
			settable = append(settable, k)
		}
	}
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		require.NoError(rt, err)
		f, err := Load(dir, nil)
		require.NoError(rt, err)
		name := rapid.SampledFrom([]string{"local", "Work", "work", "null", "1", "true", "a.b"})
		model := map[string]map[string]string{} // profile → key → text
		current := "local"
		rt.Repeat(map[string]func(*rapid.T){
			"set": func(rt *rapid.T) {
				profile, k := name.Draw(rt, "profile"), rapid.SampledFrom(settable).Draw(rt, "key")
				keyName, value := k.name, generated(k).Draw(rt, "value")
				if k.isMap {
					keyName += "." + rapid.SampledFrom([]string{"getKycStatus", "getkycstatus", "null"}).Draw(rt, "operation")
				}
				if _, err := k.check(value); err != nil {
					require.Error(rt, f.SetValue(profile, keyName, value))
					return
				}
				require.NoError(rt, f.SetValue(profile, keyName, value))
				if model[profile] == nil {
					model[profile] = map[string]string{}
				}
				model[profile][keyName] = value
			},
			"use": func(rt *rapid.T) {
				profile := name.Draw(rt, "profile")
				if f.Use(profile) == nil {
					current = profile
				}
			},
			"remove": func(rt *rapid.T) {
				profile := name.Draw(rt, "profile")
				if f.Remove(profile) == nil {
					delete(model, profile)
					if current == profile {
						current = "local"
					}
				}
			},
			"save": func(rt *rapid.T) {
				require.NoError(rt, f.Save())
				f, err = Load(dir, nil)
				require.NoError(rt, err)
			},
			"": func(rt *rapid.T) {
				require.Equal(rt, current, f.Current())
				require.Equal(rt, slices.Sorted(maps.Keys(model)), slices.Sorted(maps.Keys(f.doc.profiles)))
				for profile, want := range model {
					got := map[string]string{}
					values := layer{}
					for key, raw := range f.doc.profiles[profile] {
						values[key] = sourced{raw: raw}
					}
					for _, e := range entries(values, false) {
						got[e.Key] = e.Value
					}
					require.Equal(rt, want, got)
				}
			},
		})
	})
}

func TestFoldersThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Load(file, nil) // ENOTDIR stands for every refusal of the file system, and holds for root too
	var folder *Error
	require.ErrorAs(t, err, &folder)
	require.ErrorAs(t, err, new(*Error))
	require.ErrorContains(t, err, EnvConfigDir)

	f := load(t, filepath.Join(t.TempDir(), "config"))
	require.NoError(t, f.SetValue("work", "output", "json"))
	require.NoError(t, os.WriteFile(filepath.Dir(f.Path()), nil, 0o600))
	err = f.Save()
	require.ErrorAs(t, err, &folder)
	require.ErrorAs(t, err, new(*Error))
	require.ErrorContains(t, err, filepath.Dir(f.Path()))
}

// A file that an editor of Windows has saved keeps its comments through a change, and is then as any other: UTF-8 with LF.
func TestSaveOfAFileFromWindows(t *testing.T) {
	t.Parallel()
	const text = "# mine, Zoë\n\n# current\ncurrent: work # now\nprofiles:\n  # at work\n  work:\n    output: json # for scripts\n"
	for _, before := range []string{text, "# nothing\n# yet\n", "\n"} {
		after := ""
		for _, saved := range []string{before, crlf(before), "\ufeff" + before, "\ufeff" + crlf(before), utf16LE(t, crlf(before))} {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, FileName), []byte(saved), 0o600))
			f := load(t, dir)
			require.NoError(t, f.SetValue("work", "client_id", "Zoë"))
			require.NoError(t, f.Save())
			now, err := os.ReadFile(f.Path())
			require.NoError(t, err)
			if after == "" {
				after = string(now)
			}
			require.Equal(t, after, string(now), "%q", saved)
		}
	}
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

func utf16LE(t *testing.T, text string) string {
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	require.NoError(t, err)
	return encoded
}
