package payments

import (
	"cmp"
	"sync"
)

// transferReasons explains why a transfer has failed or came back, by code: the failure reasons of the reference
// service, then the codes with which banks return payments most often, those of ISO 20022 (SEPA and others) and those
// of NACHA (ACH in the United States).
var transferReasons = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"provider_declined":            "The provider declined the payment.",
		"beneficiary_rejected":         "The beneficiary's bank did not accept the payment.",
		"account_closed":               "The beneficiary's account is closed.",
		"funding_amount_mismatch":      "The deposit was not the amount of the transfer.",
		"funding_amount_out_of_bounds": "The deposit was outside the bounds of the route.",
		"route_unavailable":            "The route is no longer offered.",

		"AC01": "The account number is wrong.",
		"AC03": "The beneficiary's account number is wrong.",
		"AC04": "The account is closed.",
		"AC06": "The account is blocked.",
		"AG01": "This kind of payment is not allowed on the account.",
		"AG02": "The bank does not accept this kind of payment.",
		"AM04": "There was not enough money in the account.",
		"AM05": "The payment was sent twice.",
		"AM09": "The amount is not the agreed one.",
		"BE01": "The name does not match the account.",
		"BE04": "The beneficiary's address is missing or wrong.",
		"CNOR": "The beneficiary's bank cannot be reached on this rail.",
		"CUST": "The payer or the beneficiary asked for the money back.",
		"DUPL": "The payment was sent twice.",
		"FOCR": "The payment was recalled.",
		"FRAD": "Fraud is suspected.",
		"MD07": "The holder of the account has died.",
		"MS02": "The beneficiary refused the payment without a reason.",
		"MS03": "The bank gave no reason.",
		"RC01": "The BIC or bank code is wrong.",
		"RR01": "The payer's account number or identification is missing.",
		"RR02": "The payer's name or address is missing.",
		"RR03": "The beneficiary's name or address is missing.",
		"RR04": "The law does not allow the payment.",
		"TECH": "There was a technical problem.",

		"R01": "There was not enough money in the account.",
		"R02": "The account is closed.",
		"R03": "There is no such account, or it belongs to another person.",
		"R04": "The account number is not valid.",
		"R06": "The sending bank asked for the money back.",
		"R07": "The holder of the account withdrew the authorization.",
		"R08": "The holder of the account stopped the payment.",
		"R09": "The money in the account is not available yet.",
		"R10": "The holder of the account did not authorize the payment.",
		"R13": "The routing number is not valid.",
		"R16": "The account is frozen.",
		"R17": "The bank suspects that the details are wrong or that it is fraud.",
		"R20": "This kind of payment is not allowed on the account.",
		"R23": "The beneficiary refused the payment.",
		"R24": "The payment was sent twice.",
		"R29": "The business that holds the account did not authorize the payment.",
	}
})

// TransferReason returns the reason with a code for which a transfer has failed or came back. A service sends the code
// alone. The message of a code that is not known is the code itself.
func TransferReason(code string) KYCReason {
	return KYCReason{Code: code, Message: cmp.Or(transferReasons()[code], code)}
}
