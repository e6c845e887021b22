package payments

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseFaultRule(t *testing.T) {
	t.Parallel()
	for text, expected := range map[string]SandboxFault{
		"createAutoTransfer=drop":               {Operation: "createAutoTransfer", Action: SandboxFaultActionDrop},
		"*=delay:200ms,percent:10":              {Operation: "*", Action: SandboxFaultActionDelay, Delay: "200ms", Percent: 10},
		"*=status:503,retry-after:2,times:3":    {Operation: "*", Action: SandboxFaultActionStatus, Status: 503, RetryAfter: 2, Times: 3},
		"getKycStatus=expired-token,times:1":    {Operation: "getKycStatus", Action: SandboxFaultActionExpiredToken, Times: 1},
		"getTransfer=delay:1m":                  {Operation: "getTransfer", Action: SandboxFaultActionDelay, Delay: "1m"},
		"x=malformed,times:1000000,percent:100": {Operation: "x", Action: SandboxFaultActionMalformed, Times: 1000000, Percent: 100},
	} {
		fault, err := ParseFaultRule(text)
		require.NoError(t, err, text)
		require.Equal(t, expected, fault, text)
		require.Equal(t, text, fault.Rule())
		require.Empty(t, fault.Check("faults[0]"))
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

func TestFaultCheck(t *testing.T) {
	t.Parallel()
	for field, fault := range map[string]SandboxFault{
		"f.status":     {Action: SandboxFaultActionStatus},
		"f.delay":      {Action: SandboxFaultActionDelay, Delay: "2m"},
		"f.retryAfter": {Action: SandboxFaultActionDrop, RetryAfter: 1},
	} {
		require.Equal(t, []string{field}, fault.Check("f").Names())
	}
	require.Equal(t, []string{"f.delay", "f.status"}, SandboxFault{Action: SandboxFaultActionReset, Delay: "1s", Status: 500}.Check("f").Names())
	require.Equal(t, []string{"f.delay"}, SandboxFault{Action: SandboxFaultActionDelay}.Check("f").Names())
}

// What Check lets pass can be written as a rule and read back.
func TestFaultRulesAreReversible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		fault := SandboxFault{
			Operation: rapid.SampledFrom([]string{"*", "getAccount"}).Draw(t, "operation"),
			Action: rapid.SampledFrom([]SandboxFaultAction{SandboxFaultActionDelay, SandboxFaultActionStatus, SandboxFaultActionReset,
				SandboxFaultActionExpiredToken, SandboxFaultActionDrop, SandboxFaultActionTruncate, SandboxFaultActionMalformed}).Draw(t, "action"),
			Status:     rapid.SampledFrom([]int{0, 400, 599}).Draw(t, "status"),
			RetryAfter: rapid.IntRange(0, 3).Draw(t, "retryAfter"),
			Delay:      rapid.SampledFrom([]string{"", "1s", "2m"}).Draw(t, "delay"),
			Times:      rapid.IntRange(0, 3).Draw(t, "times"),
			Percent:    rapid.IntRange(0, 100).Draw(t, "percent"),
		}
		read, err := ParseFaultRule(fault.Rule())
		if len(fault.Check("f")) == 0 {
			require.NoError(t, err)
			require.Equal(t, fault, read)
		} else {
			require.Error(t, err)
		}
	})
}
