package transfer

import (
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/cli/resource"
	"github.com/payctl/payctl/internal/money"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// Table has the members of a transfer. A person reads an amount with its currency; in CSV each has a column.
var Table = resource.Table[payments.Transfer]{
	{Column: ui.Column{Header: "Transfer", Name: "id"}},
	{
		Column: ui.Column{Header: "State", Keep: true},
		Flag:   "state", Filter: "only those in one of these `STATES`, such as awaiting_funds,in_review",
	},
	{
		Column: ui.Column{Header: "Route", Rank: 2, Ends: true},
		Flag:   "route", Usage: "`ROUTE` to take, such as ethereum:USDC->sepa:EUR", Filter: "only those over this `ROUTE`",
	},
	{Column: ui.Column{Header: "Flow", Name: "flowType"}, In: resource.InCSV},
	{Column: ui.Column{Header: "Provider"}, In: resource.InCSV},
	{
		Column: ui.Column{Header: "Account", Name: "accountId", Whole: true}, In: resource.InCSV,
		Flag: "account", Filter: "only those of this `ACCOUNT`",
	},
	{
		Column: ui.Column{Header: "Contact", Name: "destinationSavedContactId", Whole: true}, In: resource.InCSV,
		Flag: "contact", Usage: "saved `CONTACT` that receives the money: id, label or external id",
		Filter: "only those to this `CONTACT`: its id, label or external id",
	},
	{
		Column: ui.Column{Header: "Sends", Right: true, Rank: 1}, In: resource.InTable,
		SortBy: "sourceAmount", Cell: func(t payments.Transfer) ui.Cell { return amount(t.Source) },
	},
	inCSV(ui.Column{Header: "Source amount", Name: "sourceAmount", Right: true}, "source/amount"),
	inCSV(ui.Column{Header: "Source currency", Name: "sourceCurrency", Keep: true}, "source/currency"),
	{
		Column: ui.Column{Header: "Delivers", Right: true}, In: resource.InTable,
		SortBy: "destinationAmount", Cell: func(t payments.Transfer) ui.Cell { return amount(t.Destination) },
	},
	inCSV(ui.Column{Header: "Destination amount", Name: "destinationAmount", Right: true}, "destination/amount"),
	inCSV(ui.Column{Header: "Destination currency", Name: "destinationCurrency", Keep: true}, "destination/currency"),
	{
		Column: ui.Column{Header: "Rate", Name: "exchangeRate", Right: true},
		In:     resource.InCSV, Cell: func(t payments.Transfer) ui.Cell { return cmdutil.Rate(t.ExchangeRate) },
	},
	feesOf("Source fees", "source", func(t payments.Transfer) string { return t.Source.Currency }),
	feesOf("Destination fees", "destination", func(t payments.Transfer) string { return t.Destination.Currency }),
	{
		Column: ui.Column{Header: "Fees"}, In: resource.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(strings.Join(fees(t.Fees), "; ")) },
	},
	{
		Column: ui.Column{Header: "Reference", Rank: 3, Ends: true},
		Flag:   "reference", Usage: "your own `REFERENCE`: makes the command repeatable",
		Filter: "only those with this `REFERENCE`",
	},
	{
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, In: resource.InCSV,
		Flag: "external-id", Usage: "your own `ID` of the transfer; makes the command repeatable if there is no reference",
		Filter: "only those with this `ID` of yours",
	},
	{
		Column: ui.Column{Header: "Batch", Name: "batchId", Ends: true}, In: resource.InCSV,
		Flag: "batch", Filter: "only those of this `BATCH`",
	},
	inCSV(ui.Column{Header: "Failure", Name: "failureReason"}, "failureReason"),
	inCSV(ui.Column{Header: "Return code", Name: "returnCode"}, "returnCode"),
	inCSV(ui.Column{Header: "Refund amount", Name: "refundAmount", Right: true}, "refund/amount"),
	inCSV(ui.Column{Header: "Refund currency", Name: "refundCurrency", Keep: true}, "refund/currency"),
	{Column: ui.Column{Header: "Metadata"}, In: resource.IfAsked},
	{Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true, Rank: 1}},
	{Column: ui.Column{Header: "Changed", Name: "updatedAt", Whole: true}, In: resource.InCSV},
}

// inCSV is a column with a member that details show in another way.
func inCSV(column ui.Column, at string) resource.Member[payments.Transfer] {
	return resource.Member[payments.Transfer]{Column: column, At: at, In: resource.PartInCSV}
}

// feesOf is the column with the fees that are taken from a side, added up.
func feesOf(header, side string, currency func(payments.Transfer) string) resource.Member[payments.Transfer] {
	column := ui.Column{Header: header, Name: side + "Fees", Right: true}
	return resource.Member[payments.Transfer]{
		Column: column, In: resource.PartInCSV,
		Cell: func(t payments.Transfer) ui.Cell {
			return ui.Optional(cmdutil.Amount(feeTotal(t.Fees, side, currency(t)), currency(t)))
		},
	}
}

// amount shows an amount with its currency.
func amount(side payments.TransferSide) ui.Cell {
	return ui.Cell{Text: cmdutil.Money(side.Amount, side.Currency), Absent: side.Amount == nil}
}

// feeTotal is the sum of the fees that are taken from a side, in its currency. Nil means that one of them is not known
// yet, or is in another currency.
func feeTotal(all []payments.Fee, side, currency string) *money.Decimal {
	var sum money.Decimal
	for _, fee := range all {
		switch {
		case fee.Side != side:
		case fee.Amount == nil || fee.Currency != currency:
			return nil
		default:
			sum = sum.Add(*fee.Amount)
		}
	}
	return &sum
}
