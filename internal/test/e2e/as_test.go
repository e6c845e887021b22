package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract/servicemap"
)

// atImitated are the scenarios that pass unchanged at an imitated service: those that neither call paths of the
// contract nor show what is on the wire. The first ones run with -short.
var atImitated = strings.Fields(`accounts transfer batch kyc_list lists
	batch_contacts batch_mapped complete contacts errors external_ids import kyc names next ping report required resolve
	routes update waits`)

const inShort = 5

func TestScenariosAtAnImitatedService(t *testing.T) {
	t.Parallel()
	for name, text := range imitated {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var document yaml.Node
			require.NoError(t, yaml.Unmarshal([]byte(text), &document))
			service, mistakes := servicemap.Parse(document.Content[0])
			require.Empty(t, mistakes)
			config := quick
			config.As = service
			url := serveAs(t, config)
			params := scripts("", url)
			for i, scenario := range atImitated {
				if i < inShort || !testing.Short() {
					params.Files = append(params.Files, filepath.Join("testdata", scenario+".txtar"))
				}
			}
			setup := params.Setup
			params.Setup = func(env *testscript.Env) error {
				folder := filepath.Join(env.WorkDir, "config")
				profile := "profiles:\n  local:\n    base_url: " + url + "\n" + text
				return errors.Join(setup(env), os.Mkdir(folder, 0o700),
					os.WriteFile(filepath.Join(folder, "config.yaml"), []byte(profile), 0o600))
			}
			testscript.Run(t, params)
		})
	}
}

// imitated are profiles: one with other names, an envelope and cursors, and one with nested members, numbers as words,
// links, constants and a transfer that is found at a place of its own.
var imitated = map[string]string{
	"flat": `
    idempotency_keys: honoured
    operations:
      createAccount: POST /v2/accounts
      getAccount: GET /v2/accounts/{accountId}
      updateAccount: PATCH /v2/accounts/{accountId}
      listAccounts: GET /v2/accounts
      getKycStatus: GET /v2/accounts/{accountId}/verification
      createSavedContact: POST /v2/contacts
      getSavedContact: GET /v2/contacts/{contactId}
      updateSavedContact: PATCH /v2/contacts/{contactId}
      deleteSavedContact: DELETE /v2/contacts/{contactId}
      listSavedContacts: GET /v2/contacts
      getTransfer: GET /v2/transfers/{transferId}
      listTransfers: GET /v2/transfers
      cancelTransfer: POST /v2/transfers/{transferId}/void
      listEvents: GET /v2/feed
    answers: {one: /data, list: /data}
    pages: {next: /meta/next_cursor, cursor: page_token, limit: per_page}
    members:
      account: {firstName: /first_name, lastName: /last_name, externalId: /external_id, createdAt: /created_at,
        kycStatus: /verification_status}
      kyc: {accountId: /account_id, status: /verification_status, verificationUrl: /hosted_url, updatedAt: /updated_at}
      contact: {holderName: /holder_name, holderType: /holder_type, paymentRail: /payment_rail, createdAt: /created_at}
      transfer: {reference: /client_reference, state: /status, createdAt: /created_at,
        amount: {read: /amount/value, send: /amount}}
    values:
      kyc: {approved: VERIFIED, pending: IN_PROGRESS, rejected: DECLINED}
      transfer: {payment_processed: COMPLETED, payment_submitted: PROCESSING, failed: FAILED}
`,
	"nested": `
    idempotency_keys: honoured
    idempotency_header: X-Request-Key
    operations:
      createAccount: PUT /users/{email}
      getAccount: GET /users/{accountId}
      listAccounts: GET /users
      getKycStatus: GET /users/{accountId}/identity-check
      createSavedContact: POST /beneficiaries
      getSavedContact: GET /beneficiaries/{contactId}
      listSavedContacts: GET /beneficiaries
      getTransfer: GET /orders/{transferId}
      findTransfer: GET /orders/by-reference/{reference}
      listTransfers: GET /orders
    pages: {next: link}
    answers: {list: /items}
    members:
      account: {id: /user_id, kycStatus: /identity_check/status/code, createdAt: /registered}
      kyc: {status: /status/code, verificationUrl: /link}
      contact: {id: /beneficiary_id, label: /nickname, holderName: /name, holderType: /kind, iban: /bank_account/iban,
        bic: /bank_account/bic, currency: /bank_account/currency, paymentRail: /bank_account/scheme}
      transfer: {id: /transfer_id, state: /status/code,
        reference: {read: /remittance/text, send: /end_to_end_id, filter: end_to_end_id}}
    send: {createAutoTransfer: {purposeCode: SALA, /channel/name: api}}
    values:
      kyc: {approved: 2, pending: 1}
      transfer: {payment_processed: 30, payment_submitted: 20, awaiting_funds: 10}
`,
}
