package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/diff"
	"github.com/payctl/payctl/internal/test/pgtest"
)

// Each folder in testdata/versions has what a released version left behind: the data of a service, in folder.tar.gz of
// `serve --data` and in database.tar.gz of `serve --database`, and with it the settings, logins and journal of its
// client. record.txtar makes all of it. To keep those of a version, run this with its tag checked out:
//
//	PAYCTL_RECORD_VERSION=v0.2 go test -count=1 -run TestRecordVersion ./internal/test/e2e
const recordVariable = "PAYCTL_RECORD_VERSION"

var versions = filepath.Join("testdata", "versions")

// recorded is what is kept of the folder of a recording.
var recorded = []string{"config", "data", "database.sql", "world.json", "before.txt", "paid.csv"}

// TestRecordVersion keeps what this version leaves behind, for the tests of later versions.
func TestRecordVersion(t *testing.T) {
	version := os.Getenv(recordVariable)
	if version == "" {
		t.Skip(recordVariable + " names no version to record")
	}
	require.NoError(t, os.MkdirAll(filepath.Join(versions, version), 0o750))
	var served bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&served, gzip.BestCompression)
	require.NoError(t, err)
	_, err = compressed.Write(contract.JSON)
	require.NoError(t, errors.Join(err, compressed.Close()))
	require.NoError(t, os.WriteFile(filepath.Join(versions, version, "openapi.json.gz"), served.Bytes(), 0o600))
	for _, kind := range []string{"folder", "database"} {
		t.Run(kind, func(t *testing.T) {
			params := versionScripts("record.txtar")
			setup := params.Setup
			dump := func(string) error { return nil }
			params.Setup = func(env *testscript.Env) error {
				if kind == "folder" {
					env.Setenv("PAYCTL_SERVE_DATA", filepath.Join(env.WorkDir, "data"))
					return setup(env)
				}
				server := pgtest.Start(t)
				env.Setenv("PAYCTL_SERVE_DATABASE", server.URL())
				dump = func(file string) error {
					return exec.CommandContext(t.Context(), "pg_dump", "--dbname="+server.URL(), "--schema=payctl", "--inserts",
						"--no-owner", "--file="+file).Run()
				}
				return setup(env)
			}
			params.Cmds["keep"] = func(ts *testscript.TestScript, _ bool, _ []string) {
				ts.Check(dump(ts.MkAbs("database.sql")))
				ts.Check(pack(ts.MkAbs("."), filepath.Join(versions, version, kind+".tar.gz")))
			}
			testscript.Run(t, params)
		})
	}
}

// TestFoldersOfEarlierVersions uses the data folders and the journals of earlier versions as their users would.
func TestFoldersOfEarlierVersions(t *testing.T) {
	checkVersions(t, "folder", nil, func(env *testscript.Env) error {
		env.Setenv("PAYCTL_SERVE_DATA", filepath.Join(env.WorkDir, "data"))
		return nil
	})
}

// TestDatabasesOfEarlierVersions does the same with databases that are restored from dumps.
func TestDatabasesOfEarlierVersions(t *testing.T) {
	server := pgtest.Start(t)
	checkVersions(t, "database", server, func(env *testscript.Env) error {
		dump, err := os.ReadFile(filepath.Join(env.WorkDir, "database.sql"))
		if err != nil {
			return err
		}
		var statements strings.Builder
		for line := range strings.Lines(string(dump)) {
			if !strings.HasPrefix(line, `\`) { // a command for psql
				statements.WriteString(line)
			}
		}
		server.Exec(t, "DROP SCHEMA IF EXISTS payctl CASCADE")
		server.Exec(t, statements.String())
		env.Setenv("PAYCTL_SERVE_DATABASE", server.URL())
		return nil
	})
}

// TestContractsOfEarlierVersions checks that the client of an earlier version can use this version's service: each operation
// is where it was, requires no more than it did, and its responses have every member that they had.
func TestContractsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	present, err := diff.Parse(contract.JSON)
	require.NoError(t, err)
	documents, err := filepath.Glob(filepath.Join(versions, "v*", "openapi.json.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, documents)
	for _, document := range documents {
		packed, err := os.ReadFile(document)
		require.NoError(t, err)
		compressed, err := gzip.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		text, err := io.ReadAll(compressed)
		require.NoError(t, err)
		earlier, err := diff.Parse(text)
		require.NoError(t, err)
		var paths struct {
			Paths map[string]map[string]struct {
				ID string `json:"operationId"`
			} `json:"paths"`
		}
		require.NoError(t, json.Unmarshal(text, &paths))
		for path, methods := range paths.Paths {
			for method, operation := range methods {
				i := slices.IndexFunc(contract.Operations, func(op *contract.Operation) bool { return op.ID == operation.ID })
				require.GreaterOrEqual(t, i, 0, "%s is gone", operation.ID)
				op := contract.Operations[i]
				require.Equal(t, []string{strings.ToUpper(method), path}, []string{op.Method, op.Path})
				found := diff.Operation(earlier, present, op, op.Method, op.Path)
				require.False(t, found.Missing, operation.ID)
				require.Empty(t, found.Breaking, operation.ID)
				for _, other := range found.Other { // new values may come
					require.Contains(t, other, "which payctl does not know", operation.ID)
				}
			}
		}
	}
}

// checkVersions runs check.txtar with what each version left behind, today and in ten years.
func checkVersions(t *testing.T, kind string, server *pgtest.Server, prepare func(*testscript.Env) error) {
	archives, err := filepath.Glob(filepath.Join(versions, "v*", kind+".tar.gz"))
	require.NoError(t, err)
	require.NotEmpty(t, archives)
	for _, archive := range archives {
		for name, ahead := range map[string]string{"today": "0s", "in ten years": "87600h"} {
			t.Run(filepath.Base(filepath.Dir(archive))+" "+name, func(t *testing.T) {
				params := versionScripts("check.txtar")
				setup := params.Setup
				params.Setup = func(env *testscript.Env) error {
					clock := filepath.Join(env.WorkDir, "clock")
					env.Setenv(clockFile, clock)
					return errors.Join(os.WriteFile(clock, []byte(ahead), 0o600), unpack(archive, env.WorkDir), setup(env), prepare(env))
				}
				params.Cmds["newer"] = func(ts *testscript.TestScript, _ bool, _ []string) {
					ts.Check(makeNewer(t, ts.MkAbs("."), server))
				}
				testscript.Run(t, params)
			})
		}
	}
}

// versionScripts runs a script of testdata/versions. Its command looks writes into a file what a user sees who looks at
// everything, in words that do not change from version to version.
func versionScripts(script string) testscript.Params {
	params := scripts("", "")
	params.Files = []string{filepath.Join(versions, script)}
	params.Cmds["looks"] = func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: looks FILE")
		}
		var all strings.Builder
		for _, look := range looks {
			_ = ts.Exec("payctl", look...) // writes that are open have an exit code of their own
			all.WriteString("payctl " + strings.Join(look, " ") + "\n" + ts.ReadFile("stdout") + "\n")
		}
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(all.String()), 0o600))
	}
	return params
}

// looks are commands that show everything. They choose the members that they compare, since later versions may have more.
var looks = [][]string{
	{"accounts", "list", "--all", "--sort", "id", "--show-pii", "--jq", ".[] | [.id, .type, .kycStatus, .email, .country, .externalId, .createdAt] | @json"},
	{"contacts", "list", "--all", "--sort", "id", "--jq", ".[] | [.id, .accountId, .label, .createdAt] | @json"},
	{"transfer", "list", "--all", "--sort", "id", "--jq", ".[] | [.id, .state, .reference, .externalId, .source, .destination, .createdAt] | @json"},
	{"events", "list", "--all", "--jq", ".[] | [.type, .occurredAt] | @json"},
	{"sandbox", "faults", "list", "--jq", ".faults"},
	{"sandbox", "clock", "get", "--jq", "[.mode, .now] | @json"},
	{"transfer", "resolve", "--list", "--all", "--jq", ".[] | [.operation, .outcome, .reference, .externalId, .subject] | @json"},
	{"profile", "show", "--profile", "other", "--jq", `.[] | select(.source | startswith("profile ")) | [.key, .value] | @json`},
}

// pack writes what a folder has of a recording to an archive.
func pack(folder, archive string) error {
	var packed bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	files := tar.NewWriter(compressed)
	for _, name := range recorded {
		err := filepath.WalkDir(filepath.Join(folder, name), func(path string, entry fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && !entry.Type().IsRegular() {
				return nil
			}
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			inside, err := filepath.Rel(folder, path)
			if err != nil {
				return err
			}
			header := &tar.Header{Name: filepath.ToSlash(inside), Mode: 0o600, Size: int64(len(content))}
			if err := files.WriteHeader(header); err != nil {
				return err
			}
			_, err = files.Write(content)
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := errors.Join(files.Close(), compressed.Close()); err != nil {
		return err
	}
	return os.WriteFile(archive, packed.Bytes(), 0o600)
}

// unpack writes the files of an archive into a folder, each with a mode that only their owner can use.
func unpack(archive, folder string) (err error) {
	packed, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, packed.Close()) }()
	compressed, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for files := tar.NewReader(compressed); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		content, err := io.ReadAll(files)
		if err == nil {
			err = root.MkdirAll(filepath.Dir(filepath.FromSlash(header.Name)), 0o700)
		}
		if err == nil {
			err = root.WriteFile(filepath.FromSlash(header.Name), content, 0o600)
		}
		if err != nil {
			return err
		}
	}
}

// makeNewer gives the databases of a folder, or the schema of a server, one migration more than this program has.
func makeNewer(t *testing.T, folder string, server *pgtest.Server) error {
	if server != nil {
		server.Exec(t, "UPDATE payctl.identity SET migrations = migrations + 1")
	}
	for _, file := range []string{"data/payctl.db", "config/state/journal.db"} {
		path := filepath.Join(folder, filepath.FromSlash(file))
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue // a service with a database has no folder
		}
		if err := raiseVersion(t, path); err != nil {
			return err
		}
	}
	return nil
}

func raiseVersion(t *testing.T, path string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var version int
	if err := db.QueryRowContext(t.Context(), "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	_, err = db.ExecContext(t.Context(), fmt.Sprintf("PRAGMA user_version = %d", version+1))
	return err
}
