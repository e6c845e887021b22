package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// interrupt runs a batch and presses Ctrl-C when it asks which rows are paid.
func (s *site) interrupt(m machine, args ...string) ended {
	s.t.Helper()
	asked := make(chan struct{}, 1000)
	s.intercept(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if !listsTransfers(r) {
			service.ServeHTTP(w, r)
			return
		}
		asked <- struct{}{}
		<-r.Context().Done() // the program has gone
	})
	defer s.between.Store(nil)
	r := m.start(args...)
	awaited(s.t, asked)
	require.NoError(s.t, interrupt(r.cmd.Process))
	return r.wait()
}

// TestAFinishedBatchThatIsInterrupted interrupts a second run of a file before it has done anything. The rows keep
// their outcome and their identifiers, and so does the report.
func TestAFinishedBatchThatIsInterrupted(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(20)
		file, report := s.file(rows...), filepath.Join(s.t.TempDir(), "report.csv")
		line := []string{"transfer", "batch", file, "--yes", "--report", report}
		require.Zero(s.t, s.machine.run(line...).code)
		e := s.interrupt(s.machine, line...)
		require.Equal(s.t, s.ids(), reportIn(s.t, report))
		require.Zero(s.t, e.code)
		require.Contains(s.t, e.stderr, "20 created (20 of them before), 0 refused, 0 unknown, 0 not sent")
	})
}

// TestABatchOfAnotherMachineThatIsInterrupted interrupts a machine that does not know yet what another one has paid: no
// row counts as not sent, and the report of the other machine is not replaced.
func TestABatchOfAnotherMachineThatIsInterrupted(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(20)
		file, report := s.file(rows...), filepath.Join(s.t.TempDir(), "report.csv")
		line := []string{"transfer", "batch", file, "--yes", "--report", report}
		require.Zero(s.t, s.machine.run(line...).code)
		before, err := os.ReadFile(report)
		require.NoError(s.t, err)
		other := s.newMachine()
		e := s.interrupt(other, line...)
		require.Equal(s.t, exitInterrupted, e.code)
		require.Contains(s.t, e.stderr, "0 created, 0 refused, 0 unknown, 0 not sent, 20 not checked")
		require.Contains(s.t, e.stderr, "warning: "+report+" was not replaced")
		after, err := os.ReadFile(report)
		require.NoError(s.t, err)
		require.Equal(s.t, string(before), string(after))
		s.requireOnce(other.run(batch(file)...), rows)
	})
}

// TestOldUnknownRowsDoNotStopABatch loses the first rows on their way. The next run sends the others at once, and those
// too where the service keeps them from being paid twice. At any other service it says when it will, and does.
func TestOldUnknownRowsDoNotStopABatch(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(60)
		line := batch(s.file(rows...), "--retries", "0")
		s.machine.must("sandbox", "faults", "add", "createAutoTransfer=reset")
		lost := s.machine.run(line...)
		require.Equal(s.t, exitUnknown, lost.code)
		outcomes, _ := lost.report(s.t)
		require.GreaterOrEqual(s.t, outcomes["unknown"], 16)
		require.Equal(s.t, len(rows), outcomes["unknown"]+outcomes["not_sent"])
		s.machine.must("sandbox", "faults", "clear")
		if s.kind.keys || s.kind.unique {
			require.NotContains(s.t, lost.stderr, "minutes")
			s.requireOnce(s.machine.run(line...), rows)
			return
		}
		require.Contains(s.t, lost.stderr, "run it again in 15 minutes")
		for _, next := range []string{"run it again in 15 minutes", "run it again in 5 minutes"} {
			e := s.machine.run(line...)
			require.Equal(s.t, exitUnknown, e.code)
			require.Contains(s.t, e.stderr, next)
			now, _ := e.report(s.t)
			require.Equal(s.t, map[string]int{"unknown": outcomes["unknown"], "created": outcomes["not_sent"]}, now)
			s.pass(10*time.Minute, false)
		}
		s.requireOnce(s.machine.run(line...), rows)
	})
}

// TestALostTransferIsSentWhenItIsOld loses a transfer on its way. It is sent again at once if the service keeps it from
// being paid twice. Otherwise the line says when it will be, and does it then.
func TestALostTransferIsSentWhenItIsOld(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		line := s.auto("r", "--retries", "0")
		s.machine.must("sandbox", "faults", "add", "createAutoTransfer=reset,times:1")
		require.Equal(s.t, exitUnknown, s.machine.run(line...).code)
		if !s.kind.keys && !s.kind.unique {
			for _, next := range []string{"15 minutes", "5 minutes"} {
				e := s.machine.run(line...)
				require.Equal(s.t, exitUnknown, e.code)
				require.Contains(s.t, e.stderr, "run the same line again in "+next)
				s.pass(10*time.Minute, false)
			}
		}
		e := s.machine.run(line...)
		require.Zero(s.t, e.code)
		require.Equal(s.t, map[string]string{"r": e.stdout}, s.ids())
	})
}

// TestAReportOnAFullDisk pays a file whose report cannot be written.
func TestAReportOnAFullDisk(t *testing.T) {
	const device = "/dev/full" // Wine has it too
	full, err := os.OpenFile(device, os.O_WRONLY, 0)
	if err != nil {
		t.Skip("there is no full device")
	}
	_, err = full.WriteString("x")
	require.NoError(t, full.Close())
	isFull, ok := errors.AsType[syscall.Errno](err)
	require.True(t, ok, "%v", err)
	atEachKind(t, everyKind, func(s *site) {
		rows := references(800) // whose report is longer than what is written at once
		e := s.machine.run("transfer", "batch", s.file(rows...), "--yes", "--report", device)
		require.Equal(s.t, 1, e.code)
		require.Contains(s.t, e.stderr, isFull.Error())
		created := len(s.ids())
		require.Positive(s.t, created)
		counts := fmt.Sprintf("%d created, 0 refused, 0 unknown, %d not sent", created, len(rows)-created)
		require.Contains(s.t, e.stderr, counts)
		s.requireOnce(s.machine.run(batch(s.file(rows...))...), rows)
	})
}
