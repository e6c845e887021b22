package securefile

import (
	"os"
	"path/filepath"
	"slices"
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
		read      = mayRead
		write     = mayWrite
	)
	for name, c := range map[string]struct {
		list      string
		inherited bool
		rights    windows.ACCESS_MASK
		who       []string
	}{
		"what payctl creates":          {list: "O:" + me + "D:P(A;OICI;FA;;;" + me + ")(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", inherited: true, rights: read | write},
		"a profile":                    {list: "O:" + me + "D:(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;" + me + ")", inherited: true, rights: read | write},
		"of an elevated program":       {list: "O:BAD:(A;;FA;;;BA)(A;;FA;;;" + me + ")", rights: read | write},
		"at the top of a drive":        {list: "O:BAD:(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)(A;OICIIOID;SDGXGWGR;;;AU)", rights: read, who: []string{users, signedIn}},
		"the same, to write":           {list: "O:BAD:(A;OICIID;FA;;;BA)(A;OICIID;0x1200a9;;;BU)(A;ID;0x1301bf;;;AU)", rights: write, who: []string{signedIn}},
		"the root of a drive":          {list: "O:S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464D:PAI(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;BU)(A;;LC;;;AU)(A;OICIIO;SDGXGWGR;;;AU)", rights: mayWrite},
		"everybody may read":           {list: "O:" + me + "D:(A;;FR;;;WD)(A;;FA;;;" + me + ")", rights: read, who: []string{everyone}},
		"which is no right to write":   {list: "O:" + me + "D:(A;;FR;;;WD)(A;;FA;;;" + me + ")", rights: write},
		"generic rights":               {list: "O:" + me + "D:(A;;GR;;;WD)(A;;GW;;;BU)", rights: write, who: []string{users}},
		"another user":                 {list: "O:" + me + "D:(A;;FR;;;" + other + ")", rights: read, who: []string{other}},
		"another owner":                {list: "O:" + other + "D:(A;;FA;;;" + me + ")", rights: read, who: []string{other}},
		"the domain's administrators":  {list: "O:" + me + "D:(A;;FA;;;S-1-5-21-1-2-3-512)", rights: read | write},
		"an app, and the session":      {list: "O:" + me + "D:(A;;FA;;;S-1-15-2-1)(A;;FA;;;S-1-5-5-0-1234)", rights: read | write},
		"denied before":                {list: "O:" + me + "D:(D;;FR;;;BU)(A;;FR;;;BU)", rights: read},
		"denied to everybody":          {list: "O:" + me + "D:(D;;FR;;;WD)(A;;FR;;;BU)", rights: read},
		"denied after":                 {list: "O:" + me + "D:(A;;FR;;;BU)(D;;FR;;;BU)", rights: read, who: []string{users}},
		"to what will be in it":        {list: "O:" + me + "D:(A;OICIIO;FR;;;BU)", inherited: true, rights: read, who: []string{users}},
		"to what will be in it, alone": {list: "O:" + me + "D:(A;OICIIO;FR;;;BU)", rights: read},
		"to attributes alone":          {list: "O:" + me + "D:(A;;0x120088;;;WD)", rights: read | write},
		"to give oneself a right":      {list: "O:" + me + "D:(A;;WD;;;BU)", rights: write, who: []string{users}},
		"twice":                        {list: "O:" + me + "D:(A;;FR;;;BU)(A;;FW;;;BU)", rights: read | write, who: []string{users}},
		"an empty list":                {list: "O:" + me + "D:", rights: read | write},
		"no list":                      {list: "O:" + me, rights: read, who: []string{everyone}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			list, err := windows.SecurityDescriptorFromString(c.list)
			require.NoError(t, err)
			others, err := othersIn(list, me, c.inherited)
			require.NoError(t, err)
			var who []string
			for _, o := range others {
				if o.rights&c.rights != 0 && !slices.Contains(who, o.sid) {
					who = append(who, o.sid)
				}
			}
			require.Equal(t, c.who, who)
		})
	}
}

// A list that is there but null gives everybody all rights.
func TestANullListGivesAllRights(t *testing.T) {
	t.Parallel()
	list, err := windows.NewSecurityDescriptor()
	require.NoError(t, err)
	require.NoError(t, list.SetDACL(nil, true, false))
	others, err := othersIn(list, "S-1-5-21-1-2-3-1001", false)
	require.NoError(t, err)
	require.Equal(t, []otherUser{{everyone, windows.GENERIC_ALL}}, others)
}

// What is created is private wherever it is, and what is not is told.
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
	require.NoError(t, MakeFolder(folder), "which is there")
	written, replaced, created := filepath.Join(shared, "written"), filepath.Join(folder, "replaced"), filepath.Join(shared, "created")
	require.NoError(t, Write(written, nil))
	require.NoError(t, Replace(replaced, nil))
	file, err := CreateNew(created)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	_, err = CreateNew(created)
	require.ErrorIs(t, err, os.ErrExist)
	for _, place := range []Place{
		{Path: filepath.Dir(folder), Folder: true}, {Path: folder, Folder: true},
		{Path: written}, {Path: replaced}, {Path: created},
	} {
		require.NoError(t, CheckPrivate(place), place.Path)
	}
	require.NoError(t, CheckMode(written, GroupAndOthers, ""))

	var open *Error
	require.ErrorAs(t, CheckPrivate(Place{Path: loose}), &open)
	require.Contains(t, open.Reason, loose+" can be read or changed by others than you: ")
	require.ErrorAs(t, CheckPrivate(Place{Path: shared, Folder: true, Public: true}), &open)
	require.ErrorAs(t, CheckMode(loose, GroupAndOthersWrite, ""), &open)
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
