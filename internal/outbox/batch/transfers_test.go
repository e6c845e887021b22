package batch

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/rows"
	"github.com/payctl/payctl/internal/wait"
)

// terms is a service with one route, and contacts whose ids begin with sct or pix.
type terms struct {
	payments.Reads
	err   error // the answer to reads of contacts
	asked *atomic.Int64
}

func (terms) SelectRoutes(context.Context, payments.RouteSelection) (payments.TransferInfo, error) {
	fixed, rate := money.MustDecimal("0.10"), money.MustDecimal("0.0025")
	return payments.TransferInfo{
		Routes:                []payments.TransferRoute{{RouteKey: testRoute, Provider: "p"}},
		AvailableSources:      []payments.AvailableEndpoint{{PaymentRail: "base", Currency: "USDC", Decimals: new(6)}},
		AvailableDestinations: []payments.AvailableEndpoint{{PaymentRail: "sepa", Currency: "EUR", Decimals: new(2)}},
		TransactionsInfo: []payments.TransactionInfo{{
			RouteKey: testRoute, MinAmount: money.MustDecimal("1"), MaxAmount: money.MustDecimal("100"),
			ExchangeRate: money.MustDecimal("0.5"),
			Fees: []payments.Fee{{Type: "network", Side: "source", Currency: "USDC", Amount: &fixed},
				{Type: "conversion", Side: "source", Currency: "USDC", Rate: &rate}},
		}},
	}, nil
}

// GetAccount returns an account whose identity check is pending.
func (terms) GetAccount(_ context.Context, id string) (read payments.ReadResult[payments.Account], err error) {
	read.Value = payments.Account{ID: id, KYCStatus: payments.KYCStatusPending}
	return read, nil
}

// ListSavedContacts refuses: this client may read single contacts only.
func (terms) ListSavedContacts(context.Context, payments.SavedContactFilter) (payments.SavedContactPage, error) {
	return payments.SavedContactPage{}, refusal(payments.ProblemInsufficientScope, 403)
}

func (s terms) GetSavedContact(
	_ context.Context, id string,
) (read payments.ReadResult[payments.SavedContact], err error) {
	switch {
	case s.err != nil:
		s.asked.Add(1)
		return read, s.err
	case strings.HasPrefix(id, "pix"):
		read.Value = payments.SavedContact{ID: id, PaymentRail: "pix", Currency: "BRL"}
	case strings.HasPrefix(id, "sct"):
		read.Value = payments.SavedContact{
			ID: id, AccountID: "acc_1", Label: "L" + id, PaymentRail: "sepa", Currency: "EUR",
		}
	default:
		return read, payments.NotFound("contact", id)
	}
	return read, nil
}

// A checkedFile is a file of transfers with its plan.
type checkedFile struct {
	*File[payments.NewAutoTransfer]
	*Transfers
}

func readFile(t require.TestingT, content string, constants ...string) checkedFile {
	transfers := &Transfers{TakesAny: len(constants) > 0}
	kind := transfers.Format()
	mapping, err := rows.NewMapping(kind.Members(), nil, constants)
	require.NoError(t, err)
	read, err := rows.Parse(strings.NewReader(content), mapping, MaxRows)
	require.NoError(t, err)
	file := Read("rows.csv", read, kind)
	transfers.BatchID = file.BatchID
	return checkedFile{file, transfers}
}

// checked reads and checks a file.
func checked(t require.TestingT, service payments.Reads, content string, constants ...string) checkedFile {
	file := readFile(t, content, constants...)
	if len(file.Errors) == 0 {
		require.NoError(t, file.Check(context.Background(), service, file.File))
	}
	return file
}

// wrong returns the errors of the file.
func (c checkedFile) wrong() (all []string) {
	for _, err := range c.Errors {
		all = append(all, err.Error())
	}
	return all
}

func TestEveryErrorOfAFileIsFound(t *testing.T) {
	t.Parallel()
	for content, wanted := range map[string]string{
		",sct,ROUTE,5,":   "2:1: reference is missing",
		" r,sct,ROUTE,5,": "2:1: reference begins or ends with a space",
		strings.Repeat("r", 129) + ",sct,ROUTE,5,": "2:1: reference must have at most 128",
		"r,,ROUTE,5,":                    "2:3: contact is required",
		"r,nobody,ROUTE,5,":              "2:3: contact \"nobody\" does not exist",
		"r,pix1,ROUTE,5,":                "2:3: the route " + testRoute + " does not lead to",
		"r,sct,,5,":                      "2:7: route is required",
		"r,sct,x,5,":                     "2:7: route \"x\" does not exist",
		"r,sct,ROUTE,0,":                 "2:27: amount must be more than zero",
		"r,sct,ROUTE,0.5,":               "2:27: amount is not between 1 and 100 USDC",
		"r,sct,ROUTE,101,":               "2:27: amount is not between",
		"r,sct,ROUTE,1.0000001,":         "2:27: amount has more than the 6 decimals of USDC",
		"r,sct,ROUTE,1.001,target":       "2:27: amount has more than the 2 decimals of EUR",
		"r,sct,ROUTE,1e3,":               "2:27: amount \"1e3\" has 'e' at character 2",
		"r,sct,ROUTE,5,both":             "2:29: amount_type must be",
		"r,sct,ROUTE,,target":            "2:27: amount is empty, and amount_type needs one",
		"r,sct,ROUTE,,":                  "2:27: amount is empty: such a payment takes whatever arrives",
		"r,sct,ROUTE,5,\nr,sct,ROUTE,6,": "3:1: reference \"r\" is in line 2 already",
	} {
		content = "reference,contact,route,amount,amount_type\n" + strings.ReplaceAll(content, "ROUTE", testRoute)
		require.Contains(t, strings.Join(checked(t, terms{}, content).wrong(), "\n"), wanted, content)
	}
}

// A service that does not answer is not an error of the file, and is not asked about every contact.
func TestAServiceThatCannotBeAsked(t *testing.T) {
	t.Parallel()
	content := "reference,contact,route,amount\n"
	for i := range maxSingle {
		content += fmt.Sprintf("r-%d,sct_%d,%s,5\n", i, i, testRoute)
	}
	file := readFile(t, content)
	service := terms{err: refusal(payments.ProblemTimeout, 0), asked: &atomic.Int64{}}
	err := file.Check(t.Context(), service, file.File)
	require.True(t, payments.IsProblem(err, payments.ProblemTimeout), "%v", err)
	require.LessOrEqual(t, service.asked.Load(), int64(2*wait.Concurrency))
}

func TestThePlanAddsUp(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("reference,contact,route,amount,amount_type,metadata.b\n")
	for i := range 10 {
		fmt.Fprintf(&b, "s-%[1]d,sct%[1]d,%[2]s,10,,x\nt-%[1]d,sct0,%[2]s,5,target,\nf-%[1]d,sct1,%[2]s,,,\n", i, testRoute)
	}
	file := checked(t, terms{}, b.String(), "amount=")
	require.Empty(t, file.wrong())
	p := file.Plan
	require.Equal(t, 30, p.Rows)
	require.Equal(t, 10, p.Flexible)
	require.Equal(t, "USDC source 100.00 EUR target 50.00", fmt.Sprintf("%s %s %s %s %s %s",
		p.Totals[0].Currency, p.Totals[0].AmountType, p.Totals[0].Amount,
		p.Totals[1].Currency, p.Totals[1].AmountType, p.Totals[1].Amount))
	require.Equal(t, "0.10", p.Routes[0].Fees[0].Amount.String(), "the fee of one row")
	require.Len(t, p.Contacts, topContacts)
	require.Equal(t, 5, p.MoreContacts)
	require.Equal(t, "sct0", p.Contacts[0].ID)
	require.Len(t, p.Warnings, 1)
	require.Regexp(t, "^the account acc_1 of Lsct0, .* is pending and not approved", p.Warnings[0])
	require.Equal(t, []string{"reference", "contact", "route", "amount", "amount_type", "metadata.b"}, file.Columns)

	require.Contains(t, p.CheckLimits(nil), "take whatever arrives")
	p.Flexible = 0
	limit := func(usdc, eur string) string {
		return p.CheckLimits(map[string]money.Decimal{"USDC": money.MustDecimal(usdc), "EUR": money.MustDecimal(eur)})
	}
	require.Empty(t, limit("100", "50"))
	require.Contains(t, limit("99.99", "50"), "100.00 USDC, which is more than --max-total 99.99:USDC")
	require.Contains(t, p.CheckLimits(map[string]money.Decimal{"USDC": money.MustDecimal("100")}), "50.00 EUR, and no")
}
