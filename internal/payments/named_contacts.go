package payments

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// mostNamedContacts bounds the contacts that are read to find some by name. A thousand pages take seconds.
const mostNamedContacts = 100_000

// IsContactID reports whether a text looks like an identifier of a saved contact at the reference service. Another
// service may have any form.
func IsContactID(text string) bool { return strings.HasPrefix(text, "sct_") }

// A ContactLister lists saved contacts.
type ContactLister interface {
	ListSavedContacts(context.Context, SavedContactFilter) (SavedContactPage, error)
}

// NamedContacts finds saved contacts by identifier, external id or label. The zero value has no contacts.
type NamedContacts struct {
	// Partial reports that not all contacts could be read: the service has too many, cuts its list, or has no list.
	Partial bool

	byID   map[string]SavedContact
	byName map[string][]string // identifiers, by external ids and labels
}

// Read reads all contacts that a filter selects, newest first. If the service has no list for this client, Read sets
// Partial and returns nil.
func (c *NamedContacts) Read(ctx context.Context, service ContactLister, filter SavedContactFilter) error {
	if c.byID == nil {
		c.byID, c.byName = map[string]SavedContact{}, map[string][]string{}
	}
	filter.PageQuery = PageQuery{Limit: LargestPage}
	var guard PageGuard
	for read := 0; ; {
		page, err := service.ListSavedContacts(ctx, filter)
		if err != nil {
			if ctx.Err() == nil && isNoList(err) {
				c.Partial, err = true, nil
			}
			return err
		}
		var ids []string
		for _, contact := range page.Data {
			ids = append(ids, contact.ID)
			c.add(contact)
		}
		if page.NextCursor == nil {
			c.Partial = c.Partial || page.End == ListIsCut
			return nil
		}
		if read += len(page.Data); read >= mostNamedContacts {
			c.Partial = true
			return nil
		}
		filter.Cursor = *page.NextCursor
		if err := guard.Step(filter.Cursor, ids); err != nil {
			return err
		}
	}
}

// isNoList reports whether the service has no list of contacts for this client.
func isNoList(err error) bool {
	problem, ok := errors.AsType[*ProblemError](err)
	return ok && slices.Contains([]int{403, 404, 405, 410, 501}, problem.Status) || errors.Is(err, errors.ErrUnsupported)
}

func (c *NamedContacts) add(contact SavedContact) {
	if _, before := c.byID[contact.ID]; before { // a list that grows repeats rows
		return
	}
	c.byID[contact.ID] = contact
	c.byName[contact.Label] = append(c.byName[contact.Label], contact.ID)
	if contact.ExternalID != contact.Label {
		c.byName[contact.ExternalID] = append(c.byName[contact.ExternalID], contact.ID)
	}
}

// Find returns the contact with this identifier, or else those with this external id or label.
func (c *NamedContacts) Find(name string) []SavedContact {
	if contact, isID := c.byID[name]; isID {
		return []SavedContact{contact}
	}
	if name == "" {
		return nil
	}
	var found []SavedContact
	for _, id := range c.byName[name] {
		found = append(found, c.byID[id])
	}
	return found
}

// Choose returns the contact that a name means. A fault is why it is not certain: a guess could pay another person.
// With neither, only a request can tell whether the name is the identifier of a contact.
func (c *NamedContacts) Choose(name string) (chosen *SavedContact, fault string) {
	matches := c.Find(name)
	switch isOne := len(matches) == 1; {
	case isOne && (matches[0].ID == name || !IsContactID(name) && !c.Partial):
		return &matches[0], ""
	case len(matches) == 0, IsContactID(name):
		return nil, ""
	case isOne:
		return nil, fmt.Sprintf("contact %q is the label or external id of %s, and another contact may have it too, "+
			"as the service does not show all of them; give the id", name, matches[0].ID)
	}
	const most = 5
	var ids []string
	for _, contact := range matches[:min(most, len(matches))] {
		ids = append(ids, contact.ID)
	}
	if more := len(matches) - most; more > 0 {
		ids = append(ids, fmt.Sprintf("%d more", more))
	}
	return nil, fmt.Sprintf("contact %q is the label or external id of several contacts: %s; give the id of one", name,
		strings.Join(ids, ", "))
}
