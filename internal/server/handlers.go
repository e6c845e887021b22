package server

import (
	"context"
	"net/http"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
	"github.com/payctl/payctl/internal/service"
)

// A handler answers an operation. Its error becomes a problem document.
type handler = func(*exchange) error

// handlers returns the handler of each operation.
func handlers() map[*contract.Operation]handler {
	return map[*contract.Operation]handler{
		&contract.CreateAccessToken:   (*exchange).createAccessToken,
		&contract.DescribeAccessToken: (*exchange).describeAccessToken,
		&contract.RevokeAccessToken:   (*exchange).revokeAccessToken,

		&contract.SelectRoutes: change(World.SelectRoutes),

		&contract.CreateAccount: create(World.CreateAccount, checkNewAccount, func(a payments.Account) string {
			return contract.Expand(contract.GetAccount.Path, a.ID)
		}),
		&contract.ListAccounts:  list(World.ListAccounts, accountFilter),
		&contract.GetAccount:    read(World.GetAccount),
		&contract.UpdateAccount: update(World.UpdateAccount),
		&contract.GetKYCStatus:  read(World.GetKYCStatus),
		&contract.SubmitKYC:     update(World.SubmitKYC),

		&contract.CreateSavedContact: create(World.CreateSavedContact, checkNewSavedContact,
			func(c payments.SavedContact) string { return contract.Expand(contract.GetSavedContact.Path, c.ID) }),
		&contract.ListSavedContacts:  list(World.ListSavedContacts, savedContactFilter),
		&contract.GetSavedContact:    read(World.GetSavedContact),
		&contract.UpdateSavedContact: update(World.UpdateSavedContact),
		&contract.DeleteSavedContact: func(x *exchange) error {
			return x.replyNoContent(x.session.World.DeleteSavedContact(x.ctx, x.subject()))
		},

		&contract.CreateAutoTransfer: create(World.CreateAutoTransfer, checkNewAutoTransfer,
			func(t payments.Transfer) string { return contract.Expand(contract.GetTransfer.Path, t.ID) }),
		&contract.ListTransfers:  list(World.ListTransfers, transferFilter),
		&contract.GetTransfer:    read(World.GetTransfer),
		&contract.CancelTransfer: (*exchange).cancelTransfer,
		&contract.ListEvents:     (*exchange).listEvents,

		&contract.GetHealth:              (*exchange).getHealth,
		&contract.GetReadiness:           (*exchange).getReadiness,
		&contract.GetOpenAPIDocumentYAML: document([]string{mediaYAML}, contract.YAML),
		&contract.GetOpenAPIDocumentJSON: document(jsonHeader, contract.JSON),

		&contract.GetSandboxClock:         show(World.GetSandboxClock),
		&contract.SetSandboxClock:         change(World.SetSandboxClock),
		&contract.AdvanceSandboxClock:     create(World.AdvanceSandboxClock, nil, nil),
		&contract.SetSandboxKYC:           changeOf(World.SetSandboxKYC),
		&contract.CreateSandboxDeposit:    update(World.CreateSandboxDeposit),
		&contract.SetSandboxTransferState: changeOf(World.SetSandboxTransferState),
		&contract.ListSandboxFaults:       show(World.ListSandboxFaults),
		&contract.SetSandboxFaults:        change(setFaults),
		&contract.ClearSandboxFaults:      clearAll(World.ClearSandboxFaults),
		&contract.ListSandboxRequests:     list(World.ListSandboxRequests, pageQuery),
		&contract.ClearSandboxRequests:    clearAll(World.ClearSandboxRequests),
		&contract.ListSandboxPages:        (*exchange).listSandboxPages,
		&contract.ResetSandbox:            (*exchange).resetSandbox,
		&contract.GetSandboxSnapshot:      (*exchange).getSandboxSnapshot,
		&contract.RestoreSandboxSnapshot:  (*exchange).restoreSandboxSnapshot,
	}
}

// create answers an operation that takes a body and an idempotency key. The check, unless nil, finds faults beyond the
// schema. Location, unless nil, returns the path of the created resource.
func create[B, T any](
	call func(World, context.Context, B, service.WriteKey) (service.Written[T], error),
	check func(*exchange, B) payments.FieldErrors, location func(T) string,
) handler {
	return func(x *exchange) error {
		body, key, err := decodeWrite(x, check)
		if err != nil {
			return err
		}
		result, err := call(x.session.World, x.ctx, body, key)
		if err != nil {
			return err
		}
		if location != nil {
			x.w.Header().Set("Location", location(result.Value))
		}
		return replyWrite(x, result)
	}
}

// update answers an operation that takes a body and an idempotency key for the resource in its path.
func update[B, T any](
	call func(World, context.Context, string, B, service.WriteKey) (service.Written[T], error),
) handler {
	return func(x *exchange) error {
		body, key, err := decodeWrite[B](x, nil)
		if err != nil {
			return err
		}
		result, err := call(x.session.World, x.ctx, x.subject(), body, key)
		if err != nil {
			return err
		}
		return replyWrite(x, result)
	}
}

// change answers an operation that takes a body without an idempotency key.
func change[B, T any](call func(World, context.Context, B) (T, error)) handler {
	return func(x *exchange) error {
		body, err := decode[B](x, nil)
		if err != nil {
			return err
		}
		value, err := call(x.session.World, x.ctx, body)
		return x.reply(value, err)
	}
}

// changeOf is change for the resource in the path.
func changeOf[B, T any](call func(World, context.Context, string, B) (T, error)) handler {
	return func(x *exchange) error {
		body, err := decode[B](x, nil)
		if err != nil {
			return err
		}
		value, err := call(x.session.World, x.ctx, x.subject(), body)
		return x.reply(value, err)
	}
}

// read answers a conditional read of the resource in the path.
func read[T any](
	call func(World, context.Context, string, service.ReadOptions) (service.State[T], error),
) handler {
	return func(x *exchange) error {
		options := x.readOptions()
		result, err := call(x.session.World, x.ctx, x.subject(), options)
		return replyRead(x, options, result, err)
	}
}

// list answers a list. The filter comes from the query.
func list[F, T any](
	call func(World, context.Context, F) (T, error), filter func(*exchange) F,
) handler {
	return func(x *exchange) error {
		page, err := call(x.session.World, x.ctx, filter(x))
		return x.reply(page, err)
	}
}

// show answers a read without parameters.
func show[T any](call func(World, context.Context) (T, error)) handler {
	return func(x *exchange) error {
		value, err := call(x.session.World, x.ctx)
		return x.reply(value, err)
	}
}

// clearAll answers a deletion without parameters.
func clearAll(call func(World, context.Context) error) handler {
	return func(x *exchange) error { return x.replyNoContent(call(x.session.World, x.ctx)) }
}

func checkNewAccount(x *exchange, account payments.NewAccount) payments.FieldErrors {
	_, faults := account.Check(x.session.Now)
	return faults
}

func checkNewSavedContact(x *exchange, contact payments.NewSavedContact) payments.FieldErrors {
	return x.session.World.CheckNewSavedContact(x.ctx, contact)
}

func checkNewAutoTransfer(x *exchange, transfer payments.NewAutoTransfer) payments.FieldErrors {
	return x.session.World.CheckNewAutoTransfer(transfer)
}

func (x *exchange) cancelTransfer() error {
	key, err := x.idempotency()
	if err != nil {
		return err
	}
	result, err := x.session.World.CancelTransfer(x.ctx, x.subject(), key)
	if err != nil {
		return err
	}
	return replyWrite(x, result)
}

func (x *exchange) getHealth() error {
	x.w.Header()["Cache-Control"] = noStore
	return x.reply(payments.Health{Status: "ok"}, nil)
}

// getReadiness fails if the service cannot reach its data.
func (x *exchange) getReadiness() error {
	x.w.Header()["Cache-Control"] = noStore
	if ready := x.server.config.Ready; ready != nil {
		if err := ready(x.ctx); err != nil {
			return err
		}
	}
	return x.reply(payments.Health{Status: "ok"}, x.ctx.Err())
}

// document answers with the OpenAPI document of the contract, with the address that the client used.
func document(mediaType []string, document []byte) handler {
	return func(x *exchange) error {
		x.w.Header()["Cache-Control"] = noCache
		text := document
		if x.server.config.DuplicateReferences {
			text = contract.WithoutUniqueMembers(text)
		}
		return x.send(http.StatusOK, mediaType, contract.WithServer(text, x.baseURL()))
	}
}
