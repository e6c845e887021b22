package journal_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/payctl/payctl/internal/outbox/journal"
)

// BenchmarkRows claims rows of a batch and ends them.
func BenchmarkRows(b *testing.B) {
	const rows = 100_000
	b.ReportAllocs()
	for b.Loop() {
		j := open(b, filepath.Join(b.TempDir(), "journal.db"))
		for at := 0; at < rows; at += 512 {
			intents := make([]journal.Intent, min(512, rows-at))
			for i := range intents {
				reference := fmt.Sprint("b-", at+i)
				intents[i] = journal.Intent{
					Service: "http://127.0.0.1:8080", Client: "sandbox", Profile: "local", Operation: "createAutoTransfer",
					Key: journal.ReferenceKey("createAutoTransfer", reference), Fingerprint: fmt.Sprintf("%064x", at+i),
					Reference: reference, BatchID: "bat_1234567890123456789012345", World: "wld_12345678901234567890",
				}
			}
			claims, err := j.Claim(b.Context(), intents, false)
			if err != nil {
				b.Fatal(err)
			}
			result := journal.Result{
				Outcome: journal.OutcomeDone, Subject: "trf_01k00000000000000000000000", State: "awaiting_funds",
				World: "wld_12345678901234567890",
			}
			for i := range intents {
				if err := j.End(intents[i], result); err != nil || !claims[i].Mine {
					b.Fatal(claims[i], err)
				}
			}
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rows), "µs/row")
}
