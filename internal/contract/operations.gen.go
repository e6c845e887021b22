// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.

package contract

// The operations of the contract.
var (
	// CreateAccessToken: Create access token.
	CreateAccessToken = Operation{ID: "createAccessToken", Method: "POST", Path: "/identity/auth/tokens/current/v1", Access: Basic, Success: 200, Origin: "published", Summary: "Create access token", Body: &schemaAccessTokenRequest, BodyRequired: false, Form: true}
	// DescribeAccessToken: Describe access token.
	DescribeAccessToken = Operation{ID: "describeAccessToken", Method: "GET", Path: "/identity/auth/tokens/current/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Describe access token"}
	// RevokeAccessToken: Revoke access token.
	RevokeAccessToken = Operation{ID: "revokeAccessToken", Method: "DELETE", Path: "/identity/auth/tokens/current/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Revoke access token"}
	// CreateAccount: Create account.
	CreateAccount = Operation{ID: "createAccount", Method: "POST", Path: "/accounts/v1", Access: Bearer, Success: 201, Origin: "assumed", Summary: "Create account", Scope: "accounts:write", Body: &schemaNewAccount, BodyRequired: true, Form: false, TakesIdempotencyKey: true}
	// ListAccounts: List accounts.
	ListAccounts = Operation{ID: "listAccounts", Method: "GET", Path: "/accounts/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List accounts", Scope: "accounts:read", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "kycStatus", Schema: &schemaKYCStatus},
		{Name: "email", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 254}},
		{Name: "externalId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 128}},
	}}
	// GetAccount: Get account.
	GetAccount = Operation{ID: "getAccount", Method: "GET", Path: "/accounts/{accountId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get account", Scope: "accounts:read"}
	// GetKYCStatus: Get KYC status.
	GetKYCStatus = Operation{ID: "getKycStatus", Method: "GET", Path: "/accounts/{accountId}/kyc/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get KYC status", Scope: "kyc:read", TakesPreferWait: true}
	// SubmitKYC: Submit KYC requirements.
	SubmitKYC = Operation{ID: "submitKyc", Method: "POST", Path: "/accounts/{accountId}/kyc/submissions/v1", Access: Bearer, Success: 202, Origin: "assumed", Summary: "Submit KYC requirements", Scope: "kyc:write", Body: &schemaKYCSubmission, BodyRequired: true, Form: false, TakesIdempotencyKey: true}
	// CreateSavedContact: Create saved contact.
	CreateSavedContact = Operation{ID: "createSavedContact", Method: "POST", Path: "/contacts/saved/v1", Access: Bearer, Success: 201, Origin: "assumed", Summary: "Create saved contact", Scope: "contacts:write", Body: &schemaNewSavedContact, BodyRequired: true, Form: false, TakesIdempotencyKey: true}
	// ListSavedContacts: List saved contacts.
	ListSavedContacts = Operation{ID: "listSavedContacts", Method: "GET", Path: "/contacts/saved/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List saved contacts", Scope: "contacts:read", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "accountId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 64}},
	}}
	// GetSavedContact: Get saved contact.
	GetSavedContact = Operation{ID: "getSavedContact", Method: "GET", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get saved contact", Scope: "contacts:read"}
	// DeleteSavedContact: Delete saved contact.
	DeleteSavedContact = Operation{ID: "deleteSavedContact", Method: "DELETE", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Delete saved contact", Scope: "contacts:write"}
	// SelectRoutes: Update transfer route selection.
	SelectRoutes = Operation{ID: "selectRoutes", Method: "PATCH", Path: "/transfers/info/v1", Access: Bearer, Success: 200, Origin: "published", Summary: "Update transfer route selection", Scope: "transfers:read", Body: &schemaRouteSelection, BodyRequired: true, Form: false}
	// CreateAutoTransfer: Auto transfer.
	CreateAutoTransfer = Operation{ID: "createAutoTransfer", Method: "POST", Path: "/transfers/auto/v1", Access: Bearer, Success: 201, Origin: "published", Summary: "Auto transfer", Scope: "transfers:write", Body: &schemaNewAutoTransfer, BodyRequired: true, Form: false, TakesIdempotencyKey: true}
	// ListTransfers: List transfers.
	ListTransfers = Operation{ID: "listTransfers", Method: "GET", Path: "/transfers/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List transfers", Scope: "transfers:read", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "accountId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 64}},
		{Name: "state", Schema: &schemaTransferState},
		{Name: "reference", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 128}},
		{Name: "externalId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 128}},
		{Name: "batchId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 128}},
	}}
	// GetTransfer: Get transfer.
	GetTransfer = Operation{ID: "getTransfer", Method: "GET", Path: "/transfers/{transferId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get transfer", Scope: "transfers:read", TakesPreferWait: true}
	// CancelTransfer: Cancel transfer.
	CancelTransfer = Operation{ID: "cancelTransfer", Method: "POST", Path: "/transfers/{transferId}/cancel/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Cancel transfer", Scope: "transfers:write", TakesIdempotencyKey: true}
	// GetHealth: Health.
	GetHealth = Operation{ID: "getHealth", Method: "GET", Path: "/healthz", Access: Open, Success: 200, Origin: "assumed", Summary: "Health"}
	// GetProblemType: Explain a problem type.
	GetProblemType = Operation{ID: "getProblemType", Method: "GET", Path: "/problems/{problemType}", Access: Open, Success: 200, Origin: "assumed", Summary: "Explain a problem type"}
	// GetOpenAPIDocumentYAML: This document as YAML.
	GetOpenAPIDocumentYAML = Operation{ID: "getOpenAPIDocumentYAML", Method: "GET", Path: "/openapi.yaml", Access: Open, Success: 200, Origin: "assumed", Summary: "This document as YAML"}
	// GetOpenAPIDocumentJSON: This document as JSON.
	GetOpenAPIDocumentJSON = Operation{ID: "getOpenAPIDocumentJSON", Method: "GET", Path: "/openapi.json", Access: Open, Success: 200, Origin: "assumed", Summary: "This document as JSON"}
	// GetSandboxClock: Get the sandbox clock.
	GetSandboxClock = Operation{ID: "getSandboxClock", Method: "GET", Path: "/sandbox/clock/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get the sandbox clock"}
	// SetSandboxClock: Set the sandbox clock.
	SetSandboxClock = Operation{ID: "setSandboxClock", Method: "PUT", Path: "/sandbox/clock/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set the sandbox clock", Body: &schemaSandboxClockSettings, BodyRequired: true, Form: false}
	// AdvanceSandboxClock: Advance the sandbox clock.
	AdvanceSandboxClock = Operation{ID: "advanceSandboxClock", Method: "POST", Path: "/sandbox/clock/advance/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Advance the sandbox clock", Body: &schemaSandboxAdvance, BodyRequired: true, Form: false, TakesIdempotencyKey: true}
	// ResetSandbox: Reset the sandbox.
	ResetSandbox = Operation{ID: "resetSandbox", Method: "POST", Path: "/sandbox/reset/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Reset the sandbox"}
	// GetSandboxSnapshot: Take a snapshot of the sandbox.
	GetSandboxSnapshot = Operation{ID: "getSandboxSnapshot", Method: "GET", Path: "/sandbox/snapshot/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Take a snapshot of the sandbox"}
	// RestoreSandboxSnapshot: Restore a snapshot of the sandbox.
	RestoreSandboxSnapshot = Operation{ID: "restoreSandboxSnapshot", Method: "PUT", Path: "/sandbox/snapshot/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Restore a snapshot of the sandbox", Body: &schemaSandboxSnapshot, BodyRequired: true, Form: false}
	// SetSandboxKYC: Set a KYC status by hand.
	SetSandboxKYC = Operation{ID: "setSandboxKyc", Method: "PUT", Path: "/sandbox/accounts/{accountId}/kyc/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set a KYC status by hand", Body: &schemaSandboxKYC, BodyRequired: true, Form: false}
	// CreateSandboxDeposit: Deposit the funds of a transfer.
	CreateSandboxDeposit = Operation{ID: "createSandboxDeposit", Method: "POST", Path: "/sandbox/transfers/{transferId}/deposit/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Deposit the funds of a transfer", Body: &schemaSandboxDeposit, BodyRequired: true, Form: false, TakesIdempotencyKey: true}
	// SetSandboxTransferState: Set a transfer's state by hand.
	SetSandboxTransferState = Operation{ID: "setSandboxTransferState", Method: "PUT", Path: "/sandbox/transfers/{transferId}/state/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set a transfer's state by hand", Body: &schemaSandboxTransferState, BodyRequired: true, Form: false}
)

// Operations lists every operation in the order of the document.
var Operations = []*Operation{
	&CreateAccessToken,
	&DescribeAccessToken,
	&RevokeAccessToken,
	&CreateAccount,
	&ListAccounts,
	&GetAccount,
	&GetKYCStatus,
	&SubmitKYC,
	&CreateSavedContact,
	&ListSavedContacts,
	&GetSavedContact,
	&DeleteSavedContact,
	&SelectRoutes,
	&CreateAutoTransfer,
	&ListTransfers,
	&GetTransfer,
	&CancelTransfer,
	&GetHealth,
	&GetProblemType,
	&GetOpenAPIDocumentYAML,
	&GetOpenAPIDocumentJSON,
	&GetSandboxClock,
	&SetSandboxClock,
	&AdvanceSandboxClock,
	&ResetSandbox,
	&GetSandboxSnapshot,
	&RestoreSandboxSnapshot,
	&SetSandboxKYC,
	&CreateSandboxDeposit,
	&SetSandboxTransferState,
}
