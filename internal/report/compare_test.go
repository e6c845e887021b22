package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// expect reads a file that has no errors.
func expect(t require.TestingT, content string, format Format) *Expected {
	e, err := ReadExpected(context.Background(), strings.NewReader(content), format)
	require.NoError(t, err)
	require.Empty(t, e.Errors)
	return e
}

// paid is a transfer that has delivered its money.
func paid(id, reference, amount string) payments.Transfer {
	return payments.Transfer{
		ID: id, Reference: reference, State: payments.TransferStatePaymentProcessed, AmountType: payments.AmountTypeSource,
		Source:                    payments.TransferSide{Currency: "USDC", Amount: new(payments.MustDecimal(amount))},
		Destination:               payments.TransferSide{Currency: "EUR", Amount: new(payments.MustDecimal("9.20"))},
		DestinationSavedContactID: "sct_1", Route: "base:USDC->sepa:EUR",
	}
}

// lines are all findings in short.
func lines(c *Comparison, extra []*Finding) (all []string) {
	for _, f := range append(slices.Collect(c.Findings()), extra...) {
		text := fmt.Sprintf("%d %s %s %s %s", f.Line, f.Kind, f.Reference, f.Transfer, f.State)
		if f.Field != "" {
			text += fmt.Sprintf(" %s: %s, not %s", f.Field, f.Found, f.Expected)
		}
		all = append(all, strings.Join(strings.Fields(text), " "))
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
	same := func(*payments.Transfer) {}
	state := func(s payments.TransferState) func(*payments.Transfer) {
		return func(t *payments.Transfer) { t.State = s }
	}
	for _, c := range []struct {
		name, file string
		transfers  []payments.Transfer
		want       []string
	}{
		{"the same", "reference,amount\na,10.5\n", one(same), nil},
		{"only the reference", "reference\na\n", one(same), nil},
		{"missing", "reference,amount\na,10.5\nb,1\n", one(same), []string{"3 missing b"}},
		{"extra", "reference,amount\na,10.5\n", append(one(same), paid("trf_2", "b", "1"), paid("trf_3", "", "2")),
			[]string{"0 extra b trf_2 payment_processed", "0 extra trf_3 payment_processed"}},
		{"an amount", "reference,amount\na,10.51\n", one(same), []string{"2 different a trf_1 payment_processed amount: 10.50, not 10.51"}},
		{"an amount that is not known", "reference,amount\na,10.50\n", one(func(t *payments.Transfer) { t.Source.Amount = nil }),
			[]string{"2 different a trf_1 payment_processed amount: , not 10.50"}},
		{"the amount in the currency of the destination", "reference,amount,currency\na,9.2,eur\n", one(same), nil},
		{"the amount of the other side", "reference,amount,currency\na,10.50,EUR\n", one(same),
			[]string{"2 different a trf_1 payment_processed amount: 9.20, not 10.50"}},
		{"a currency of neither side", "reference,currency\na,BRL\n", one(same),
			[]string{"2 different a trf_1 payment_processed currency: USDC, not BRL"}},
		{"the side that the file names", "reference,amount,amount_type\na,9.20,target\n", one(same), nil},
		{"the side that the transfer was made for", "reference,amount\na,9.20\n",
			one(func(t *payments.Transfer) { t.AmountType = payments.AmountTypeTarget }), nil},
		{"contact and route", "reference,contact,route\na,sct_2,x\n", one(same), []string{
			"2 different a trf_1 payment_processed contact: sct_1, not sct_2",
			"2 different a trf_1 payment_processed route: base:USDC->sepa:EUR, not x",
		}},
		{"failed", "reference\na\n", one(state(payments.TransferStateReturned)), []string{"2 different a trf_1 returned state: returned, not paid"}},
		{"pending", "reference\na\n", one(state(payments.TransferStateInReview)), []string{"2 different a trf_1 in_review state: in_review, not paid"}},
		{"pending as expected", "reference,state\na,pending\n", one(state(payments.TransferStateInReview)), nil},
		{"further than expected", "reference,state\na,funds_received\n", one(same), nil},
		{"not as far as expected", "reference,state\na,payment_submitted\n", one(state(payments.TransferStateFundsReceived)),
			[]string{"2 different a trf_1 funds_received state: funds_received, not payment_submitted"}},
		{"failed as expected", "reference,state\na,failed\n", one(state(payments.TransferStateCanceled)), nil},
		{"paid and not failed", "reference,state\na,failed\n", one(same), []string{"2 different a trf_1 payment_processed state: payment_processed, not failed"}},
		{"paid twice", "reference,amount\na,10.5\n", append(one(same), paid("trf_2", "a", "10.50")),
			[]string{"2 duplicate a trf_1 payment_processed", "2 duplicate a trf_2 payment_processed"}},
		{"failed and then paid", "reference,amount\na,10.5\n", append(one(state(payments.TransferStateFailed)), paid("trf_2", "a", "10.50")), nil},
		{"failed twice", "reference\na\n", append(one(state(payments.TransferStateFailed)), one(state(payments.TransferStateExpired))...),
			[]string{"2 different a trf_1 failed state: failed, not paid"}},
		{"NDJSON", "{\"reference\":\"a\",\"amount\":10.5,\"note\":null}\n", one(same), nil},
		{"a JSON array", `[{"reference":"a","amount":"10.5"}]`, one(same), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			comparison := NewComparison(expect(t, c.file, Format{}))
			var extra []*Finding
			for _, transfer := range c.transfers {
				if f := comparison.Add(&transfer); f != nil {
					extra = append(extra, f)
				}
			}
			require.Equal(t, c.want, lines(comparison, extra))
			require.Equal(t, len(c.want) > 0, comparison.Summary().Findings() > 0)
		})
	}
}

// contactList is a service that lists contacts.
type contactList []payments.SavedContact

func (l contactList) ListSavedContacts(context.Context, payments.SavedContactFilter) (payments.SavedContactPage, error) {
	return payments.SavedContactPage{Data: l}, nil
}

// A transfer to the wrong one of two contacts with a label must not pass as expected.
func TestALabelOfTwoContactsIsNotCompared(t *testing.T) {
	t.Parallel()
	c := NewComparison(expect(t, "reference,contact\na,Ada\nb,Bo\nc,sct_1\nd,Nobody\n", Format{}))
	service := contactList{{ID: "sct_1", Label: "Ada"}, {ID: "sct_2", Label: "Bo"}, {ID: "sct_3", ExternalID: "Bo"}, {ID: "sct_4", Label: "sct_1"}}
	require.NoError(t, c.Contacts.Read(t.Context(), service, payments.SavedContactFilter{}))
	c.CheckContacts()
	require.Len(t, c.Errors, 1)
	require.EqualError(t, c.Errors[0],
		`3:1: contact "Bo" is the label or external id of several contacts: sct_2, sct_3; give the id of one`)
}

func TestFilesAsPeopleHaveThem(t *testing.T) {
	t.Parallel()
	e := expect(t, "\ufeffinvoice,customer,total\nINV-1,\"Ada, Berlin\",12.50\n", invoices(t))
	require.Equal(t, []string{"reference", "amount"}, e.Compared)
	require.Equal(t, []string{"customer"}, e.Ignored)
	c := NewComparison(e)
	require.Nil(t, c.Add(new(paid("trf_1", "INV-1", "12.5"))))
	require.Empty(t, lines(c, nil))
	require.Equal(t, Summary{Expected: 1, Matching: 1}, c.Summary())

	format := invoices(t)
	format.DecimalComma = true
	c = NewComparison(expect(t, "invoice;total\r\nINV-1;12,5\r\n", format))
	require.Nil(t, c.Add(new(paid("trf_1", "INV-1", "12.50"))))
	require.Empty(t, lines(c, nil))
}

// invoices is the format of a file with other columns.
func invoices(t require.TestingT) Format {
	mapping, err := rows.NewMapping(Members(), []string{"reference=invoice,amount=total"}, nil)
	require.NoError(t, err)
	return Format{Mapping: mapping}
}

func TestErrorsOfFiles(t *testing.T) {
	t.Parallel()
	for content, want := range map[string][]string{
		"invoice,amount\nx,1\n":                           {"1:1: the column reference is missing; --map reference=COLUMN takes it from another column"},
		"reference,amont\nx,1\n":                          {"1:11: the column \"amont\" is not known, and there is no amount: take it with --map amount=COLUMN, or leave it out with --set amount="},
		"reference;amount\nx;1,50\n":                      {"2:3: amount must have a decimal point and no other separator, as in 12.50; --decimal-comma reads amounts such as 12,50"},
		"reference,amount,amount\n":                       {"1:18: the column amount is there twice"},
		"reference,amount\na,1\nb,2\na,3\n":               {`4:1: reference "a" is in line 2 already`},
		"reference,amount\na,1e3\n,2\nb,-1\nc,1\n":        {"2:3: amount " + payments.ErrNotDecimal.Error(), "3:1: reference is missing", "4:3: amount " + payments.ErrNotDecimal.Error()},
		"reference,amount\na,1,2\n":                       {"2:1: the row has 3 columns, the header has 2"},
		"reference\n\"a \"\n":                             {`2:1: reference "a " begins or ends with a space`},
		"reference,state\na,open\n":                       {"2:3: state must be paid, pending, failed or a state of transfers such as funds_received"},
		"reference,amount_type\na,both\n":                 {"2:3: amount_type must be source or target"},
		"{\"reference\":1}\n{\"reference\":\"a\"}\n[1]\n": {"1:2: reference must be a JSON string", "3:1: a row must be a JSON object, one a line"},
	} {
		e, err := ReadExpected(t.Context(), strings.NewReader(content), Format{})
		require.NoError(t, err, content)
		var got []string
		for _, wrong := range e.Errors {
			got = append(got, wrong.Error())
		}
		require.Equal(t, want, got, content)
	}
	_, err := ReadExpected(t.Context(), strings.NewReader("\n"), Format{})
	require.ErrorIs(t, err, ErrUnusable)
	_, err = ReadExpected(t.Context(), iotestErr{}, Format{})
	require.ErrorIs(t, err, errBroken)
	many, err := ReadExpected(t.Context(), strings.NewReader("reference\n"+strings.Repeat("a\n", maxErrors+3)), Format{})
	require.NoError(t, err)
	require.Len(t, many.Errors, maxErrors)
	require.Equal(t, 2, many.MoreErrors)
}

var errBroken = errors.New("broken")

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, errBroken }

// What is found is what sets say: missing is the file without the transfers, extra the transfers without the file.
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
		c := NewComparison(expect(r, file.String(), Format{}))
		var extra []string
		live, all := map[string]int{}, map[string]int{}
		for i, reference := range there {
			transfer := paid(strconv.Itoa(i), reference, "10.50")
			if rapid.Bool().Draw(r, "failed") {
				transfer.State = payments.TransferStateFailed
			} else {
				live[reference]++
			}
			all[reference]++
			if f := c.Add(&transfer); f != nil {
				require.Equal(r, Extra, f.Kind)
				extra = append(extra, f.Reference)
			}
		}
		found := map[Kind][]string{}
		for f := range c.Findings() {
			if !slices.Contains(found[f.Kind], f.Reference) {
				found[f.Kind] = append(found[f.Kind], f.Reference)
			}
		}
		where := func(names []string, is func(string) bool) []string {
			return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !is(name) })
		}
		require.ElementsMatch(r, where(there, func(s string) bool { return !slices.Contains(listed, s) }), extra)
		require.ElementsMatch(r, where(listed, func(s string) bool { return all[s] == 0 }), found[Missing])
		require.ElementsMatch(r, where(listed, func(s string) bool { return all[s] > 0 && live[s] == 0 }), found[Different])
		require.ElementsMatch(r, where(listed, func(s string) bool { return live[s] > 1 }), found[Duplicate])
		require.Equal(r, Summary{
			Expected: len(listed), Missing: len(found[Missing]), Different: len(found[Different]),
			Duplicate: len(found[Duplicate]), Extra: len(extra),
			Matching: len(where(listed, func(s string) bool { return live[s] == 1 })),
		}, c.Summary())
	})
}

// A file of 200,000 rows and as many transfers take less than 100 MB.
func TestMemoryOfManyRows(t *testing.T) {
	const count = 200_000
	from, to := io.Pipe()
	go func() {
		w := csv.NewWriter(to)
		_ = w.Write([]string{"reference", "contact", "route", "amount", "currency"})
		for i := range count {
			_ = w.Write([]string{fmt.Sprintf("2026-11/invoice-%d", i), fmt.Sprintf("sct_%026d", i), "base:USDC->sepa:EUR", "12.50", "USDC"})
		}
		w.Flush()
		_ = to.CloseWithError(w.Error())
	}()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e, err := ReadExpected(t.Context(), from, Format{})
	require.NoError(t, err)
	require.Empty(t, e.Errors)
	c := NewComparison(e)
	for i := range count {
		transfer := paid(fmt.Sprintf("trf_%026d", i), fmt.Sprintf("2026-11/invoice-%d", i), "12.5")
		transfer.DestinationSavedContactID = fmt.Sprintf("sct_%026d", i)
		require.Nil(t, c.Add(&transfer))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	require.Equal(t, Summary{Expected: count, Matching: count}, c.Summary())
	require.Less(t, after.HeapAlloc-before.HeapAlloc, uint64(100<<20))
	t.Logf("%d bytes a row", (after.HeapAlloc-before.HeapAlloc)/count)
}

// FuzzReadExpected holds every file to payments with different references, or to errors inside the file.
func FuzzReadExpected(f *testing.F) {
	for _, content := range []string{
		"reference,amount\na,1\n", "invoice,total\na,1\nb,2\n", "{\"reference\":\"a\",\"amount\":1}\n", "[{\"invoice\":\"a\"}]",
		"reference,state,amount_type\na,paid,target\na,failed,source\n",
	} {
		f.Add([]byte(content))
	}
	format := invoices(f)
	for _, seed := range []string{
		"invoice,totl\na,1\n", "invoice;total\r\na;1\r\na;2\r\n", `[{"invoice":"a"},[1]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		e, err := ReadExpected(t.Context(), bytes.NewReader(content), format)
		if err != nil {
			require.ErrorIs(t, err, ErrUnusable)
			return
		}
		for _, wrong := range e.Errors {
			require.NotEmpty(t, wrong.Reason)
			require.LessOrEqual(t, wrong.Line, bytes.Count(content, []byte("\n"))+1)
		}
		c := NewComparison(e)
		seen := map[string]bool{}
		for finding := range c.Findings() {
			require.Equal(t, Missing, finding.Kind)
			require.Empty(t, payments.ReferenceFault(finding.Reference))
			require.False(t, seen[finding.Reference])
			seen[finding.Reference] = true
		}
		require.Len(t, seen, c.Len())
	})
}
