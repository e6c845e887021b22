package transfer

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// expect reads a file that has no errors.
func expect(t require.TestingT, content string, columns ...string) *comparison {
	e, err := readFile(t, content, columns...)
	require.NoError(t, err)
	require.Empty(t, e.errors)
	return e
}

func readFile(t require.TestingT, content string, columns ...string) (*comparison, error) {
	mapping, err := rows.NewMapping(expectedMembers, columns, nil)
	require.NoError(t, err)
	file, err := rows.Parse(strings.NewReader(content), mapping, maxExpected)
	if err != nil {
		return nil, err
	}
	return newComparison(file, false), nil
}

// paid returns a transfer in the state payment_processed.
func paid(id, reference, amount string) payments.Transfer {
	return payments.Transfer{
		ID: id, Reference: reference, State: payments.TransferStatePaymentProcessed, AmountType: payments.AmountTypeSource,
		Source:                    payments.TransferSide{Currency: "USDC", Amount: new(money.MustDecimal(amount))},
		Destination:               payments.TransferSide{Currency: "EUR", Amount: new(money.MustDecimal("9.20"))},
		DestinationSavedContactID: "sct_1", Route: "base:USDC->sepa:EUR",
	}
}

// differing returns all results that do not match, in a short form.
func differing(c *comparison) (all []string) {
	for _, p := range c.results() {
		if p.Finding != matching {
			text := fmt.Sprintf("%d %s %s %s %s", p.Line, p.Finding, p.Reference, p.Transfer, p.Detail)
			all = append(all, strings.Join(strings.Fields(text), " "))
		}
	}
	return all
}

func TestWhatDiffers(t *testing.T) {
	t.Parallel()
	one := func(change func(*payments.Transfer)) []payments.Transfer {
		transfer := paid("trf_1", "a", "10.50")
		change(&transfer)
		return []payments.Transfer{transfer}
	}
	in := func(s payments.TransferState) []payments.Transfer {
		return one(func(t *payments.Transfer) { t.State = s })
	}
	same := in(payments.TransferStatePaymentProcessed)
	const usual, noAmount = "reference,amount\na,10.50\n", "not_compared a trf_1 the file has no amount"
	for _, c := range []struct {
		name, file string
		transfers  []payments.Transfer
		want       string
	}{
		{"the same", usual, same, ""},
		{"an amount with fewer digits", "reference,amount\na,10.5\n", same, ""},
		{"only the reference", "reference\na\n", same, "2 " + noAmount},
		{"an empty amount", "reference,amount\na,\n", same, "2 " + noAmount},
		{"another name for the amount", "reference,total\na,10.50\n", same, "2 " + noAmount},
		{"NDJSON with another name", `{"reference":"a","total":"10.50"}`, same, "1 " + noAmount},
		{"missing", usual + "b,1\n", same, "3 missing b"},
		{
			"extra", usual, append(same, paid("trf_2", "b", "1"), paid("trf_3", "", "2")),
			"0 extra b trf_2; 0 extra trf_3",
		},
		{
			"an amount", "reference,amount\na,10.51\n", same,
			"2 different a trf_1 amount is 10.50, expected 10.51",
		},
		{
			"an amount that is not known", usual, one(func(t *payments.Transfer) { t.Source.Amount = nil }),
			"2 different a trf_1 amount is not known yet, expected 10.50",
		},
		{"the amount in the currency of the destination", "reference,amount,currency\na,9.2,eur\n", same, ""},
		{
			"the amount of the other side", "reference,amount,currency\na,10.50,EUR\n", same,
			"2 different a trf_1 amount is 9.20, expected 10.50",
		},
		{
			"a currency of neither side", "reference,amount,currency\na,10.50,BRL\n", same,
			"2 different a trf_1 currency is USDC, expected BRL",
		},
		{"the side that the file names", "reference,amount,amount_type\na,9.20,target\n", same, ""},
		{
			"the side that the transfer was made for", "reference,amount\na,9.20\n",
			one(func(t *payments.Transfer) { t.AmountType = payments.AmountTypeTarget }), "",
		},
		{
			"contact and route", "reference,amount,contact,route\na,10.50,sct_2,x\n", same,
			"2 different a trf_1 contact is sct_1, expected sct_2; route is base:USDC->sepa:EUR, expected x",
		},
		{"failed", usual, in(payments.TransferStateReturned), "2 different a trf_1 state is returned, expected paid"},
		{"pending", usual, in(payments.TransferStateInReview), "2 different a trf_1 state is in_review, expected paid"},
		{"pending as expected", "reference,amount,state\na,10.50,pending\n", in(payments.TransferStateInReview), ""},
		{"further than expected", "reference,amount,state\na,10.50,funds_received\n", same, ""},
		{
			"not as far as expected", "reference,amount,state\na,10.50,payment_submitted\n",
			in(payments.TransferStateFundsReceived), "2 different a trf_1 state is funds_received, expected payment_submitted",
		},
		{"failed as expected", "reference,amount,state\na,10.50,failed\n", in(payments.TransferStateCanceled), ""},
		{
			"paid and not failed", "reference,amount,state\na,10.50,failed\n", same,
			"2 different a trf_1 state is payment_processed, expected failed",
		},
		{"paid twice", usual, append(same, paid("trf_2", "a", "10.50")), "2 duplicate a trf_1; 2 duplicate a trf_2"},
		{"failed and then paid", usual, append(in(payments.TransferStateFailed), paid("trf_2", "a", "10.50")), ""},
		{
			"failed twice", usual, append(in(payments.TransferStateFailed), in(payments.TransferStateExpired)...),
			"2 different a trf_1 state is failed, expected paid",
		},
		{"NDJSON", `{"reference":"a","amount":10.5,"note":null}`, same, ""},
		{"a JSON array", `[{"reference":"a","amount":"10.5"}]`, same, ""},
	} {
		compared := expect(t, c.file)
		for _, transfer := range c.transfers {
			compared.add(&transfer)
		}
		require.Equal(t, c.want, strings.Join(differing(compared), "; "), c.name)
	}
}

// contactList is a service that lists contacts.
type contactList []payments.SavedContact

func (l contactList) ListSavedContacts(
	context.Context, payments.SavedContactFilter,
) (payments.SavedContactPage, error) {
	return payments.SavedContactPage{Data: l}, nil
}

// If a name fits two contacts, a transfer to one of them must not match: it may be the wrong one.
func TestALabelOfTwoContactsIsDifferent(t *testing.T) {
	t.Parallel()
	c := expect(t, "reference,amount,contact\na,10.5,Ada\nb,10.5,Bo\nc,10.5,sct_1\n")
	service := contactList{
		{ID: "sct_1", Label: "Ada"}, {ID: "sct_2", Label: "Bo"}, {ID: "sct_3", ExternalID: "Bo"},
		{ID: "sct_4", Label: "sct_1"},
	}
	require.NoError(t, c.contacts.Read(t.Context(), service, payments.SavedContactFilter{}))
	for i, to := range []string{"sct_1", "sct_2", "sct_1"} {
		transfer := paid("trf_"+to, string(rune('a'+i)), "10.50")
		transfer.DestinationSavedContactID = to
		c.add(&transfer)
	}
	require.Equal(t, []string{"3 different b trf_sct_2 contact is sct_2, expected Bo"}, differing(c))
}

func TestErrorsOfFiles(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		"reference;amount\nx;1,50\n": "2:3: amount \"1,50\" has ',' at character 2, and must look like 1250.00; " +
			"--decimal-comma and --thousands CHAR read others",
		"reference,amount\na,1\nb,2\na,3\n": `4:1: reference "a" is in line 2 already`,
		"reference,amount\na,1e3\n,2\nb,-1\nc,1\n": `2:3: amount "1e3" has 'e' at character 2, and must look like 1250.00
3:1: reference is missing
4:3: amount "-1" has '-' at character 1, and must look like 1250.00`,
		"reference,amount\na,1,2\n": "2:1: the row has 3 columns, the header has 2",
		"reference\n\"a \"\n":       `2:1: reference "a " begins or ends with a space`,
		"reference,amount,state\na,10.50,open\n": "2:9: state must be paid, pending, failed " +
			"or a state of transfers such as funds_received",
		"reference,amount_type\na,both\n": "2:3: amount_type must be source or target",
		"{\"reference\":1}\n{\"reference\":\"a\"}\n[1]\n": "1:2: reference must be a JSON string\n" +
			"3:2: a row must be a JSON object, one a line",
	} {
		e, err := readFile(t, content)
		require.NoError(t, err, content)
		e.errors.Sort()
		var got []string
		for _, wrong := range e.errors {
			got = append(got, wrong.Error())
		}
		require.Equal(t, want, strings.Join(got, "\n"), content)
	}
	for _, content := range []string{"\n", "invoice,amount\nx,1\n", "reference,amount,amount\n"} {
		_, err := readFile(t, content)
		require.Error(t, err, content)
	}
}

// The findings are set differences: missing is the file minus the transfers, extra is the transfers minus the file.
func TestAComparisonIsASetOperation(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		names := rapid.StringMatching(`[a-e]`)
		listed := rapid.SliceOfDistinct(names, rapid.ID[string]).Draw(r, "listed")
		there := rapid.SliceOf(names).Draw(r, "there")
		var file bytes.Buffer
		w := csv.NewWriter(&file)
		require.NoError(r, w.Write([]string{"reference", "amount"}))
		for _, reference := range listed {
			require.NoError(r, w.Write([]string{reference, "10.5"}))
		}
		w.Flush()
		c := expect(r, file.String())
		live, all := map[string]int{}, map[string]int{}
		for i, reference := range there {
			transfer := paid(strconv.Itoa(i), reference, "10.50")
			if rapid.Bool().Draw(r, "failed") {
				transfer.State = payments.TransferStateFailed
			} else {
				live[reference]++
			}
			all[reference]++
			c.add(&transfer)
		}
		found := map[finding][]string{}
		for _, p := range c.results() {
			if p.Finding == extra || !slices.Contains(found[p.Finding], p.Reference) {
				found[p.Finding] = append(found[p.Finding], p.Reference)
			}
		}
		where := func(names []string, is func(string) bool) []string {
			return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !is(name) })
		}
		require.ElementsMatch(r, where(there, func(s string) bool { return !slices.Contains(listed, s) }), found[extra])
		require.ElementsMatch(r, where(listed, func(s string) bool { return all[s] == 0 }), found[missing])
		require.ElementsMatch(r, where(listed, func(s string) bool { return all[s] > 0 && live[s] == 0 }), found[different])
		require.ElementsMatch(r, where(listed, func(s string) bool { return live[s] > 1 }), found[duplicate])
		require.ElementsMatch(r, where(listed, func(s string) bool { return live[s] == 1 }), found[matching])
	})
}
