package e2e

import (
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// pause stops the program.
func (r *run) pause() {
	r.t.Helper()
	require.NoError(r.t, pause(r.cmd.Process))
}

// resume lets the program go on.
func (r *run) resume() {
	r.t.Helper()
	require.NoError(r.t, resume(r.cmd.Process))
}

// pausedAtEachKind runs a scenario at each kind of service, with machines whose monotonic clock goes on during a pause,
// and with ones on which it stands still, as in sleep. On Windows, where CI takes longest, each kind has one of the two.
func pausedAtEachKind(t *testing.T, wanted func(kind) bool, scenario func(s *site, sleeping bool)) {
	t.Helper()
	t.Parallel()
	for name, sleeping := range map[string]bool{"stopped": false, "asleep": true} {
		if testing.Short() && !sleeping {
			continue
		}
		t.Run(name, func(t *testing.T) {
			now := func(k kind) bool {
				return wanted(k) && (runtime.GOOS != "windows" || testing.Short() || sleeping == (k.keys != k.unique))
			}
			atEachKind(t, now, func(s *site) { scenario(s, sleeping) })
		})
	}
}

// untilPaid waits until the service has so many transfers.
func (s *site) untilPaid(count int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return len(s.transfers()) >= count }, longestWait, shortWait)
}

// TestABatchThatWasStoppedForADay stops a batch after its first rows. Another machine pays the file. A day later the
// first one goes on, and finds what was paid.
func TestABatchThatWasStoppedForADay(t *testing.T) {
	pausedAtEachKind(t, everyKind, func(s *site, sleeping bool) {
		rows := references(12)
		file := s.file(rows...)
		slow := s.machine.start(batch(file, "--rate", "5")...)
		s.untilPaid(2)
		slow.pause()
		s.requireOnce(s.newMachine().run(batch(file)...), rows)
		s.pass(aDay, sleeping)
		slow.resume()
		s.requireOnce(slow.wait(), rows)
	})
}

// TestABatchThatTakesMoreThanADay runs a batch so slowly that another machine pays the file meanwhile, and that the
// service forgets the keys. No kind is left out that can guarantee anything for two machines at once.
func TestABatchThatTakesMoreThanADay(t *testing.T) {
	atEachKind(t, func(k kind) bool { return k.keys || k.unique }, func(s *site) {
		rows := references(12)
		file := s.file(rows...)
		slow := s.machine.start(batch(file, "--rate", "5")...)
		s.untilPaid(2)
		s.requireOnce(s.newMachine().run(batch(file)...), rows)
		s.pass(aDay, false)
		s.requireOnce(slow.wait(), rows)
	})
}

// TestRowsInFlightForADay stops a batch whose rows have reached the service, all at once. The connections are gone when
// it goes on a day later. A row is found, or is unknown until the same line is run again.
func TestRowsInFlightForADay(t *testing.T) {
	pausedAtEachKind(t, everyKind, func(s *site, sleeping bool) {
		rows := references(8)
		line := batch(s.file(rows...))
		e := s.inFlightForADay(sleeping, createsTransfer, theResponse, len(rows), line)
		if e.code != 0 {
			require.Equal(s.t, exitUnknown, e.code)
			outcomes, _ := e.report(s.t)
			require.Equal(s.t, len(rows), outcomes["created"]+outcomes["unknown"])
			e = s.machine.run(line...)
		}
		s.requireOnce(e, rows)
	})
}

// TestRowsLostForADay is TestRowsInFlightForADay with requests that are lost before they reach the service. They may
// arrive still, so that they are not sent again at once unless the service keeps them from being paid twice.
func TestRowsLostForADay(t *testing.T) {
	atEachKind(t, everyKind, func(s *site) {
		rows := references(8)
		line := batch(s.file(rows...))
		e := s.inFlightForADay(false, createsTransfer, theRequest, len(rows), line)
		require.Equal(s.t, exitUnknown, e.code)
		require.Empty(s.t, s.transfers())
		if !s.kind.unique {
			require.Contains(s.t, e.stderr, "run it again in 15 minutes")
			e = s.machine.run(line...)
			require.Equal(s.t, exitUnknown, e.code)
			require.Contains(s.t, e.stderr, "run it again in 15 minutes")
			s.pass(16*time.Minute, false)
		}
		s.requireOnce(s.machine.run(line...), rows)
	})
}

// TestATransferInFlightForADay is TestRowsInFlightForADay with a single transfer.
func TestATransferInFlightForADay(t *testing.T) {
	pausedAtEachKind(t, everyKind, func(s *site, sleeping bool) {
		e := s.inFlightForADay(sleeping, createsTransfer, theResponse, 1, s.auto("r"))
		if e.code != 0 {
			require.Equal(s.t, exitUnknown, e.code)
			e = s.machine.run(s.auto("r")...)
		}
		require.Zero(s.t, e.code)
		require.Equal(s.t, map[string]string{"r": e.stdout}, s.ids())
	})
}

// TestAContactInFlightForADay is TestATransferInFlightForADay with a saved contact. It cannot be looked up, so that its
// outcome stays unknown.
func TestAContactInFlightForADay(t *testing.T) {
	pausedAtEachKind(t, everyKind, func(s *site, sleeping bool) {
		e := s.inFlightForADay(sleeping, createsContact, theResponse, 1, []string{
			"contacts", "create", "--account", s.account, "--label", "Second", "--holder-name", "N",
			"--holder-type", "individual", "--rail", "sepa", "--currency", "EUR", "--iban", "DE89370400440532013000",
		})
		require.Equal(s.t, exitUnknown, e.code)
		require.Equal(s.t, "2", s.machine.must("contacts", "list", "--account", s.account, "--jq", "length"))
		e = s.machine.run("transfer", "resolve")
		require.Equal(s.t, exitUnknown, e.code)
		require.Contains(s.t, e.stdout, "It cannot be looked up")
	})
}

// inFlightForADay runs a line that sends some requests at once, and stops it when they are under way. It goes on a day
// later, without connections.
func (s *site) inFlightForADay(
	sleeping bool, holds func(*http.Request) bool, loses loss, requests int, line []string,
) ended {
	s.t.Helper()
	g := s.newGate(holds, loses)
	slow := s.machine.start(line...)
	g.await(requests)
	slow.pause()
	s.pass(aDay, sleeping)
	g.release()
	slow.resume()
	return slow.wait()
}

// TestALookupThatIsADayOld stops a program when the service has told it that nothing is paid. Another machine pays. The
// first one looks again when it goes on a day later.
func TestALookupThatIsADayOld(t *testing.T) {
	pausedAtEachKind(t, everyKind, func(s *site, sleeping bool) {
		rows := references(3)
		file, other := batch(s.file(rows...)), s.newMachine()
		run := func(line []string, pay func()) ended {
			g := s.newGate(listsTransfers, nothing)
			slow := s.machine.start(line...)
			g.await(1)
			slow.pause()
			s.between.Store(nil)
			pay()
			s.pass(aDay, sleeping)
			g.release()
			slow.resume()
			return slow.wait()
		}
		s.requireOnce(run(file, func() { s.requireOnce(other.run(file...), rows) }), rows)
		var paid string
		e := run(s.auto("r"), func() { paid = other.must(s.auto("r")...) })
		require.Zero(s.t, e.code)
		require.Equal(s.t, paid, e.stdout)
		require.Len(s.t, s.ids(), len(rows)+1)
	})
}
