package transfer

import (
	"strings"

	"github.com/payctl/payctl/internal/cli/cmdutil"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// columns are those of a list of transfers. A person reads an amount with its currency; in CSV each has a column.
var columns = []cmdutil.Column[payments.Transfer]{
	{
		Column: ui.Column{Header: "Transfer", Name: "id"}, About: "identifier",
		Cell: func(t payments.Transfer) ui.Cell { return ui.Text(t.ID) },
	}, {
		Column: ui.Column{Header: "State", Keep: true}, About: "state",
		Cell: func(t payments.Transfer) ui.Cell { return cmdutil.TransferState(t.State) },
	}, {
		Column: ui.Column{Header: "Route", Rank: 2, Ends: true}, About: "route key",
		Cell: func(t payments.Transfer) ui.Cell { return ui.Text(t.Route) },
	}, {
		Column: ui.Column{Header: "Flow", Name: "flowType"}, About: "kind of the route", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(string(t.FlowType)) },
	}, {
		Column: ui.Column{Header: "Provider"}, About: "provider of the route", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(t.Provider) },
	}, {
		Column: ui.Column{Header: "Account", Name: "accountId", Whole: true}, About: "sending account", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(t.AccountID) },
	}, {
		Column: ui.Column{Header: "Contact", Name: "destinationSavedContactId", Whole: true}, About: "receiving contact", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(t.DestinationSavedContactID) },
	}, {
		Column: ui.Column{Header: "Sends", Right: true, Rank: 1}, About: "source amount with its currency", In: cmdutil.InTable,
		SortBy: "sourceAmount", Cell: func(t payments.Transfer) ui.Cell { return amount(t.Source) },
	}, {
		Column: ui.Column{Header: "Source amount", Name: "sourceAmount", Right: true}, About: "what is taken", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return number(t.Source.Amount, t.Source.Currency) },
	}, {
		Column: ui.Column{Header: "Source currency", Name: "sourceCurrency", Keep: true}, About: "its currency", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Text(t.Source.Currency) },
	}, {
		Column: ui.Column{Header: "Delivers", Right: true}, About: "destination amount with its currency", In: cmdutil.InTable,
		SortBy: "destinationAmount", Cell: func(t payments.Transfer) ui.Cell { return amount(t.Destination) },
	}, {
		Column: ui.Column{Header: "Destination amount", Name: "destinationAmount", Right: true}, About: "what arrives", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return number(t.Destination.Amount, t.Destination.Currency) },
	}, {
		Column: ui.Column{Header: "Destination currency", Name: "destinationCurrency", Keep: true}, About: "its currency", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Text(t.Destination.Currency) },
	}, {
		Column: ui.Column{Header: "Rate", Name: "exchangeRate", Right: true}, About: "destination units for one source unit", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return cmdutil.Rate(t.ExchangeRate) },
	}, {
		Column: ui.Column{Header: "Source fees", Name: "sourceFees", Right: true}, In: cmdutil.InCSV,
		About: "fees on the source; empty if unknown",
		Cell: func(t payments.Transfer) ui.Cell {
			return number(feeTotal(t.Fees, "source", t.Source.Currency), t.Source.Currency)
		},
	}, {
		Column: ui.Column{Header: "Destination fees", Name: "destinationFees", Right: true}, In: cmdutil.InCSV,
		About: "fees on the destination; empty if unknown",
		Cell: func(t payments.Transfer) ui.Cell {
			return number(feeTotal(t.Fees, "destination", t.Destination.Currency), t.Destination.Currency)
		},
	}, {
		Column: ui.Column{Header: "Fees"}, About: "each fee in words", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(strings.Join(fees(t.Fees), "; ")) },
	}, {
		Column: ui.Column{Header: "Reference", Rank: 3, Ends: true}, About: "your reference",
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(t.Reference) },
	}, {
		Column: ui.Column{Header: "External id", Name: "externalId", Ends: true}, About: "your own id", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(t.ExternalID) },
	}, {
		Column: ui.Column{Header: "Batch", Name: "batchId", Ends: true}, About: "batch that it belongs to", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(t.BatchID) },
	}, {
		Column: ui.Column{Header: "Failure", Name: "failureReason"}, About: "why it failed", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(cmdutil.Text(t.FailureReason)) },
	}, {
		Column: ui.Column{Header: "Return code", Name: "returnCode"}, About: "the rail's code for a return", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return ui.Optional(cmdutil.Text(t.ReturnCode)) },
	}, {
		Column: ui.Column{Header: "Refund amount", Name: "refundAmount", Right: true}, About: "what goes back", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell {
			if t.Refund == nil {
				return ui.Optional("")
			}
			return number(&t.Refund.Amount, t.Refund.Currency)
		},
	}, {
		Column: ui.Column{Header: "Refund currency", Name: "refundCurrency", Keep: true}, About: "its currency", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell {
			if t.Refund == nil {
				return ui.Optional("")
			}
			return ui.Text(t.Refund.Currency)
		},
	}, {
		Column: ui.Column{Header: "Metadata"}, About: "your own keys and values", In: cmdutil.IfAsked,
		Cell: func(t payments.Transfer) ui.Cell { return cmdutil.MetadataCell(t.Metadata) },
	}, {
		Column: ui.Column{Header: "Created", Name: "createdAt", Whole: true, Rank: 1}, About: "when it was created",
		Cell: func(t payments.Transfer) ui.Cell { return cmdutil.TimeCell(t.CreatedAt) },
	}, {
		Column: ui.Column{Header: "Changed", Name: "updatedAt", Whole: true}, About: "when it last changed", In: cmdutil.InCSV,
		Cell: func(t payments.Transfer) ui.Cell { return cmdutil.TimeCell(t.UpdatedAt) },
	},
}

// amount shows an amount with its currency.
func amount(side payments.TransferSide) ui.Cell {
	return ui.Cell{Text: cmdutil.Money(side.Amount, side.Currency), Absent: side.Amount == nil}
}

// number shows an amount without its currency; a dash when it is unknown.
func number(amount *payments.Decimal, currency string) ui.Cell {
	if amount == nil {
		return ui.Optional("")
	}
	return ui.Text(cmdutil.Amount(*amount, currency))
}

// feeTotal is the sum of the fees that are taken from a side, in the currency of that side; nil if one of them is not known
// yet, or is in another currency.
func feeTotal(all []payments.Fee, side, currency string) *payments.Decimal {
	var sum payments.Decimal
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
