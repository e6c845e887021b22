package live

import tea "charm.land/bubbletea/v2"

// A stopper does nothing where programs are not stopped.
type stopper struct{}

type goneOn struct{}

func (*stopper) watch(*tea.Program) (end func()) { return func() {} }

func (*stopper) stop() tea.Cmd { return nil }

func (*stopper) retake() tea.Cmd { return nil }
