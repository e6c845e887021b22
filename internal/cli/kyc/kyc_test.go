package kyc

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/watch"
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

// An event of an account that --all does not mean takes no one in.
func TestWhoBelongsToAll(t *testing.T) {
	t.Parallel()
	pending, approved := "pending", "approved"
	event := func(to *string) payments.Event {
		return payments.Event{To: to, Data: payments.EventData{ExternalID: "mine"}}
	}
	for _, c := range []struct {
		filter payments.AccountFilter
		to     *string
		wanted watch.Belonging
	}{
		{payments.AccountFilter{}, &pending, watch.Member},
		{payments.AccountFilter{KYCStatus: "pending"}, &pending, watch.Member},
		{payments.AccountFilter{KYCStatus: "pending"}, &approved, watch.Foreign},
		{payments.AccountFilter{KYCStatus: "pending"}, nil, watch.Foreign},
		{payments.AccountFilter{ExternalID: "mine"}, &pending, watch.Member},
		{payments.AccountFilter{ExternalID: "other"}, &pending, watch.Foreign},
		{payments.AccountFilter{Email: "ada@example.com"}, &pending, watch.Unproven}, // no event has the address
		{payments.AccountFilter{Email: "ada@example.com", ExternalID: "other"}, &pending, watch.Foreign},
	} {
		require.Equal(t, c.wanted, (&watchOptions{filter: c.filter}).belongs(event(c.to)), "%+v", c.filter)
	}
}
