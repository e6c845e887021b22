package service

import "github.com/payctl/payctl/internal/payments"

// depositInstructions returns where to send the funds of a transfer. The coordinates are well-formed but do not exist.
func depositInstructions(t *payments.Transfer) *payments.DepositInstructions {
	d := &payments.DepositInstructions{
		PaymentRail:      t.Source.PaymentRail,
		Currency:         t.Source.Currency,
		BeneficiaryName:  "payctl reference service",
		PaymentReference: t.ID,
	}
	if !t.Flexible {
		d.Amount = t.Source.Amount
	}
	switch t.Source.PaymentRail {
	case "ach", "wire":
		d.BankName, d.RoutingNumber, d.AccountNumber = "Northbank", "021000021", "000123456789"
	case "sepa", "sepa_instant":
		d.BankName, d.IBAN, d.BIC = "Europay", "DE89370400440532013000", "COBADEFFXXX"
	case "faster_payments":
		d.BankName, d.SortCode, d.AccountNumber = "Albion", "200000", "55779911"
	case "pix":
		d.BankName, d.PIXKey, d.PIXKeyType = "Latampay", "123e4567-e89b-42d3-a456-426614174000", "evp"
	case "spei":
		d.BankName, d.CLABE = "Latampay", "032180000118359719"
	case "ethereum", "base", "polygon", "arbitrum", "optimism", "avalanche":
		d.Address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	case "solana":
		d.Address = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
	case "stellar":
		d.Address, d.Memo = "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", t.ID[:min(len(t.ID), 28)]
	case "tron":
		d.Address = "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"
	case "bitcoin":
		d.Address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
	}
	return d
}
