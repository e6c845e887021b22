package refserver_test

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/payctl/payctl/internal/refserver"
)

// BenchmarkCreateTransfer creates transfers with idempotency keys over HTTP, from 32 connections and from one, kept in
// memory and on the disk. On the disk the rate from 32 connections is to be at least half of that in memory.
func BenchmarkCreateTransfer(b *testing.B) {
	for _, connections := range []int{32, 1} {
		for _, kept := range []string{"memory", "data"} {
			b.Run(fmt.Sprintf("connections=%d/%s", connections, kept), func(b *testing.B) {
				config := refserver.Config{KYCDelay: time.Nanosecond}
				if kept == "data" {
					config.Data = b.TempDir()
				}
				benchmarkCreate(b, config, connections)
			})
		}
	}
}

func benchmarkCreate(b *testing.B, config refserver.Config, connections int) {
	c := login(b, serve(b, config), connections)
	contact := c.approvedContact(b)
	var (
		next    atomic.Int64
		mu      sync.Mutex
		elapsed []time.Duration
		workers sync.WaitGroup
	)
	b.ResetTimer()
	for range connections {
		workers.Go(func() {
			var own []time.Duration
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				began := time.Now()
				a, err := c.do(b.Context(), http.MethodPost, "/transfers/auto/v1", transferTo(contact, fmt.Sprint("r-", n)), fmt.Sprint("k", n))
				if err != nil || a.status != http.StatusCreated {
					b.Errorf("%v: %d %s", err, a.status, a.body)
					return
				}
				own = append(own, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			elapsed = append(elapsed, own...)
		})
	}
	workers.Wait()
	b.StopTimer()
	if len(elapsed) == 0 {
		return
	}
	slices.Sort(elapsed)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "creates/s")
	b.ReportMetric(float64(elapsed[len(elapsed)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(elapsed[len(elapsed)*99/100].Microseconds()), "p99-µs")
}

// transferTo is the body that creates a transfer.
func transferTo(contact, reference string) string {
	return fmt.Sprintf(`{"destinationSavedContactId":%q,"route":"base:USDC->sepa:EUR","amount":"12.50","reference":%q}`, contact, reference)
}
