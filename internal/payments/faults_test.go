package payments

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseFaultRule(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]SandboxFault{
		"createAutoTransfer=drop": {Operation: "createAutoTransfer", Action: SandboxFaultActionDrop},
		"*=delay:200ms,percent:10": {
			Operation: "*", Action: SandboxFaultActionDelay, Delay: "200ms", Percent: 10,
		},
		"*=status:503,retry-after:2,times:3": {
			Operation: "*", Action: SandboxFaultActionStatus, Status: 503, RetryAfter: 2, Times: 3,
		},
		"getKycStatus=expired-token,times:1": {
			Operation: "getKycStatus", Action: SandboxFaultActionExpiredToken, Times: 1,
		},
		"getTransfer=delay:1m": {Operation: "getTransfer", Action: SandboxFaultActionDelay, Delay: "1m"},
		"x=malformed,times:1000000,percent:100": {
			Operation: "x", Action: SandboxFaultActionMalformed, Times: 1000000, Percent: 100,
		},
	} {
		fault, err := ParseFaultRule(text)
		require.NoError(t, err, text)
		require.Equal(t, expected, fault, text)
		require.Equal(t, text, fault.Rule())
		require.Empty(t, SandboxFaults{Faults: []SandboxFault{fault}}.Check())
	}
}

func TestParseFaultRuleRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "=drop", "createAutoTransfer", "create transfer=drop", "ä=drop", "x=", "x=dorp", "x=expired_token", "x=drop:1",
		"x=status", "x=status:", "x=status:200", "x=status:0503", "x=status:5e2", "x=delay", "x=delay:61s", "x=delay:soon",
		"x=drop,", "x=drop,often", "x=drop,times", "x=drop,times:0", "x=drop,times:1,times:2", "x=drop,percent:101",
		"x=drop,retry-after:1", "x=status:503,retry-after:-1", "x=drop times:1", "x=drop,status:500", "x=times:1",
	} {
		fault, err := ParseFaultRule(text)
		require.Error(t, err, text)
		require.Zero(t, fault)
	}
}

func TestFaultsThatCannotBe(t *testing.T) {
	t.Parallel()
	for _, fault := range []SandboxFault{
		{Operation: "x", Action: SandboxFaultActionStatus},
		{Operation: "x", Action: SandboxFaultActionDelay, Delay: "2m"},
		{Operation: "x", Action: SandboxFaultActionDelay},
		{Operation: "x", Action: SandboxFaultActionDrop, RetryAfter: 1},
		{Operation: "x", Action: SandboxFaultActionReset, Delay: "1s"},
		{Operation: "x", Action: SandboxFaultActionReset, Status: 500},
		{Operation: "x", Action: SandboxFaultActionDelay, Delay: "1s,times:2"},
	} {
		possible := SandboxFault{Operation: "*", Action: SandboxFaultActionDrop}
		require.Equal(t, []string{"faults[1]"}, SandboxFaults{Faults: []SandboxFault{possible, fault}}.Check().Names())
	}
}
