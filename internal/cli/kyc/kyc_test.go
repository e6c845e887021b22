package kyc

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/follow"
	"github.com/payctl/payctl/internal/payments"
)

// A suggested command may be copied into a shell, although it holds names that the service chose.
func TestSuggestedCommandsAreHarmless(t *testing.T) {
	t.Parallel()
	lines := nextSteps(payments.KYC{AccountID: "acc_1", Status: payments.KYCStatusResubmissionRequired, Attempt: 1, Requirements: []payments.KYCRequirement{
		{Name: "identity_document", Status: "open"},
		{Name: "registrationNumber", Status: "open"},
		{Name: "taxId", Status: "submitted"},
		{Name: "a'; reboot; '", Status: "open"},
		{Name: "$(reboot)", Status: "open"},
		{Name: "", Status: "open"},
	}})
	expected := []string{
		"payctl kyc submit --file identity_document=PATH acc_1",
		"payctl kyc submit --field registrationNumber=VALUE acc_1",
		`payctl kyc submit --field 'a'\''; reboot; '\''=VALUE' acc_1`,
		"payctl kyc submit --field '$(reboot)=VALUE' acc_1",
		"payctl kyc submit --field '=VALUE' acc_1",
		"submitted 1 of 3 times",
	}
	if runtime.GOOS == "windows" { // whose shells do not read all of these alike
		expected[2], expected[3] = "payctl kyc submit --field NAME=VALUE acc_1", "payctl kyc submit --field NAME=VALUE acc_1"
		expected[4] = "payctl kyc submit --field =VALUE acc_1"
	}
	require.Equal(t, expected, lines)
}

// An event of an account that --all does not mean adds no account.
func TestMembership(t *testing.T) {
	t.Parallel()
	pending, approved := "pending", "approved"
	event := func(to *string) payments.Event {
		return payments.Event{To: to, Data: payments.EventData{ExternalID: "mine"}}
	}
	for _, c := range []struct {
		filter payments.AccountFilter
		to     *string
		wanted follow.Membership
	}{
		{payments.AccountFilter{}, &pending, follow.Member},
		{payments.AccountFilter{KYCStatuses: []payments.KYCStatus{"pending"}}, &pending, follow.Member},
		{payments.AccountFilter{KYCStatuses: []payments.KYCStatus{"pending"}}, &approved, follow.NotMember},
		{payments.AccountFilter{KYCStatuses: []payments.KYCStatus{"pending"}}, nil, follow.NotMember},
		{payments.AccountFilter{ExternalID: "mine"}, &pending, follow.Member},
		{payments.AccountFilter{ExternalID: "other"}, &pending, follow.NotMember},
		{payments.AccountFilter{Email: "ada@example.com"}, &pending, follow.Unknown}, // no event has the address
		{payments.AccountFilter{Email: "ada@example.com", ExternalID: "other"}, &pending, follow.NotMember},
	} {
		require.Equal(t, c.wanted, (&watchOptions{filter: c.filter}).membership(event(c.to)), "%+v", c.filter)
	}
}
