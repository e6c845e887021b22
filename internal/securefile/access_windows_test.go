package securefile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

// TestWhoHasRights reads security descriptors in the text form of Windows (SDDL).
func TestWhoHasRights(t *testing.T) {
	t.Parallel()
	const (
		me, other = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002"
		users     = "S-1-5-32-545"
		signedIn  = "S-1-5-11" // Authenticated Users
	)
	const topOfDrive = "O:BAD:(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)"
	for name, c := range map[string]struct {
		list   string
		public bool
		who    []string
	}{
		"what payctl creates":        {list: "O:" + me + "D:P(A;OICI;FA;;;" + me + ")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"},
		"at the top of a drive":      {list: topOfDrive, who: []string{users, signedIn}},
		"the same, to write":         {list: topOfDrive, public: true, who: []string{signedIn}},
		"another user":               {list: "O:" + me + "D:(A;;FR;;;" + other + ")", who: []string{other}},
		"another user, who may read": {list: "O:" + me + "D:(A;;FR;;;" + other + ")", public: true},
		"to what will be in it":      {list: "O:" + me + "D:(A;OICIIO;FR;;;BU)", who: []string{users}},
		"to give oneself a right":    {list: "O:" + me + "D:(A;;WD;;;BU)", public: true, who: []string{users}},
		"no list":                    {list: "O:" + me, who: []string{"everyone"}},
	} {
		list, err := windows.SecurityDescriptorFromString(c.list)
		require.NoError(t, err)
		who, err := othersIn(list, me, c.public)
		require.NoError(t, err)
		require.Equal(t, c.who, who, name)
	}
}

// New files and folders are private in any folder. CheckPrivate reports others that are not.
func TestWhatIsCreatedIsPrivate(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "shared")
	require.NoError(t, os.Mkdir(shared, 0o700))
	share(t, shared)
	loose := filepath.Join(shared, "loose")
	require.NoError(t, os.WriteFile(loose, nil, 0o600))
	share(t, loose)

	folder := filepath.Join(shared, "a", "b")
	require.NoError(t, MakeFolder(folder))
	require.NoError(t, MakeFolder(folder), "the folder exists")
	written, created := filepath.Join(shared, "written"), filepath.Join(shared, "created")
	replaced := filepath.Join(folder, "replaced")
	require.NoError(t, Write(written, nil))
	require.NoError(t, Replace(replaced, nil))
	file, err := CreateNew(created)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	_, err = CreateNew(created)
	require.ErrorIs(t, err, os.ErrExist)
	for _, rule := range []FileRule{
		{Path: filepath.Dir(folder)}, {Path: folder},
		{Path: written}, {Path: replaced}, {Path: created},
	} {
		require.NoError(t, CheckPrivate(rule), rule.Path)
	}
	var open *Error
	require.ErrorAs(t, CheckPrivate(FileRule{Path: loose}), &open)
	require.Contains(t, open.Reason, loose+" can be read or changed by others: ")
	require.ErrorAs(t, CheckPrivate(FileRule{Path: shared, Public: true}), &open)
}

// share gives everybody all rights to a file or folder.
func share(t *testing.T, path string) {
	t.Helper()
	list, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;WD)")
	require.NoError(t, err)
	entries, _, err := list.DACL()
	require.NoError(t, err)
	require.NoError(t, windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT,
		windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, entries, nil))
}
