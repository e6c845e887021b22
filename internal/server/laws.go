package server

import (
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// laws holds what an answer says happened to what a schema cannot say: the amounts of a transfer add up, an event tells
// of a step that its state machine has, and events come in order. The body has been held to its schema.
type laws struct {
	last string // identifier of the event before
}

// check reads a success of an operation.
func (l *laws) check(op *contract.Operation, body []byte) []contract.Violation {
	switch op {
	case &contract.CreateAutoTransfer, &contract.GetTransfer, &contract.CancelTransfer, &contract.CreateSandboxDeposit, &contract.SetSandboxTransferState:
		return read(body, func(t payments.Transfer) []contract.Violation { return broken("/body", t.Breaks()) })
	case &contract.ListTransfers:
		return read(body, func(page payments.TransferPage) []contract.Violation {
			return each(page.Data, func(t payments.Transfer) string { return t.Breaks() })
		})
	case &contract.ListEvents:
		return read(body, func(page payments.EventPage) []contract.Violation { return each(page.Data, l.event) })
	}
	return nil
}

// message reads an event of a stream.
func (l *laws) message(data []byte, pointer string) []contract.Violation {
	return read(data, func(e payments.Event) []contract.Violation { return broken(pointer, l.event(e)) })
}

func (l *laws) event(e payments.Event) string {
	before := l.last
	l.last = e.ID
	if before >= e.ID { // they sort as the events do
		return "the event " + before + " came before it"
	}
	return e.Breaks()
}

func each[T any](all []T, law func(T) string) (found []contract.Violation) {
	for i, one := range all {
		found = append(found, broken("/body/data/"+strconv.Itoa(i), law(one))...)
	}
	return found
}

func broken(pointer, reason string) []contract.Violation {
	if reason == "" {
		return nil
	}
	return []contract.Violation{{Pointer: pointer, Reason: reason}}
}

func read[T any](body []byte, law func(T) []contract.Violation) []contract.Violation {
	var value T
	if err := json.Unmarshal(body, &value); err != nil {
		return broken("/body", "it cannot be read: "+err.Error())
	}
	return law(value)
}
