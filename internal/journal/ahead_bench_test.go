package journal_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/payctl/payctl/internal/payments"
)

// BenchmarkRows puts rows of a batch down, begins and ends them.
func BenchmarkRows(b *testing.B) {
	const rows = 20_000
	for range b.N {
		j := open(b, filepath.Join(b.TempDir(), "journal.db"))
		intents := make([]payments.Intent, 512)
		for at := 0; at < rows; at += len(intents) {
			for i := range intents {
				intents[i] = payments.Intent{
					Service: "http://127.0.0.1:8080", Client: "sandbox", Profile: "local", Operation: "createAutoTransfer", Key: fmt.Sprintf("payctl-%032x", at+i),
					BodyHash: fmt.Sprintf("%064x", at+i), Reference: fmt.Sprint("b-", at+i), BatchID: "bat_1234567890123456789012345", World: "wld_12345678901234567890",
				}
			}
			if err := j.Prepare(b.Context(), intents); err != nil {
				b.Fatal(err)
			}
			for _, intent := range intents {
				if _, mine, err := j.Begin(b.Context(), intent, false); err != nil || !mine {
					b.Fatal(mine, err)
				}
				if err := j.End(intent, payments.Result{Outcome: payments.OutcomeDone, Subject: "trf_01k00000000000000000000000", State: "awaiting_funds", World: "wld_12345678901234567890"}); err != nil {
					b.Fatal(err)
				}
			}
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*rows), "µs/row")
}
