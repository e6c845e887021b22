package cmdutil

import (
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/ui"
)

// The order and the colour of rows are those of whose turn it is; package payments tells of each status whose turn that
// is. Rows of the same turn are in the order of package live, or of the list.

// TurnsOfChecks and TurnsOfTransfers are the turns of identity checks and of transfers, the most urgent first. The
// watch shows the rows of the last turn, the unknown ones, above all others (live.Config.Rare).
var (
	TurnsOfChecks = []payments.Turn{
		payments.TurnApplicant, payments.TurnReviewer, payments.TurnFailed, payments.TurnProvider,
		payments.TurnDone, payments.TurnUnknown,
	}
	TurnsOfTransfers = []payments.Turn{
		payments.TurnYou, payments.TurnReviewer, payments.TurnFailed, payments.TurnProvider,
		payments.TurnDone, payments.TurnUnknown,
	}
)

var turnTones = [...]ui.Tone{
	payments.TurnUnknown: ui.Plain, payments.TurnYou: ui.Applicant, payments.TurnApplicant: ui.Applicant,
	payments.TurnReviewer: ui.Reviewer,
	payments.TurnFailed:   ui.Bad, payments.TurnProvider: ui.Provider, payments.TurnDone: ui.Good,
}

// Turn names a turn, in its tone.
func Turn(turn payments.Turn) ui.Cell { return ui.Toned(turnTones[turn], turn.String()) }

// KYCStatus shows a status in the tone of whose turn it is; an unknown one is plain.
func KYCStatus(s payments.KYCStatus) ui.Cell { return status(s) }

// TransferState shows a state in the tone of whose turn it is; an unknown one is plain.
func TransferState(s payments.TransferState) ui.Cell { return status(s) }

func status[S interface {
	~string
	Valid() bool
	Turn() payments.Turn
}](s S) ui.Cell {
	if !s.Valid() {
		return ui.Optional(string(s))
	}
	return ui.Toned(Turn(s.Turn()).Tone, string(s))
}
