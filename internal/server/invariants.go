package server

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// invariants checks responses for rules that JSON Schema cannot express: the amounts of a transfer add up, the
// transition that an event reports is legal, and events are ordered. The body is already known to match its schema.
type invariants struct {
	lastEvent string // the identifier of the event before
}

// check checks the body of a successful response.
func (i *invariants) check(op *contract.Operation, body []byte) []contract.Violation {
	switch op {
	case &contract.CreateAutoTransfer, &contract.GetTransfer, &contract.CancelTransfer,
		&contract.CreateSandboxDeposit, &contract.SetSandboxTransferState:
		return checkOne(body, "/body", payments.Transfer.CheckInvariants)
	case &contract.ListTransfers:
		return checkPage(body, payments.Transfer.CheckInvariants)
	case &contract.ListEvents:
		return checkPage(body, i.checkEvent)
	}
	return nil
}

func (i *invariants) checkEvent(e payments.Event) error {
	before := i.lastEvent
	i.lastEvent = e.ID
	if before >= e.ID { // the identifiers sort as the events do
		return errors.New("the event " + before + " came before it")
	}
	return e.CheckInvariants()
}

func checkOne[T any](body []byte, pointer string, check func(T) error) []contract.Violation {
	var value T
	err := json.Unmarshal(body, &value)
	if err != nil {
		err = fmt.Errorf("it cannot be read: %w", err)
	} else {
		err = check(value)
	}
	if err != nil {
		return []contract.Violation{{Pointer: pointer, Reason: err.Error()}}
	}
	return nil
}

func checkPage[T any](body []byte, check func(T) error) (found []contract.Violation) {
	var page struct {
		Data []jsontext.Value `json:"data"`
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return []contract.Violation{{Pointer: "/body", Reason: "it cannot be read: " + err.Error()}}
	}
	for at, item := range page.Data {
		found = append(found, checkOne(item, "/body/data/"+strconv.Itoa(at), check)...)
	}
	return found
}
