package outbox_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/payctl/payctl/internal/outbox"
	"github.com/payctl/payctl/internal/payments"
)

var schedules = flag.Int("schedules", 120, "random schedules of TestModel")

// A model is one random schedule: programs on two machines with the real client and journal, at a service that loses
// messages, answers with something else, and is restored, on machines that sleep at any moment.
type model struct {
	*service
	t        *testing.T
	rand     *rand.Rand
	machines [2]*machine
	inside   bool // a program of the other machine runs in the middle of one
	calm     bool // nothing fails any more
	gap      bool // both machines sent at a moment at which nothing keeps the service from paying twice
	reported bool // somebody said that it was paid twice
	restored bool
}

func (m *model) chance(percent int) bool { return !m.calm && m.rand.IntN(100) < percent }

// TestModel checks after each program that nothing is said to be done that the service does not show, and at the end that
// nothing is lost and nothing was paid twice. At a service that promises nothing, two machines that send at the same
// moment both pay; then the later one says so.
func TestModel(t *testing.T) {
	t.Parallel()
	names := []string{"no promise", "keys", "unique references", "both"}
	for seed := range uint64(*schedules) {
		name := names[seed%uint64(len(names))]
		t.Run(fmt.Sprint(name, " ", seed), func(t *testing.T) {
			m := &model{service: newService(t, kinds[name]), t: t, rand: rand.New(rand.NewPCG(seed, 1))}
			for i := range m.machines {
				m.machines[i] = m.machine(t)
				m.machines[i].retries = m.rand.IntN(3)
				m.machines[i].leaving = m.leave
			}
			m.lose = func() (request, response bool) { return m.chance(25), m.chance(15) }
			m.late = func() bool { return m.chance(80) }
			m.edit = m.confuse
			m.arrived = m.interleave
			m.play()
		})
	}
}

// leave lets the machine sleep before a request leaves. The other machine may pay meanwhile, which the first one must see.
func (m *model) leave() {
	if m.inside || !m.chance(8) {
		m.interleave()
		return
	}
	m.inside = true
	m.deliver()
	if m.chance(50) {
		m.pay(1)
		m.deliver()
	}
	m.clock.Move(25*time.Hour, time.Duration(m.rand.IntN(2))*25*time.Hour)
	m.inside = false
}

// interleave runs a whole program of the other machine in the middle of a request.
func (m *model) interleave() {
	if m.inside || !m.chance(4) {
		return
	}
	m.inside = true
	m.gap = true
	m.pay(1)
	m.inside = false
}

// confuse answers with another object, with the state before, or with nothing.
func (m *model) confuse(method string, d document) document {
	if !m.chance(6) {
		return d
	}
	switch m.rand.IntN(5) {
	case 0:
		return document{"id": "trf_0", "reference": "other", "state": "awaiting_funds"}
	case 1:
		d["state"] = "awaiting_funds"
	case 2:
		d["amount"] = "500"
	case 3:
		return document{}
	case 4:
		d["destinationSavedContactId"] = nil
	}
	return d
}

// paid are the transfers of the reference that were not canceled.
func (m *model) paid() (found []document) {
	for _, d := range m.with("reference", "r") {
		if d["state"] != "canceled" {
			found = append(found, d)
		}
	}
	return found
}

func (m *model) play() {
	for range 2 + m.rand.IntN(6) {
		switch choice := m.rand.IntN(10); {
		case choice < 6:
			m.pay(m.rand.IntN(2))
		case choice < 7:
			m.cancel(m.machines[0])
		case choice < 8:
			m.resolve(m.machines[m.rand.IntN(2)], outbox.ResolveOptions{After: outbox.AbsentAfter})
		case choice < 9:
			m.deliver()
			m.clock.Advance(time.Duration(m.rand.IntN(30)) * time.Hour)
		case m.chance(50):
			m.deliver()
			m.restore(m.rand.IntN(2))
			m.restored = true
		}
		if m.chance(30) {
			m.deliver()
		}
		if !m.restored && (!m.gap || m.unique) {
			require.LessOrEqual(m.t, len(m.paid()), 1, "it is paid twice")
		}
	}
	m.deliver()
	m.calm = true
	m.clock.Advance(48 * time.Hour)
	for i, machine := range m.machines {
		m.resolve(machine, outbox.ResolveOptions{After: outbox.AbsentAfter, Resend: true})
		err := m.pay(i)
		twice := payments.IsKind(err, payments.KindPaidTwice)
		m.reported = m.reported || twice
		require.True(m.t, err == nil || twice, "it is lost: %v", err)
		require.NotEmpty(m.t, m.with("reference", "r"), "it is lost")
	}
	if len(m.paid()) > 1 {
		require.True(m.t, m.gap && !m.unique && (!m.keys || m.restored), "it is paid twice")
		require.True(m.t, m.reported || m.keys || m.unique, "that it is paid twice is not said")
	}
}

// pay runs the line on a machine. The machine may die before the outcome is recorded.
func (m *model) pay(i int) (err error) {
	m.gap = m.gap || i == 1 && len(m.pending) > 0
	m.machines[i].run(m.t, m.chance(15), func(o *outbox.Outbox) {
		var made payments.WriteResult[payments.Transfer]
		made, err = o.CreateAutoTransfer(m.t.Context(), transfer("r", "5"), payments.Idempotency{})
		if err != nil {
			m.reported = m.reported || payments.IsKind(err, payments.KindPaidTwice)
			return
		}
		found := m.with("id", made.Value.ID)
		require.Len(m.t, found, 1, "it is said to be done, and is not")
		require.Equal(m.t, "r", found[0]["reference"])
		require.Equal(m.t, payments.MustDecimal("5").String(), found[0]["amount"])
		require.Equal(m.t, "sct_1", found[0]["destinationSavedContactId"])
	})
	return err
}

// cancel cancels the payment, if there is one.
func (m *model) cancel(on *machine) {
	paid := m.paid()
	if len(paid) != 1 || m.gap {
		return
	}
	id, _ := paid[0]["id"].(string)
	on.run(m.t, m.chance(15), func(o *outbox.Outbox) {
		_, err := o.CancelTransfer(m.t.Context(), id, payments.Idempotency{})
		if err == nil {
			require.Equal(m.t, "canceled", m.with("id", id)[0]["state"], "it is said to be canceled, and is not")
		}
	})
}

// resolve resolves what is open, and sends again what is certainly gone.
func (m *model) resolve(on *machine, options outbox.ResolveOptions) {
	for _, entry := range on.entries(m.t) {
		if !entry.IsOpen() && !options.Resend || entry.Operation != outbox.CreateAutoTransferOperation {
			continue
		}
		on.run(m.t, false, func(o *outbox.Outbox) { _, _ = o.Resolve(m.t.Context(), entry, options) })
	}
}
