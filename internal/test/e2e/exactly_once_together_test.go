package e2e

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTwoMachinesAtOnce sends the same line from two machines at the same moment: both have looked for the transfer
// before either has sent it. Only a service without keys and unique references lets both pay, and both say so.
func TestTwoMachinesAtOnce(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		line := s.auto("r")
		first, second := s.together(2, s.machine, line, s.newMachine(), line)
		s.requireOnceOrReported(s.kind.keys || s.kind.unique, first, second)
	})
}

// TestTwoKeysOnTwoMachines sends one reference with two keys from two machines at the same moment.
func TestTwoKeysOnTwoMachines(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		first, second := s.together(2, s.machine, s.auto("r", "--idempotency-key", "a"),
			s.newMachine(), s.auto("r", "--idempotency-key", "b"))
		s.requireOnceOrReported(s.kind.unique, first, second)
	})
}

// TestTwoCallsOnTwoMachines sends one reference with `payctl api` from two machines at the same moment.
func TestTwoCallsOnTwoMachines(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		line := s.call("r")
		first, second := s.together(2, s.machine, line, s.newMachine(), line)
		s.requireOnceOrReported(s.kind.keys || s.kind.unique, first, second)
	})
}

// requireOnceOrReported requires that two programs that paid the reference r have one transfer and both say which, or,
// where that is not guaranteed, two that both name.
func (s *site) requireOnceOrReported(guaranteed bool, runs ...ended) {
	s.t.Helper()
	transfers := s.transfers()
	if guaranteed {
		require.Len(s.t, transfers, 1)
		for _, e := range runs {
			require.Zero(s.t, e.code)
			require.Equal(s.t, transfers[0].ID, e.stdout)
		}
		return
	}
	require.Len(s.t, transfers, 2)
	for _, e := range runs {
		require.Equal(s.t, exitUnknown, e.code)
		require.Contains(s.t, e.stderr, transfers[0].ID+" and "+transfers[1].ID)
	}
}

// TestAFileOnTwoMachinesAtOnce sends a file from two machines at the same moment, and a third one runs it afterwards.
func TestAFileOnTwoMachinesAtOnce(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(8)
		line := batch(s.file(rows...))
		first, second := s.together(2*len(rows), s.machine, line, s.newMachine(), line)
		third := s.newMachine().run(line...)
		if s.kind.keys || s.kind.unique {
			for _, e := range []ended{first, second, third} {
				s.requireOnce(e, rows)
			}
			return
		}
		transfers := s.transfers()
		require.Len(s.t, transfers, 2*len(rows))
		for _, e := range []ended{first, second, third} {
			require.Equal(s.t, exitUnknown, e.code)
			require.Contains(s.t, e.stderr, "paid more than once")
			for _, transfer := range transfers {
				require.Contains(s.t, e.stderr, transfer.ID)
			}
		}
	})
}

// TestTwoFilesOnTwoMachinesAtOnce sends two files with some references in common at the same moment.
func TestTwoFilesOnTwoMachinesAtOnce(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(4)
		first, second := s.together(2*len(rows)+1, s.machine, batch(s.file(rows...)),
			s.newMachine(), batch(s.file(references(len(rows)+1)...)))
		if s.kind.keys || s.kind.unique {
			require.Len(s.t, s.ids(), len(rows)+1)
			for _, e := range []ended{first, second} {
				require.Contains(s.t, []int{0, exitRefused}, e.code)
			}
			return
		}
		transfers := s.transfers()
		require.Len(s.t, transfers, 2*len(rows)+1)
		for _, e := range []ended{first, second} {
			require.Equal(s.t, exitUnknown, e.code)
			for _, transfer := range transfers {
				if transfer.Reference != "r-5" {
					require.Contains(s.t, e.stderr, transfer.ID)
				}
			}
		}
	})
}

// together runs two lines at once. None of the transfers that they send, so many in all, is answered before all have
// had their effect, or are known to the service.
func (s *site) together(count int, a machine, lineOfA []string, b machine, lineOfB []string) (first, second ended) {
	s.t.Helper()
	arrived, all := make(chan struct{}, 1000), make(chan struct{})
	effects, answered := make(chan struct{}, 1000), make(chan struct{})
	s.intercept(func(w http.ResponseWriter, r *http.Request, service http.Handler) {
		if !createsTransfer(r) {
			service.ServeHTTP(w, r)
			return
		}
		arrived <- struct{}{}
		<-all
		response := httptest.NewRecorder()
		service.ServeHTTP(response, r)
		effects <- struct{}{}
		<-answered
		respond(w, response, response.Body.Bytes())
	})
	one, other := a.start(lineOfA...), b.start(lineOfB...)
	for range count {
		awaited(s.t, arrived)
	}
	close(all)
	for range count {
		awaited(s.t, effects)
	}
	close(answered)
	s.t.Cleanup(func() { s.between.Store(nil) })
	return one.wait(), other.wait()
}

// TestTwoKeysInOneJournal sends one reference with two keys from one machine at the same moment. The second program
// waits for the first one, and answers with its transfer.
func TestTwoKeysInOneJournal(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		g := s.newGate(createsTransfer, nothing)
		first := s.machine.start(s.auto("r", "--idempotency-key", "a")...)
		g.await(1)
		second := s.machine.start(s.auto("r", "--idempotency-key", "b")...)
		s.requireWaitsInVain(s.auto("r"))
		g.release()
		s.requireOnceOrReported(true, first.wait(), second.wait())
	})
}

// requireWaitsInVain requires that a line waits for another program as long as it may. On a busy machine a short time
// is over before the service has given it a token.
func (s *site) requireWaitsInVain(line []string) {
	s.t.Helper()
	e := ended{code: exitTimeout}
	for timeout := 300 * time.Millisecond; e.code == exitTimeout && timeout < longestWait; timeout *= 4 {
		e = s.machine.run(slices.Concat(line, []string{"--timeout", timeout.String()})...)
	}
	require.Equal(s.t, exitUnknown, e.code)
	require.Contains(s.t, e.stderr, "Another payctl is sending this")
}

// TestAReferenceThatIsBeingSent runs a line while another program is sending its reference with another amount. What
// becomes of that one is open, so that the reference is not said to belong to it, until it has its transfer.
func TestAReferenceThatIsBeingSent(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		g := s.newGate(createsTransfer, nothing)
		first := s.machine.start(s.auto("r")...)
		g.await(1)
		for _, amount := range []string{"5", "6"} {
			s.requireWaitsInVain(s.auto("r", "--amount", amount))
		}
		g.release()
		require.Zero(s.t, first.wait().code)
		e := s.machine.run(s.auto("r", "--amount", "6")...)
		require.Equal(s.t, exitReused, e.code)
		require.Contains(s.t, e.stderr, "amount: there 5.00, here 6.00")
		require.Contains(s.t, e.stderr, s.ids()["r"])
	})
}
