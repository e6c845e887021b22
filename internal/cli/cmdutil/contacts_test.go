package cmdutil

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// contactService is a service that finds contacts by label, external id and identifier.
type contactService struct {
	payments.Service
	contacts []payments.SavedContact
	read     []string // identifiers that were asked for
}

func (s *contactService) ListSavedContacts(
	_ context.Context, filter payments.SavedContactFilter,
) (page payments.SavedContactPage, err error) {
	for _, contact := range s.contacts {
		if filter.Matches(contact) {
			page.Data = append(page.Data, contact)
		}
	}
	return page, nil
}

func (s *contactService) GetSavedContact(
	_ context.Context, id string, _ payments.ReadOptions,
) (result payments.ReadResult[payments.SavedContact], err error) {
	s.read = append(s.read, id)
	for _, contact := range s.contacts {
		if contact.ID == id {
			result.Value = contact
			return result, nil
		}
	}
	return result, payments.NotFound("contact", id)
}

// Money goes to one contact only if nothing else has the name that was given.
func TestContactID(t *testing.T) {
	t.Parallel()
	own := []payments.SavedContact{
		{ID: "1", Label: "Ada"}, {ID: "2", Label: "1"}, {ID: "3", ExternalID: "7", Label: "Bo"}, {ID: "4", Label: "Bo"}, {ID: "5", Label: "5"},
	}
	for _, c := range []struct {
		contacts []payments.SavedContact
		name, id string
		wrong    string
		read     int
	}{
		{own, "Ada", "1", "", 1},
		{own, "7", "3", "", 1},
		{own, "2", "2", "", 1},
		{own, "5", "5", "", 0},
		{own, "1", "", `contact "1" is the id of one contact, and the label or external id of 2`, 1},
		{own, "Bo", "", `contact "Bo" is the label or external id of several contacts: 3, 4`, 0},
		{own, "nobody", "", `no saved contact has the id, external id or label "nobody"`, 1},
		{[]payments.SavedContact{{ID: "sct_1", Label: "Ada"}}, "Ada", "sct_1", "", 0}, // no identifier looks like this name
	} {
		d, _ := printing("json")
		service := &contactService{contacts: c.contacts}
		id, err := d.ContactID(t.Context(), service, "--contact", c.name)
		require.Equal(t, c.id, id, c.name)
		require.Len(t, service.read, c.read, c.name)
		if c.wrong == "" {
			require.NoError(t, err, c.name)
		} else {
			require.ErrorContains(t, err, c.wrong, c.name)
		}
	}
}
