package batch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// listed is a service that lists its contacts, and knows some more by their identifier.
type listed struct {
	terms
	contacts *[]payments.SavedContact
	asked    *[]string
}

func newListed(labels ...string) listed {
	s := listed{contacts: &[]payments.SavedContact{}, asked: &[]string{}}
	for i, label := range labels {
		s.add(fmt.Sprintf("sct_%d", i+1), label, "")
	}
	return s
}

func (s listed) add(id, label, externalID string) {
	*s.contacts = append(*s.contacts, payments.SavedContact{
		ID: id, Label: label, ExternalID: externalID, PaymentRail: "sepa", Currency: "EUR",
	})
}

func (s listed) ListSavedContacts(context.Context, payments.SavedContactFilter) (payments.SavedContactPage, error) {
	*s.asked = append(*s.asked, "list")
	return payments.SavedContactPage{Data: *s.contacts}, nil
}

func (s listed) GetSavedContact(ctx context.Context, id string) (payments.ReadResult[payments.SavedContact], error) {
	*s.asked = append(*s.asked, id)
	return s.terms.GetSavedContact(ctx, id)
}

// checkContacts checks a file with these contacts.
func checkContacts(t require.TestingT, service payments.Reads, contacts ...string) checkedFile {
	content := "reference,contact,route,amount\n"
	for i, contact := range contacts {
		content += fmt.Sprintf("r-%d,%s,%s,5\n", i, contact, testRoute)
	}
	return checked(t, service, content)
}

// endless is a service with ever more contacts than can be read.
type endless struct{ listed }

func (s endless) ListSavedContacts(
	ctx context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	page, err := s.listed.ListSavedContacts(ctx, filter)
	for i := len(page.Data); i < filter.Limit; i++ {
		id := fmt.Sprintf("sct_%d-%d", len(*s.asked), i)
		page.Data = append(page.Data, payments.SavedContact{ID: id, Label: "another"})
	}
	page.NextCursor = new(fmt.Sprint(len(*s.asked)))
	return page, err
}

// A name that one contact has among those that could be read may belong to another one too.
func TestANameIsNotUsedWhileNotAllContactsAreKnown(t *testing.T) {
	t.Parallel()
	s := endless{newListed("Ada")}
	s.add("own-id", "", "")
	wrong := checkContacts(t, s, "Ada", "own-id").wrong()
	require.Equal(t, []string{
		`2:5: contact "Ada" is the label or external id of sct_1, and another contact may have it too, ` +
			`as the service does not show all of them; give the id`,
	}, wrong)
}

// Whatever contacts are renamed, added and deleted between two runs of a file, no reference is paid twice, and none to
// a contact other than the one that it was first paid to.
func TestNamesThatMoveBetweenRunsPayNothingTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := newFake(nil)
		f.unique = rapid.Bool().Draw(rt, "unique")
		m, s := f.machine(t), newListed()
		labels := rapid.SampledFrom([]string{"Ada", "Bo", "Cy"})
		var content strings.Builder
		content.WriteString("reference,contact,route,amount\n")
		for i := range 6 {
			fmt.Fprintf(&content, "r-%d,%s,%s,5\n", i, labels.Draw(rt, "contact"), testRoute)
		}
		paid := map[string]string{}
		for range rapid.IntRange(2, 4).Draw(rt, "runs") {
			*s.contacts = nil
			for i, label := range rapid.Permutation([]string{"Ada", "Bo", "Cy"}).Draw(rt, "labels") {
				s.add(fmt.Sprintf("sct_%d", i), label, "")
			}
			file := checked(rt, s, content.String())
			require.Empty(rt, file.wrong())
			report := &lines{}
			require.NoError(rt, m.run(file, report))
			for _, r := range report.results {
				reference, contact := cell(r, "reference"), cell(r, "contact_id")
				made := f.withReference(reference)
				require.Len(rt, made, 1)
				to := made[0].DestinationSavedContactID
				require.Contains(rt, []string{"", to}, paid[reference])
				paid[reference] = to
				require.Equal(rt, to == contact, r.Outcome == Created, "%s is %s, paid to %s", cell(r, "contact"), contact, to)
				if to != contact {
					require.Equal(rt, effect.Refused, r.Outcome)
					require.Contains(rt, r.Detail, "contact")
				}
			}
		}
	})
}
