package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/effect"
	"github.com/payctl/payctl/internal/payments"
)

// listed is a service that lists its contacts. If isEndless is true, its list never ends.
type listed struct {
	terms
	contacts  *[]payments.SavedContact
	isEndless bool
}

func (s listed) add(id, label string) {
	*s.contacts = append(*s.contacts, payments.SavedContact{ID: id, Label: label, PaymentRail: "sepa", Currency: "EUR"})
}

func (s listed) ListSavedContacts(
	_ context.Context, filter payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	page := payments.SavedContactPage{Data: slices.Clone(*s.contacts)}
	if s.isEndless {
		for i := range filter.Limit {
			page.Data = append(page.Data, payments.SavedContact{ID: fmt.Sprint("more-", filter.Cursor, i), Label: "another"})
		}
		page.NextCursor = new(filter.Cursor + "x")
	}
	return page, nil
}

// A name that only one of the listed contacts has may also belong to a contact that is not listed.
func TestANameIsNotUsedWhileNotAllContactsAreKnown(t *testing.T) {
	t.Parallel()
	s := listed{contacts: &[]payments.SavedContact{}, isEndless: true}
	s.add("sct_1", "Ada")
	s.add("own-id", "")
	rows := "reference,contact,route,amount\nr-1,Ada," + testRoute + ",5\nr-2,own-id," + testRoute + ",5\n"
	wrong := checked(t, s, rows).wrong()
	require.Equal(t, []string{
		`2:5: contact "Ada" is the label or external id of sct_1, and another contact may have it too, ` +
			`as the service does not show all of them; give the id`,
	}, wrong)
}

// Labels may move between contacts from one run of a file to the next. No reference is paid twice, and none to a
// contact other than the first.
func TestNamesThatMoveBetweenRunsPayNothingTwice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := newFake(nil)
		f.unique = rapid.Bool().Draw(rt, "unique")
		m, s := f.machine(t), listed{contacts: &[]payments.SavedContact{}}
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
				s.add(fmt.Sprintf("sct_%d", i), label)
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
