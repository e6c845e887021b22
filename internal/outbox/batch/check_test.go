package batch

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
)

// terms is a service with one route, and contacts that begin with sct.
type terms struct {
	payments.Reads
	err   error // with which it answers questions about contacts
	asked *atomic.Int64
}

func (terms) SelectRoutes(context.Context, payments.RouteSelection) (payments.TransferInfo, error) {
	fixed, rate := payments.MustDecimal("0.10"), payments.MustDecimal("0.0025")
	return payments.TransferInfo{
		Routes:                []payments.TransferRoute{{RouteKey: testRoute, Provider: "p"}},
		AvailableSources:      []payments.AvailableEndpoint{{PaymentRail: "base", Currency: "USDC", Decimals: new(6)}},
		AvailableDestinations: []payments.AvailableEndpoint{{PaymentRail: "sepa", Currency: "EUR", Decimals: new(2)}},
		TransactionsInfo: []payments.TransactionInfo{{
			RouteKey: testRoute, MinAmount: payments.MustDecimal("1"), MaxAmount: payments.MustDecimal("100"), ExchangeRate: payments.MustDecimal("0.5"),
			Fees: []payments.Fee{{Type: "network", Side: "source", Currency: "USDC", Amount: &fixed},
				{Type: "conversion", Side: "source", Currency: "USDC", Rate: &rate}},
		}},
	}, nil
}

// GetAccount has an account whose check is not approved yet.
func (terms) GetAccount(
	_ context.Context, id string, _ payments.ReadOptions,
) (read payments.ReadResult[payments.Account], err error) {
	read.Value = payments.Account{ID: id, KYCStatus: payments.KYCStatusPending}
	return read, nil
}

// ListSavedContacts refuses: this client may read single contacts only.
func (terms) ListSavedContacts(context.Context, payments.SavedContactFilter) (payments.SavedContactPage, error) {
	return payments.SavedContactPage{}, refusal(payments.KindInsufficientScope, 403)
}

func (s terms) GetSavedContact(
	_ context.Context, id string, _ payments.ReadOptions,
) (read payments.ReadResult[payments.SavedContact], err error) {
	switch {
	case s.err != nil:
		s.asked.Add(1)
		return read, s.err
	case strings.HasPrefix(id, "pix"):
		read.Value = payments.SavedContact{ID: id, PaymentRail: "pix", Currency: "BRL"}
	case strings.HasPrefix(id, "sct"):
		read.Value = payments.SavedContact{ID: id, AccountID: "acc_1", Label: "L" + id, PaymentRail: "sepa", Currency: "EUR"}
	default:
		return read, payments.NotFound("contact", id)
	}
	return read, nil
}

func TestEveryErrorOfAFileIsFound(t *testing.T) {
	t.Parallel()
	for row, wanted := range map[string]string{
		",sct," + testRoute + ",5,":                              "2:1: reference is missing",
		" r,sct," + testRoute + ",5,":                            "2:1: reference begins or ends with a space",
		"\x00r,sct," + testRoute + ",5,":                         "2:1: reference has a control character, U+0000, at character 1",
		"caf\u00e9\u200b,sct," + testRoute + ",5,":               "2:1: reference has an invisible character, U+200B, at character 5",
		"cafe\u0301,sct," + testRoute + ",5,":                    "2:1: reference is not in Unicode normal form C from character 4 on",
		"r,sct\u00ad1," + testRoute + ",5,":                      "2:3: contact has an invisible character, U+00AD, at character 4",
		strings.Repeat("r", 129) + ",sct," + testRoute + ",5,":   "2:1: reference is longer than 128",
		"r,," + testRoute + ",5,":                                "2:3: contact is missing",
		"r,nobody," + testRoute + ",5,":                          "2:3: contact \"nobody\" does not exist",
		"r,pix1," + testRoute + ",5,":                            "2:3: the route " + testRoute + " does not lead to",
		"r,sct,,5,":                                              "2:7: route is missing",
		"r,sct,x,5,":                                             "2:7: route \"x\" does not exist",
		"r,sct," + testRoute + ",0,":                             "2:27: amount must be more than zero",
		"r,sct," + testRoute + ",0.5,":                           "2:27: amount is not between 1 and 100 USDC",
		"r,sct," + testRoute + ",101,":                           "2:27: amount is not between",
		"r,sct," + testRoute + ",1.0000001,":                     "2:27: amount has more than the 6 decimals of USDC",
		"r,sct," + testRoute + ",1.001,target":                   "2:27: amount has more than the 2 decimals of EUR",
		"r,sct," + testRoute + ",1e3,":                           "2:27: amount \"1e3\" has 'e' at character 2",
		"r,sct," + testRoute + ",5,both":                         "2:29: amount_type must be source or target",
		"r,sct," + testRoute + ",,":                              "2:27: amount is empty: such a payment takes whatever arrives; if that is meant, add --set amount=",
		"r,sct," + testRoute + ",5,\nr,sct," + testRoute + ",6,": "3:1: reference \"r\" is in line 2 already",
		"r,no," + testRoute + ",5,\ns,no," + testRoute + ",6,":   "2:3: contact \"no\" does not exist (and in 1 more rows)",
	} {
		s := written(t, "a.csv", "reference,contact,route,amount,amount_type\n"+row+"\n")
		checked, err := Check(t.Context(), s, terms{})
		require.NoError(t, err)
		require.Len(t, checked.Errors.First, 1, row)
		require.Contains(t, checked.Errors.First[0].Error(), wanted)
	}
}

func TestErrorsAreBoundedAndInOrder(t *testing.T) {
	t.Parallel()
	s := written(t, "a.csv", "reference,contact,route\n"+strings.Repeat("r,sct,nowhere\n", 3*rows.MostErrors))
	checked, err := Check(t.Context(), s, terms{})
	require.NoError(t, err)
	require.Len(t, checked.Errors.First, rows.MostErrors)
	require.Equal(t, 3*rows.MostErrors+3*rows.MostErrors-1, len(checked.Errors.First)+checked.Errors.More, "each a bad route, all but one a repeated reference")
	for i := 1; i < rows.MostErrors; i++ {
		require.LessOrEqual(t, checked.Errors.First[i-1].Line, checked.Errors.First[i].Line)
	}
}

// A service that cannot be asked is no error of the file. It is not asked about a thousand contacts once it has not answered.
func TestAServiceThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	content := "reference,contact,route\n"
	for i := range maxContacts {
		content += fmt.Sprintf("r-%d,sct%d,%s\n", i, i, testRoute)
	}
	service := terms{err: refusal(payments.KindTimeout, 0), asked: &atomic.Int64{}}
	_, err := Check(t.Context(), written(t, "a.csv", content), service)
	require.True(t, payments.IsKind(err, payments.KindTimeout), "%v", err)
	require.LessOrEqual(t, service.asked.Load(), int64(2*lookups))
	_, err = Check(t.Context(), written(t, "a.csv", "reference,contact,route\n"), terms{})
	require.ErrorIs(t, err, rows.ErrUnusable)
}

func TestThePlanAddsUp(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("reference,contact,route,amount,amount_type,metadata.b\n")
	for i := range 10 {
		fmt.Fprintf(&b, "s-%d,sct%d,%s,10,,x\nt-%d,sct0,%s,5,target,\nf-%d,sct1,%s,,,\n", i, i, testRoute, i, testRoute, i, testRoute)
	}
	source := written(t, "a.csv", b.String())
	checked, err := Check(t.Context(), source, terms{})
	require.NoError(t, err)
	require.Len(t, checked.Errors.First, 1)
	require.ErrorContains(t, checked.Errors.First[0], "4:30: amount is empty (and in 9 more rows)")
	source.mapping, err = rows.NewMapping(Members(), nil, []string{"amount="})
	require.NoError(t, err)
	checked, err = Check(t.Context(), source, terms{})
	require.NoError(t, err)
	require.Empty(t, checked.Errors.First)
	p := checked.Plan
	require.Equal(t, 30, p.Rows)
	require.Equal(t, 10, p.Flexible)
	require.Equal(t, "EUR target 50.00 USDC source 100.00", fmt.Sprintf("%s %s %s %s %s %s",
		p.Totals[0].Currency, p.Totals[0].AmountType, p.Totals[0].Amount, p.Totals[1].Currency, p.Totals[1].AmountType, p.Totals[1].Amount))
	require.Equal(t, "0.10", p.Routes[0].Fees[0].Amount.String(), "of every row")
	require.Len(t, p.Contacts, topContacts)
	require.Equal(t, 5, p.MoreContacts)
	require.Equal(t, "sct0", p.Contacts[0].ID)
	require.Len(t, p.Warnings, 1)
	require.Regexp(t, "^the account acc_1 of Lsct0, .* is pending and not approved", p.Warnings[0])
	require.Equal(t, []string{"reference", "contact", "route", "amount", "amount_type", "metadata.b"}, checked.Columns)

	require.Contains(t, p.CheckLimits(nil), "take whatever arrives")
	p.Flexible = 0
	limit := func(usdc, eur string) string {
		return p.CheckLimits(map[string]payments.Decimal{"USDC": payments.MustDecimal(usdc), "EUR": payments.MustDecimal(eur)})
	}
	require.Empty(t, limit("100", "50"))
	require.Contains(t, limit("99.99", "50"), "100.00 USDC, which is more than --max-total 99.99:USDC")
	require.Contains(t, p.CheckLimits(map[string]payments.Decimal{"USDC": payments.MustDecimal("100")}), "50.00 EUR, for which there is no --max-total")
}
