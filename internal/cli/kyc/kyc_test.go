package kyc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
)

// A command that mends a check is there to be copied into a shell, and what a service calls things stands in it.
func TestCommandsThatMendAreHarmless(t *testing.T) {
	t.Parallel()
	lines := mending(payments.KYC{AccountID: "acc_1", Status: payments.KYCStatusResubmissionRequired, Attempt: 1, Requirements: []payments.KYCRequirement{
		{Name: "identity_document", Status: "open"},
		{Name: "registrationNumber", Status: "open"},
		{Name: "taxId", Status: "submitted"},
		{Name: "a'; reboot; '", Status: "open"},
		{Name: "$(reboot)", Status: "open"},
		{Name: "", Status: "open"},
	}})
	require.Equal(t, []string{
		"payctl kyc submit acc_1 --file identity_document=PATH",
		"payctl kyc submit acc_1 --field registrationNumber=VALUE",
		`payctl kyc submit acc_1 --field 'a'\''; reboot; '\'''=VALUE`,
		"payctl kyc submit acc_1 --field '$(reboot)'=VALUE",
		"payctl kyc submit acc_1 --field ''=VALUE",
		"submitted 1 of 3 times",
	}, lines)
}
