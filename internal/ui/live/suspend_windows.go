package live

import tea "charm.land/bubbletea/v2"

// canSuspend is false: Windows has nothing that a shell could continue.
const canSuspend = false

// A suspender does nothing: Windows does not suspend programs.
type suspender struct{}

type resumed struct{}

func (*suspender) watch(*tea.Program) (stop func()) { return func() {} }

func (*suspender) suspend() tea.Cmd { return nil }

func (*suspender) redraw() tea.Cmd { return nil }
