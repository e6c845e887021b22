package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// wrkScript makes every request another one: threads count for themselves.
const wrkScript = `local threads = 0
function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end
local n = 0
local headers = { ["Authorization"] = "Bearer %s", ["Content-Type"] = "application/json" }
local before = [==[{"destinationSavedContactId":"%s","route":"base:USDC->sepa:EUR","amount":"12.50","reference":"]==]
function request()
  n = n + 1
  local name = "w-%s-" .. id .. "-" .. n
  headers["Idempotency-Key"] = name
  return wrk.format("POST", "/transfers/auto/v1", headers, before .. name .. '"}')
end
`

// wrk is how many transfers wrk makes in a second, each with a key and a reference of its own, while it is run for as long as
// settling takes and then measured.
func (f files) wrk(ctx context.Context, round string, d time.Duration) (perSecond float64, err error) {
	rates := regexp.MustCompile(`(?m)^Requests/sec:\s+([0-9.]+)$`)
	troubles := regexp.MustCompile(`(?m)^\s*(Non-2xx or 3xx responses|Socket errors): .*$`)
	for i, span := range []time.Duration{leadTime, d} {
		script := filepath.Join(f.dir, fmt.Sprintf("%s-%d.lua", round, i))
		text := fmt.Sprintf(wrkScript, f.a.token, f.contact, fmt.Sprintf("%s-%d", round, i))
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			return 0, err
		}
		seconds := strconv.Itoa(int((span+time.Second-1)/time.Second)) + "s" // it counts in whole ones
		output, err := exec.CommandContext(ctx, "wrk", "--threads", "2", "--connections", strconv.Itoa(atOnce), "--duration", seconds,
			"--script", script, f.a.url).CombinedOutput()
		if err != nil {
			return 0, fmt.Errorf("wrk: %w\n%s", err, output)
		}
		if trouble := troubles.Find(output); trouble != nil {
			return 0, fmt.Errorf("wrk: %s", trouble)
		}
		rate := rates.FindSubmatch(output)
		if rate == nil {
			return 0, fmt.Errorf("wrk told no rate:\n%s", output)
		}
		if perSecond, err = strconv.ParseFloat(string(rate[1]), 64); err != nil {
			return 0, err
		}
	}
	return perSecond, nil
}
