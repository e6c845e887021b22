package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/contract/servicemap"
)

// otherNames is a service of the API with other paths, names, envelopes and pages, in Swagger 2.0.
const otherNames = `
swagger: "2.0"
host: payments.example
basePath: /v2
paths:
  /api/transfers/auto/v1:
    post:
      parameters:
      - {in: header, name: X-Idempotency-Token}
      - {in: body, name: body, schema: {properties: {destinationSavedContactId: {}, route: {}, amount: {type: string}, client_reference: {}}}}
      responses: {201: {schema: {properties: {result: {$ref: "#/definitions/Payment"}}}}}
  /api/payments:
    get: {parameters: &page [{in: query, name: page_token}, {in: query, name: page_size}], responses: {200: {schema: {properties: {
      errors: {type: array, items: {properties: {code: {type: string}}}}, meta: {properties: {next_page_token: {}}},
      result: {type: array, items: {$ref: "#/definitions/Payment"}}}}}}}
  /api/payments/{number}:
    get: {responses: {200: {schema: {properties: {result: {$ref: "#/definitions/Payment"}}}}}}
  /api/payments/{number}/cancellation:
    post: {responses: {200: {schema: {properties: {result: {$ref: "#/definitions/Payment"}}}}}}
  /api/people:
    get: {parameters: *page, responses: {200: {schema: {properties: {
      result: {type: array, items: {$ref: "#/definitions/Person"}}, meta: {properties: {next_page_token: {}}}}}}}}
    put: {parameters: [{in: body, name: b, schema: {$ref: "#/definitions/Person"}}], responses: {200: {schema: {properties: {result: {$ref: "#/definitions/Person"}}}}}}
  /api/people/{person_id}:
    get: {responses: {200: {schema: {properties: {result: {$ref: "#/definitions/Person"}}}}}}
    put: {responses: {200: {schema: {properties: {result: {$ref: "#/definitions/Person"}}}}}}
  /api/people/{person_id}/identity-check:
    get: {responses: {200: {schema: {properties: {result: {properties: {accountId: {}, check_status: {enum: [Approved, EXPIRED, open]}}}}}}}}
  /api/payees/{id}:
    get: {responses: {200: {schema: {properties: {label: {}, holderName: {}, holderType: {}, paymentRail: {}, currency: {}}}}}}
definitions:
  Person: {properties: {person_id: {}, first_name: {}, email: {}, country: {}, type: {}, check_status: {}}}
  Payment: {properties: {number: {}, destination_saved_contact_id: {}, route: {}, amount: {properties: {value: {}, currency: {}}},
    client_reference: {}, bank_reference: {}, status: {enum: [PAID, failed]}}}
`

const adopted = `
answers: {one: /result, list: /result}
idempotency_header: X-Idempotency-Token
members:
  account: {id: /person_id, firstName: /first_name, kycStatus: /check_status}
  kyc: {status: /check_status}
  transfer: {id: /number, amount: {read: /amount/value, send: /amount}, destinationSavedContactId: /destination_saved_contact_id,
    reference: /client_reference, state: /status}
operations:
  createAccount: PUT /people
  listAccounts: GET /people
  getAccount: GET /people/{person_id}
  getKycStatus: GET /people/{person_id}/identity-check
  getTransfer: GET /payments/{number}
  listTransfers: GET /payments
  cancelTransfer: POST /payments/{number}/cancellation
pages: {next: /meta/next_page_token, cursor: page_token, limit: page_size}
values: {kyc: {expired: EXPIRED}}
`

func adopt(t *testing.T, document string) *Adoption {
	t.Helper()
	theirs, err := Parse(t.Context(), []byte(document))
	require.NoError(t, err)
	found := Adopt(theirs)
	var profile yaml.Node
	require.NoError(t, profile.Encode(found.Profile))
	_, mistakes := servicemap.Parse(&profile)
	require.Empty(t, mistakes)
	return found
}

func TestAdopt(t *testing.T) {
	t.Parallel()
	found := adopt(t, otherNames)
	var want map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(adopted), &want))
	require.Equal(t, want, found.Profile)
	comments := strings.Join(found.Comments, "\n")
	require.Contains(t, comments, "operations.updateAccount: PUT /people/{person_id}   (it may remove what is not sent)")
	require.Contains(t, comments, "operations.getSavedContact: GET /payees/{id}   (no list of the same is at /payees)")
	require.Contains(t, comments, "Approved, open")
}

// A line is a comment if a second resource is as likely, or another member may be meant.
func TestAdoptDoesNotGuess(t *testing.T) {
	t.Parallel()
	require.Empty(t, adopt(t, string(contract.YAML)).Profile, "the contract itself")
	people := otherNames[strings.Index(otherNames, "  /api/people:"):strings.Index(otherNames, "  /api/people/{person_id}/identity")]
	for comment, change := range map[string][2]string{
		"operations.getAccount":      {"definitions:\n", strings.ReplaceAll(people, "/people", "/staff") + "definitions:\n"},
		"members.transfer.reference": {"amount: {type: string}", "amount: {type: string}, bank_reference: {}"},
		"operations.getTransfer":     {"destination_saved_contact_id: {}, route: {}, amount", "route: {}, amount"},
		"pages.listTransfers":        {"meta: {properties: {next_page_token: {}}}", "next_page_token: {}, meta: {properties: {next_page_token: {}}}"},
		"operations.listTransfers":   {"      errors: {type: array,", "      pending: {type: array, items: {$ref: '#/definitions/Payment'}}, errors: {type: array,"},
		"members.transfer.amount":    {"value: {}, currency: {}", "value: {}, currency: {}, unit: {}"},
		"members.kyc.status":         {"check_status: {enum", "outcome: {enum"},
		"amounts":                    {"amount: {type: string}", "amount: {type: integer}"},
	} {
		document := strings.Replace(otherNames, change[0], change[1], 1)
		require.NotEqual(t, otherNames, document, comment)
		require.Contains(t, strings.Join(adopt(t, document).Comments, "\n"), comment+": ")
	}
}

func TestAnotherAPI(t *testing.T) {
	t.Parallel()
	another := strings.ReplaceAll(otherNames, "/transfers/auto/v1", "/transfers")
	theirs, err := Parse(t.Context(), []byte(another))
	require.NoError(t, err)
	require.True(t, theirs.IsForeign)
	require.Empty(t, adopt(t, another).Profile["operations"])
}

func TestReferencesThatLeadNowhere(t *testing.T) {
	t.Parallel()
	found := adopt(t, strings.Replace(otherNames, "#/definitions/Payment", "other.yaml#/Payment", 1))
	require.Contains(t, found.Comments, "line 11, column 63: $ref other.yaml#/Payment leads to another file")
}

func TestServers(t *testing.T) {
	t.Parallel()
	for servers, want := range map[string][]string{
		"servers: [{url: /api}]": {"/api"},
		"servers: [{url: 'https://{region}.example/{v}', variables: {region: {enum: [eu, us], default: eu}, v: {default: v3}}}]": {
			"https://eu.example/v3", "https://us.example/v3",
		},
		"host: payments.example\nbasePath: /v2": {"https://payments.example/v2"},
	} {
		theirs, err := Parse(t.Context(), []byte(servers+"\npaths: {}\n"))
		require.NoError(t, err)
		require.Equal(t, want, theirs.Servers())
	}
}
