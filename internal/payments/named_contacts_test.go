package payments

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// contactList is a service that lists two contacts on a page, with an empty page between two pages.
type contactList struct {
	contacts []SavedContact
	err      error
	asked    int
}

func (l *contactList) ListSavedContacts(
	_ context.Context, filter SavedContactFilter,
) (page SavedContactPage, err error) {
	l.asked++
	at := 0
	if filter.Cursor != "" {
		_, err := fmt.Sscan(filter.Cursor, &at)
		if err != nil {
			return page, err
		}
	}
	if l.err != nil {
		return page, l.err
	}
	if at%4 == 0 {
		page.Data = l.contacts[min(at/2, len(l.contacts)):min(at/2+2, len(l.contacts))]
	}
	if next := fmt.Sprint(at + 2); at/2+2 < len(l.contacts) {
		page.NextCursor = &next
	}
	return page, nil
}

func TestNamedContacts(t *testing.T) {
	t.Parallel()
	list := &contactList{contacts: []SavedContact{
		{ID: "1", Label: "Ada", ExternalID: "a"}, {ID: "2", Label: "Ada"},
		{ID: "3", Label: "b", ExternalID: "b"}, {ID: "4", Label: "1"},
		{ID: "5", Label: "c", ExternalID: "a"}, {ID: "1", Label: "again"},
	}}
	known := NamedContacts{}
	require.Empty(t, known.Find("Ada"), "nothing was read")
	require.NoError(t, known.Read(t.Context(), list, SavedContactFilter{}))
	require.False(t, known.Partial)
	for name, want := range map[string]string{
		"1": "1", "2": "2", "Ada": "1 2", "a": "1 5", "b": "3", "": "", "ada": "", "5": "5", "again": "",
	} {
		var ids []string
		for _, contact := range known.Find(name) {
			ids = append(ids, contact.ID)
		}
		require.Equal(t, want, strings.Join(ids, " "), name)
	}
	_, fault := known.Choose("Ada")
	require.Equal(t, `contact "Ada" is the label or external id of several contacts: 1, 2; give the id of one`, fault)
}

// A client that may not list contacts may still read them one by one. Any other error says nothing about contacts.
func TestContactsThatAreNotListed(t *testing.T) {
	t.Parallel()
	var known NamedContacts
	for status, partial := range map[int]bool{403: true, 404: true, 501: true, 500: false, 401: false} {
		list := &contactList{err: &ProblemError{Problem: Problem{Status: status}}}
		known = NamedContacts{}
		err := known.Read(t.Context(), list, SavedContactFilter{})
		require.Equal(t, partial, err == nil, status)
		require.Equal(t, partial, known.Partial)
	}
	endless := &contactList{contacts: make([]SavedContact, 2*mostNamedContacts)}
	require.NoError(t, known.Read(t.Context(), endless, SavedContactFilter{}))
	require.True(t, known.Partial)
	require.LessOrEqual(t, endless.asked, 2*mostNamedContacts)
}
