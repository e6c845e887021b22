// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.

package contract

// The operations of the contract.
var (
	// CreateAccessToken: Create access token.
	CreateAccessToken = Operation{ID: "createAccessToken", Method: "POST", Path: "/identity/auth/tokens/current/v1", Access: Basic, Success: 200, Origin: "published", Summary: "Create access token", Body: &schemaAccessTokenRequest, BodyMedia: "application/json", Form: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Cache-Control", Schema: &Schema{Type: String, Enum: []string{"no-store"}}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaAccessToken}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// DescribeAccessToken: Describe access token.
	DescribeAccessToken = Operation{ID: "describeAccessToken", Method: "GET", Path: "/identity/auth/tokens/current/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Describe access token", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaAccessTokenDescription}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// RevokeAccessToken: Revoke access token.
	RevokeAccessToken = Operation{ID: "revokeAccessToken", Method: "DELETE", Path: "/identity/auth/tokens/current/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Revoke access token", Responses: []StatusResponse{
		{Status: 204, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// CreateAccount: Create account.
	CreateAccount = Operation{ID: "createAccount", Method: "POST", Path: "/accounts/v1", Access: Bearer, Scope: "accounts:write", Success: 201, Origin: "assumed", Summary: "Create account", Body: &schemaNewAccount, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 201, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Type: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaAccount}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// ListAccounts: List accounts.
	ListAccounts = Operation{ID: "listAccounts", Method: "GET", Path: "/accounts/v1", Access: Bearer, Scope: "accounts:read", Success: 200, Origin: "assumed", Summary: "List accounts", Query: []Member{
		{Name: "limit", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Type: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "kycStatus", Schema: &Schema{Type: Array, MinItems: 1, MaxItems: 20, Items: &schemaKYCStatus}},
		{Name: "email", Schema: &Schema{Type: String, Format: "email", MinLength: 1, MaxLength: 254}},
		{Name: "externalId", Schema: &schemaClientReference}}, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaAccountPage}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// GetAccount: Get account.
	GetAccount = Operation{ID: "getAccount", Method: "GET", Path: "/accounts/{accountId}/v1", Access: Bearer, Scope: "accounts:read", Success: 200, Origin: "assumed", Summary: "Get account", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaAccount}}}},
		{Status: 304, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// UpdateAccount: Update account.
	UpdateAccount = Operation{ID: "updateAccount", Method: "PATCH", Path: "/accounts/{accountId}/v1", Access: Bearer, Scope: "accounts:write", Success: 200, Origin: "assumed", Summary: "Update account", Body: &schemaAccountPatch, BodyMedia: "application/merge-patch+json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaAccount}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// GetKYCStatus: Get KYC status.
	GetKYCStatus = Operation{ID: "getKycStatus", Method: "GET", Path: "/accounts/{accountId}/kyc/v1", Access: Bearer, Scope: "kyc:read", Success: 200, Origin: "assumed", Summary: "Get KYC status", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaKYC}}}},
		{Status: 304, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesPreferWait: true}
	// SubmitKYC: Submit KYC requirements.
	SubmitKYC = Operation{ID: "submitKyc", Method: "POST", Path: "/accounts/{accountId}/kyc/submissions/v1", Access: Bearer, Scope: "kyc:write", Success: 202, Origin: "assumed", Summary: "Submit KYC requirements", Body: &schemaKYCSubmission, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 202, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaKYC}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// CreateSavedContact: Create saved contact.
	CreateSavedContact = Operation{ID: "createSavedContact", Method: "POST", Path: "/contacts/saved/v1", Access: Bearer, Scope: "contacts:write", Success: 201, Origin: "assumed", Summary: "Create saved contact", Body: &schemaNewSavedContact, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 201, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Type: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSavedContact}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// ListSavedContacts: List saved contacts.
	ListSavedContacts = Operation{ID: "listSavedContacts", Method: "GET", Path: "/contacts/saved/v1", Access: Bearer, Scope: "contacts:read", Success: 200, Origin: "assumed", Summary: "List saved contacts", Query: []Member{
		{Name: "limit", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Type: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "accountId", Schema: &schemaIdentifier},
		{Name: "externalId", Schema: &schemaClientReference},
		{Name: "label", Schema: &schemaLabel}}, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSavedContactPage}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// GetSavedContact: Get saved contact.
	GetSavedContact = Operation{ID: "getSavedContact", Method: "GET", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Scope: "contacts:read", Success: 200, Origin: "assumed", Summary: "Get saved contact", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSavedContact}}}},
		{Status: 304, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// UpdateSavedContact: Update saved contact.
	UpdateSavedContact = Operation{ID: "updateSavedContact", Method: "PATCH", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Scope: "contacts:write", Success: 200, Origin: "assumed", Summary: "Update saved contact", Body: &schemaSavedContactPatch, BodyMedia: "application/merge-patch+json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSavedContact}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// DeleteSavedContact: Delete saved contact.
	DeleteSavedContact = Operation{ID: "deleteSavedContact", Method: "DELETE", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Scope: "contacts:write", Success: 204, Origin: "assumed", Summary: "Delete saved contact", Responses: []StatusResponse{
		{Status: 204, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// SelectRoutes: Update transfer route selection.
	SelectRoutes = Operation{ID: "selectRoutes", Method: "PATCH", Path: "/transfers/info/v1", Access: Bearer, Scope: "transfers:read", Success: 200, Origin: "published", Summary: "Update transfer route selection", Body: &schemaRouteSelection, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransferInfo}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// CreateAutoTransfer: Auto transfer.
	CreateAutoTransfer = Operation{ID: "createAutoTransfer", Method: "POST", Path: "/transfers/auto/v1", Access: Bearer, Scope: "transfers:write", Success: 201, Origin: "published", Summary: "Auto transfer", Body: &schemaNewAutoTransfer, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Type: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransfer}}}},
		{Status: 201, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Type: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransfer}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// ListTransfers: List transfers.
	ListTransfers = Operation{ID: "listTransfers", Method: "GET", Path: "/transfers/v1", Access: Bearer, Scope: "transfers:read", Success: 200, Origin: "assumed", Summary: "List transfers", Query: []Member{
		{Name: "limit", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Type: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "accountId", Schema: &schemaIdentifier},
		{Name: "destinationSavedContactId", Schema: &schemaIdentifier},
		{Name: "route", Schema: &schemaRouteKey},
		{Name: "state", Schema: &Schema{Type: Array, MinItems: 1, MaxItems: 20, Items: &schemaTransferState}},
		{Name: "reference", Schema: &schemaClientReference},
		{Name: "externalId", Schema: &schemaClientReference},
		{Name: "batchId", Schema: &schemaClientReference}}, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransferPage}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// GetTransfer: Get transfer.
	GetTransfer = Operation{ID: "getTransfer", Method: "GET", Path: "/transfers/{transferId}/v1", Access: Bearer, Scope: "transfers:read", Success: 200, Origin: "assumed", Summary: "Get transfer", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransfer}}}},
		{Status: 304, Response: &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Type: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesPreferWait: true}
	// CancelTransfer: Cancel transfer.
	CancelTransfer = Operation{ID: "cancelTransfer", Method: "POST", Path: "/transfers/{transferId}/cancel/v1", Access: Bearer, Scope: "transfers:write", Success: 200, Origin: "assumed", Summary: "Cancel transfer", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransfer}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// ListEvents: List events.
	ListEvents = Operation{ID: "listEvents", Method: "GET", Path: "/events/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List events", Query: []Member{
		{Name: "after", Schema: &schemaIdentifier},
		{Name: "types", Schema: &Schema{Type: Array, MinItems: 1, MaxItems: 20, Items: &schemaEventType}},
		{Name: "subjectId", Schema: &schemaIdentifier},
		{Name: "limit", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 100}}}, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaEventPage},
			{Type: "text/event-stream", Schema: &Schema{Type: String}}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 410, Response: &responseGone},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesPreferWait: true}
	// GetHealth: Health.
	GetHealth = Operation{ID: "getHealth", Method: "GET", Path: "/healthz", Success: 200, Origin: "assumed", Summary: "Health", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaHealth}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 500, Response: &responseInternalError},
		{Response: &responseProblem}}}
	// GetReadiness: Readiness.
	GetReadiness = Operation{ID: "getReadiness", Method: "GET", Path: "/readyz", Success: 200, Origin: "assumed", Summary: "Readiness", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaHealth}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// GetOpenAPIDocumentYAML: This document as YAML.
	GetOpenAPIDocumentYAML = Operation{ID: "getOpenAPIDocumentYAML", Method: "GET", Path: "/openapi.yaml", Success: 200, Origin: "assumed", Summary: "This document as YAML", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/yaml", Schema: &Schema{Type: String, MaxLength: 4194304}}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 500, Response: &responseInternalError},
		{Response: &responseProblem}}}
	// GetOpenAPIDocumentJSON: This document as JSON.
	GetOpenAPIDocumentJSON = Operation{ID: "getOpenAPIDocumentJSON", Method: "GET", Path: "/openapi.json", Success: 200, Origin: "assumed", Summary: "This document as JSON", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &Schema{Type: Object}}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 500, Response: &responseInternalError},
		{Response: &responseProblem}}}
	// GetSandboxClock: Get the sandbox clock.
	GetSandboxClock = Operation{ID: "getSandboxClock", Method: "GET", Path: "/sandbox/clock/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get the sandbox clock", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxClock}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// SetSandboxClock: Set the sandbox clock.
	SetSandboxClock = Operation{ID: "setSandboxClock", Method: "PUT", Path: "/sandbox/clock/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set the sandbox clock", Body: &schemaSandboxClockSettings, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxClock}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// AdvanceSandboxClock: Advance the sandbox clock.
	AdvanceSandboxClock = Operation{ID: "advanceSandboxClock", Method: "POST", Path: "/sandbox/clock/advance/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Advance the sandbox clock", Body: &schemaSandboxAdvance, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxClock}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// ListSandboxFaults: List sandbox faults.
	ListSandboxFaults = Operation{ID: "listSandboxFaults", Method: "GET", Path: "/sandbox/faults/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List sandbox faults", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxFaults}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// SetSandboxFaults: Set sandbox faults.
	SetSandboxFaults = Operation{ID: "setSandboxFaults", Method: "PUT", Path: "/sandbox/faults/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set sandbox faults", Body: &schemaSandboxFaults, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxFaults}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// ClearSandboxFaults: Clear sandbox faults.
	ClearSandboxFaults = Operation{ID: "clearSandboxFaults", Method: "DELETE", Path: "/sandbox/faults/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Clear sandbox faults", Responses: []StatusResponse{
		{Status: 204, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// ListSandboxRequests: List sandbox requests.
	ListSandboxRequests = Operation{ID: "listSandboxRequests", Method: "GET", Path: "/sandbox/requests/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List sandbox requests", Query: []Member{
		{Name: "limit", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Type: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Type: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Type: String, Format: "date-time"}}}, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxRequestPage}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// ClearSandboxRequests: Clear sandbox requests.
	ClearSandboxRequests = Operation{ID: "clearSandboxRequests", Method: "DELETE", Path: "/sandbox/requests/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Clear sandbox requests", Responses: []StatusResponse{
		{Status: 204, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// ListSandboxPages: List sandbox pages.
	ListSandboxPages = Operation{ID: "listSandboxPages", Method: "GET", Path: "/sandbox/pages/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List sandbox pages", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxPages}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// ResetSandbox: Reset the sandbox.
	ResetSandbox = Operation{ID: "resetSandbox", Method: "POST", Path: "/sandbox/reset/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Reset the sandbox", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxWorld}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// GetSandboxSnapshot: Take a snapshot of the sandbox.
	GetSandboxSnapshot = Operation{ID: "getSandboxSnapshot", Method: "GET", Path: "/sandbox/snapshot/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Take a snapshot of the sandbox", Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxSnapshot}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// RestoreSandboxSnapshot: Restore a snapshot of the sandbox.
	RestoreSandboxSnapshot = Operation{ID: "restoreSandboxSnapshot", Method: "PUT", Path: "/sandbox/snapshot/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Restore a snapshot of the sandbox", Body: &schemaSandboxSnapshot, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaSandboxWorld}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// SetSandboxKYC: Override a KYC status.
	SetSandboxKYC = Operation{ID: "setSandboxKyc", Method: "PUT", Path: "/sandbox/accounts/{accountId}/kyc/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Override a KYC status", Body: &schemaSandboxKYC, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaKYC}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
	// CreateSandboxDeposit: Deposit the funds of a transfer.
	CreateSandboxDeposit = Operation{ID: "createSandboxDeposit", Method: "POST", Path: "/sandbox/transfers/{transferId}/deposit/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Deposit the funds of a transfer", Body: &schemaSandboxDeposit, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Type: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransfer}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 422, Response: &responseUnprocessable},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}, TakesIdempotencyKey: true}
	// SetSandboxTransferState: Override a transfer's state.
	SetSandboxTransferState = Operation{ID: "setSandboxTransferState", Method: "PUT", Path: "/sandbox/transfers/{transferId}/state/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Override a transfer's state", Body: &schemaSandboxTransferState, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{Status: 200, Response: &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
			{Type: "application/json", Schema: &schemaTransfer}}}},
		{Status: 400, Response: &responseBadRequest},
		{Status: 401, Response: &responseUnauthorized},
		{Status: 403, Response: &responseForbidden},
		{Status: 404, Response: &responseNotFound},
		{Status: 406, Response: &responseNotAcceptable},
		{Status: 409, Response: &responseConflict},
		{Status: 412, Response: &responsePreconditionFailed},
		{Status: 413, Response: &responseContentTooLarge},
		{Status: 415, Response: &responseUnsupportedMediaType},
		{Status: 429, Response: &responseRateLimited},
		{Status: 500, Response: &responseInternalError},
		{Status: 503, Response: &responseUnavailable},
		{Response: &responseProblem}}}
)

// Operations lists every operation in the order of the document.
var Operations = []*Operation{
	&CreateAccessToken,
	&DescribeAccessToken,
	&RevokeAccessToken,
	&CreateAccount,
	&ListAccounts,
	&GetAccount,
	&UpdateAccount,
	&GetKYCStatus,
	&SubmitKYC,
	&CreateSavedContact,
	&ListSavedContacts,
	&GetSavedContact,
	&UpdateSavedContact,
	&DeleteSavedContact,
	&SelectRoutes,
	&CreateAutoTransfer,
	&ListTransfers,
	&GetTransfer,
	&CancelTransfer,
	&ListEvents,
	&GetHealth,
	&GetReadiness,
	&GetOpenAPIDocumentYAML,
	&GetOpenAPIDocumentJSON,
	&GetSandboxClock,
	&SetSandboxClock,
	&AdvanceSandboxClock,
	&ListSandboxFaults,
	&SetSandboxFaults,
	&ClearSandboxFaults,
	&ListSandboxRequests,
	&ClearSandboxRequests,
	&ListSandboxPages,
	&ResetSandbox,
	&GetSandboxSnapshot,
	&RestoreSandboxSnapshot,
	&SetSandboxKYC,
	&CreateSandboxDeposit,
	&SetSandboxTransferState,
}

var schemaAccessToken = Schema{Type: Object, Members: []Member{
	{Name: "access_token", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9._~+/-]+=*$", MaxLength: 4096}, Required: true},
	{Name: "expires_in", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 9223372036}},
	{Name: "scope", Schema: &Schema{Type: String, Pattern: "^[!-~]+( [!-~]+)*$", MaxLength: 1000}},
	{Name: "token_type", Schema: &Schema{Type: String, Pattern: "^[A-Za-z]+$", MaxLength: 40}}}}

var schemaAccessTokenDescription = Schema{Type: Object, Members: []Member{
	{Name: "clientId", Schema: &Schema{Type: String, MaxLength: 255}, Required: true},
	{Name: "expiresAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "issuedAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "scope", Schema: &Schema{Type: String, Pattern: "^[!-~]+( [!-~]+)*$", MaxLength: 1000}, Required: true}}}

var schemaAccessTokenRequest = Schema{Type: Object, Members: []Member{
	{Name: "grant_type", Schema: &Schema{Type: String, Enum: []string{"client_credentials"}}},
	{Name: "scope", Schema: &Schema{Type: String, Pattern: "^[!-~\\s]*$", MaxLength: 1000}}}}

var schemaAccount = Schema{Type: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddress},
	{Name: "birthDate", Schema: &Schema{Type: String, Format: "date"}},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "createdAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "email", Schema: &Schema{Type: String, Format: "email", MaxLength: 254}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "firstName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "kycStatus", Schema: &schemaKYCStatus, Required: true},
	{Name: "lastName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "legalName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, RequiredWhen: &Condition{Member: "type", Value: "business"}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "phoneNumber", Schema: &Schema{Type: String, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &schemaAccountType, Required: true},
	{Name: "updatedAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true}}}

var schemaAccountDetails = Schema{Type: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddress},
	{Name: "birthDate", Schema: &Schema{Type: String, Format: "date"}},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "email", Schema: &Schema{Type: String, Format: "email", MaxLength: 254}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "firstName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "lastName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "legalName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, RequiredWhen: &Condition{Member: "type", Value: "business"}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "phoneNumber", Schema: &Schema{Type: String, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &schemaAccountType, Required: true}}}

var schemaAccountPage = Schema{Type: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Type: Array, MaxItems: 100, Items: &schemaAccount}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true}}}

var schemaAccountPatch = Schema{Type: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddressPatch},
	{Name: "birthDate", Schema: &Schema{Type: String, Nullable: true, Format: "date"}},
	{Name: "country", Schema: &schemaCountry},
	{Name: "createdAt", Schema: &Schema{Type: String, Format: "date-time"}},
	{Name: "email", Schema: &Schema{Type: String, Format: "email", MaxLength: 254}},
	{Name: "externalId", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 128}},
	{Name: "firstName", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 100}},
	{Name: "id", Schema: &schemaIdentifier},
	{Name: "kycStatus", Schema: &Schema{Type: String, Pattern: "^[a-z_]+$", MaxLength: 64}},
	{Name: "lastName", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 100}},
	{Name: "legalName", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 200}},
	{Name: "metadata", Schema: &schemaMetadataPatch},
	{Name: "phoneNumber", Schema: &Schema{Type: String, Nullable: true, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &Schema{Type: String, Pattern: "^[a-z_]+$", MaxLength: 64}},
	{Name: "updatedAt", Schema: &Schema{Type: String, Format: "date-time"}}}}

var schemaAccountType = Schema{Type: String, Enum: []string{"individual", "business"}}

var schemaAddress = Schema{Type: Object, Members: []Member{
	{Name: "city", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, Required: true},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "line1", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "line2", Schema: &Schema{Type: String, MaxLength: 200}},
	{Name: "postalCode", Schema: &Schema{Type: String, MaxLength: 20}},
	{Name: "region", Schema: &Schema{Type: String, MaxLength: 100}}}}

var schemaAddressPatch = Schema{Type: Object, Nullable: true, Members: []Member{
	{Name: "city", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 100}},
	{Name: "country", Schema: &Schema{Type: String, Nullable: true, Pattern: "^[A-Z]{2}$", MaxLength: 2}},
	{Name: "line1", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 200}},
	{Name: "line2", Schema: &Schema{Type: String, Nullable: true, MaxLength: 200}},
	{Name: "postalCode", Schema: &Schema{Type: String, Nullable: true, MaxLength: 20}},
	{Name: "region", Schema: &Schema{Type: String, Nullable: true, MaxLength: 100}}}}

var schemaAmount = Schema{Type: String, Pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$", MaxLength: 37}

var schemaAmountType = Schema{Type: String, Enum: []string{"source", "target"}}

var schemaAvailableEndpoint = Schema{Type: Object, Members: []Member{
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "decimals", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 18}, Required: true},
	{Name: "maxAmount", Schema: &schemaAmount, Required: true},
	{Name: "minAmount", Schema: &schemaAmount, Required: true},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true}}}

var schemaClientReference = Schema{Type: String, MinLength: 1, MaxLength: 128}

var schemaClockMode = Schema{Type: String, Enum: []string{"real", "scaled", "manual"}}

var schemaCoordinates = Schema{Type: Object, Members: []Member{
	{Name: "accountNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "iban", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "memo", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "pixKey", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Type: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Type: String, MaxLength: 42}}}}

var schemaCountry = Schema{Type: String, Pattern: "^[A-Za-z]{2}$", MaxLength: 2}

var schemaCurrency = Schema{Type: String, Pattern: "^[A-Za-z0-9]+$", MinLength: 1, MaxLength: 12}

var schemaDepositInstructions = Schema{Type: Object, Members: []Member{
	{Name: "accountNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "amount", Schema: &schemaNullableAmount, Required: true},
	{Name: "bankName", Schema: &Schema{Type: String, MaxLength: 200}},
	{Name: "beneficiaryName", Schema: &Schema{Type: String, MaxLength: 200}},
	{Name: "bic", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "iban", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "memo", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "paymentReference", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "pixKey", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Type: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Type: String, MaxLength: 42}}}}

var schemaDuration = Schema{Type: String, Pattern: "^[+0-9.A-Za-zµμ]+$", MinLength: 1, MaxLength: 64}

var schemaEvent = Schema{Type: Object, Members: []Member{
	{Name: "data", Schema: &schemaEventData, Required: true},
	{Name: "from", Schema: &Schema{Type: String, Nullable: true, Pattern: "^[a-z_]+$", MaxLength: 40}, Required: true},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "occurredAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "subjectId", Schema: &schemaIdentifier, Required: true},
	{Name: "to", Schema: &Schema{Type: String, Nullable: true, Pattern: "^[a-z_]+$", MaxLength: 40}, Required: true},
	{Name: "type", Schema: &schemaEventType, Required: true}}}

var schemaEventData = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier},
	{Name: "attempt", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 3}},
	{Name: "batchId", Schema: &schemaClientReference},
	{Name: "destination", Schema: &schemaTransferSide},
	{Name: "destinationSavedContactId", Schema: &schemaIdentifier},
	{Name: "expectedSettlementAt", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "failureReason", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "label", Schema: &schemaLabel},
	{Name: "reasons", Schema: &Schema{Type: Array, MaxItems: 20, Items: &schemaKYCReason}},
	{Name: "reference", Schema: &schemaClientReference},
	{Name: "refund", Schema: &schemaRefund},
	{Name: "rejectType", Schema: &Schema{Type: String, Pattern: "^(retry|final)$", MaxLength: 5}},
	{Name: "returnCode", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "route", Schema: &schemaRouteKey},
	{Name: "source", Schema: &schemaTransferSide}}}

var schemaEventPage = Schema{Type: Object, Members: []Member{
	{Name: "cursor", Schema: &schemaIdentifier, Required: true},
	{Name: "data", Schema: &Schema{Type: Array, MaxItems: 100, Items: &schemaEvent}, Required: true}}}

var schemaEventType = Schema{Type: String, Enum: []string{"account.created", "kyc.statusChanged", "contact.created", "contact.deleted", "transfer.created", "transfer.stateChanged"}}

var schemaFee = Schema{Type: Object, Members: []Member{
	{Name: "amount", Schema: &schemaAmount},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "rate", Schema: &schemaAmount},
	{Name: "side", Schema: &Schema{Type: String, Enum: []string{"source", "destination"}}, Required: true},
	{Name: "type", Schema: &Schema{Type: String, Enum: []string{"bank", "network", "conversion"}}, Required: true}}}

var schemaFlowType = Schema{Type: String, Enum: []string{"onramp", "offramp", "swap", "bridge", "transfer", "fx"}}

var schemaHealth = Schema{Type: Object, Members: []Member{
	{Name: "status", Schema: &Schema{Type: String, Pattern: "^[a-z]+$", MaxLength: 16}, Required: true}}}

var schemaIdentifier = Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}

var schemaKYC = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier, Required: true},
	{Name: "attempt", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 3}, Required: true},
	{Name: "expiresAt", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "level", Schema: &Schema{Type: String, Pattern: "^[a-z_]+$", MaxLength: 40}, Required: true},
	{Name: "reasons", Schema: &Schema{Type: Array, MaxItems: 20, Items: &schemaKYCReason}, Required: true},
	{Name: "rejectType", Schema: &Schema{Type: String, Nullable: true, Pattern: "^(retry|final)$", MaxLength: 5}, Required: true},
	{Name: "requirements", Schema: &Schema{Type: Array, MaxItems: 20, Items: &schemaKYCRequirement}, Required: true},
	{Name: "reviewedAt", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "status", Schema: &schemaKYCStatus, Required: true},
	{Name: "submittedAt", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "updatedAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "verificationUrl", Schema: &Schema{Type: String, Nullable: true, Format: "uri", MaxLength: 500}, Required: true}}}

var schemaKYCAnswer = Schema{Type: Object, Members: []Member{
	{Name: "contentType", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "document", Schema: &Schema{Type: String, Format: "byte", MaxLength: 700000}},
	{Name: "name", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, Required: true},
	{Name: "value", Schema: &Schema{Type: String, MaxLength: 1000}}}}

var schemaKYCReason = Schema{Type: Object, Members: []Member{
	{Name: "code", Schema: &Schema{Type: String, MaxLength: 200}, Required: true},
	{Name: "field", Schema: &Schema{Type: String, Pattern: "^[A-Za-z_.]+$", MaxLength: 100}},
	{Name: "message", Schema: &Schema{Type: String, MaxLength: 500}, Required: true}}}

var schemaKYCRequirement = Schema{Type: Object, Members: []Member{
	{Name: "deadline", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}},
	{Name: "name", Schema: &Schema{Type: String, Pattern: "^[A-Za-z_]+$", MaxLength: 100}, Required: true},
	{Name: "status", Schema: &Schema{Type: String, Enum: []string{"open", "submitted", "accepted", "rejected"}}, Required: true}}}

var schemaKYCStatus = Schema{Type: String, Enum: []string{"not_started", "incomplete", "pending", "under_review", "resubmission_required", "approved", "rejected", "expired", "paused", "offboarded"}}

var schemaKYCSubmission = Schema{Type: Object, Members: []Member{
	{Name: "requirements", Schema: &Schema{Type: Array, MinItems: 1, MaxItems: 50, Items: &schemaKYCAnswer}, Required: true}}}

var schemaLabel = Schema{Type: String, MinLength: 1, MaxLength: 100}

var schemaMetadata = Schema{Type: Object, MaxProperties: 50, MaxNameLength: 100, Values: &Schema{Type: String, MaxLength: 500}}

var schemaMetadataPatch = Schema{Type: Object, Nullable: true, MaxProperties: 100, MaxNameLength: 100, Values: &Schema{Type: String, Nullable: true, MaxLength: 500}}

var schemaNewAccount = Schema{Type: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddress},
	{Name: "birthDate", Schema: &Schema{Type: String, Format: "date"}},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "email", Schema: &Schema{Type: String, Format: "email", MaxLength: 254}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "firstName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "lastName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "legalName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, RequiredWhen: &Condition{Member: "type", Value: "business"}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "phoneNumber", Schema: &Schema{Type: String, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &schemaAccountType, Required: true}}}

var schemaNewAutoTransfer = Schema{Type: Object, Members: []Member{
	{Name: "amount", Schema: &schemaAmount},
	{Name: "amountType", Schema: &schemaAmountType},
	{Name: "batchId", Schema: &schemaClientReference},
	{Name: "destinationSavedContactId", Schema: &schemaIdentifier, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "reference", Schema: &schemaClientReference},
	{Name: "route", Schema: &schemaRouteReference, Required: true}}}

var schemaNewSavedContact = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "accountNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "holderName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "holderType", Schema: &schemaAccountType, Required: true},
	{Name: "iban", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "label", Schema: &schemaLabel, Required: true},
	{Name: "memo", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "pixKey", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Type: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Type: String, MaxLength: 42}}}}

var schemaNextCursor = Schema{Type: String, Nullable: true, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}

var schemaNullableAmount = Schema{Type: String, Nullable: true, Pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$", MaxLength: 37}

var schemaOnchainTransaction = Schema{Type: Object, Members: []Member{
	{Name: "createdAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "hash", Schema: &Schema{Type: String, Pattern: "^[0-9A-Za-z]+$", MaxLength: 128}, Required: true},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "side", Schema: &Schema{Type: String, Enum: []string{"source", "destination", "refund"}}, Required: true}}}

var schemaPaymentRail = Schema{Type: String, Pattern: "^[A-Za-z0-9_]+$", MinLength: 1, MaxLength: 40}

var schemaProblem = Schema{Type: Object, Members: []Member{
	{Name: "detail", Schema: &Schema{Type: String, MaxLength: 1000}},
	{Name: "errors", Schema: &Schema{Type: Object, MaxProperties: 2000, Values: &Schema{Type: Array, MaxItems: 100, Items: &Schema{Type: String, MaxLength: 2000}}}},
	{Name: "instance", Schema: &Schema{Type: String, Format: "uri-reference", MaxLength: 32768}},
	{Name: "requestId", Schema: &schemaIdentifier},
	{Name: "status", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 400, Maximum: 599}, Required: true},
	{Name: "title", Schema: &Schema{Type: String, MaxLength: 100}, Required: true},
	{Name: "traceId", Schema: &Schema{Type: String, Pattern: "^[0-9a-f]{32}$", MaxLength: 32}},
	{Name: "transferId", Schema: &schemaIdentifier},
	{Name: "type", Schema: &Schema{Type: String, Format: "uri-reference", MaxLength: 512}, Required: true}}}

var schemaProvider = Schema{Type: String, Pattern: "^[A-Za-z0-9_]+$", MinLength: 1, MaxLength: 40}

var schemaRefund = Schema{Type: Object, Nullable: true, Members: []Member{
	{Name: "amount", Schema: &schemaAmount, Required: true},
	{Name: "completedAt", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "reason", Schema: &Schema{Type: String, MaxLength: 100}, Required: true}}}

var schemaRouteEndpoint = Schema{Type: Object, Nullable: true, Members: []Member{
	{Name: "currency", Schema: &Schema{Type: String, MaxLength: 12}},
	{Name: "paymentRail", Schema: &Schema{Type: String, MaxLength: 40}},
	{Name: "provider", Schema: &Schema{Type: String, MaxLength: 40}}}}

var schemaRouteKey = Schema{Type: String, Pattern: "^[^:>\\s]+:[^:>\\s]+->[^:>\\s]+:[^:>\\s]+$", MinLength: 1, MaxLength: 128}

var schemaRouteReference = Schema{OneOf: []*Schema{&schemaRouteKey, &schemaTransferRoute}}

var schemaRouteSelection = Schema{Type: Object, Members: []Member{
	{Name: "selectedDestination", Schema: &schemaRouteEndpoint},
	{Name: "selectedSource", Schema: &schemaRouteEndpoint}}}

var schemaSandboxAdvance = Schema{Type: Object, Members: []Member{
	{Name: "duration", Schema: &schemaDuration, Required: true}}}

var schemaSandboxClock = Schema{Type: Object, Members: []Member{
	{Name: "mode", Schema: &schemaClockMode, Required: true},
	{Name: "now", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "scale", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 1000000}, Required: true}}}

var schemaSandboxClockSettings = Schema{Type: Object, Members: []Member{
	{Name: "mode", Schema: &schemaClockMode, Required: true},
	{Name: "now", Schema: &Schema{Type: String, Format: "date-time"}},
	{Name: "scale", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 1000000}, RequiredWhen: &Condition{Member: "mode", Value: "scaled"}}}}

var schemaSandboxDeposit = Schema{Type: Object, Members: []Member{
	{Name: "amount", Schema: &schemaAmount, Required: true}}}

var schemaSandboxFault = Schema{Type: Object, Members: []Member{
	{Name: "action", Schema: &schemaSandboxFaultAction, Required: true},
	{Name: "delay", Schema: &schemaDuration},
	{Name: "operation", Schema: &Schema{Type: String, Pattern: "^(\\*|[A-Za-z]+)$", MinLength: 1, MaxLength: 64}, Required: true},
	{Name: "percent", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
	{Name: "retryAfter", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "status", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 400, Maximum: 599}},
	{Name: "times", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 1000000}}}}

var schemaSandboxFaultAction = Schema{Type: String, Enum: []string{"delay", "status", "reset", "expired_token", "drop", "truncate", "malformed"}}

var schemaSandboxFaults = Schema{Type: Object, Members: []Member{
	{Name: "faults", Schema: &Schema{Type: Array, MaxItems: 100, Items: &schemaSandboxFault}, Required: true}}}

var schemaSandboxKYC = Schema{Type: Object, Members: []Member{
	{Name: "reasons", Schema: &Schema{Type: Array, MaxItems: 20, Items: &Schema{Type: String, MinLength: 1, MaxLength: 200}}},
	{Name: "status", Schema: &schemaKYCStatus, Required: true}}}

var schemaSandboxPage = Schema{Type: Object, Members: []Member{
	{Name: "clientId", Schema: &Schema{Type: String, MaxLength: 255}, Required: true},
	{Name: "url", Schema: &Schema{Type: String, Pattern: "^https?://", Format: "uri", MaxLength: 1000}, Required: true}}}

var schemaSandboxPages = Schema{Type: Object, Members: []Member{
	{Name: "pages", Schema: &Schema{Type: Array, MaxItems: 10000, Items: &schemaSandboxPage}, Required: true}}}

var schemaSandboxRequest = Schema{Type: Object, Members: []Member{
	{Name: "durationMs", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 9007199254740991}, Required: true},
	{Name: "fault", Schema: &Schema{Type: String, Pattern: "^[!-~µ]+$", MaxLength: 256}},
	{Name: "idempotencyKeyHash", Schema: &Schema{Type: String, Pattern: "^[0-9a-f]{64}$", MaxLength: 64}},
	{Name: "method", Schema: &Schema{Type: String, Pattern: "^[A-Z]+$", MaxLength: 16}, Required: true},
	{Name: "number", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 9007199254740991}, Required: true},
	{Name: "operation", Schema: &Schema{Type: String, Pattern: "^[A-Za-z]+$", MaxLength: 64}, Required: true},
	{Name: "path", Schema: &Schema{Type: String, Pattern: "^/", MaxLength: 256}, Required: true},
	{Name: "query", Schema: &Schema{Type: String, Pattern: "^[!-~]+$", MaxLength: 8192}},
	{Name: "requestBody", Schema: &Schema{Type: String, MaxLength: 8192}},
	{Name: "requestId", Schema: &schemaIdentifier},
	{Name: "responseBody", Schema: &Schema{Type: String, MaxLength: 8192}},
	{Name: "status", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 599}, Required: true},
	{Name: "time", Schema: &Schema{Type: String, Format: "date-time"}, Required: true}}}

var schemaSandboxRequestPage = Schema{Type: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Type: Array, MaxItems: 100, Items: &schemaSandboxRequest}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true}}}

var schemaSandboxSnapshot = Schema{Type: Object, Members: []Member{
	{Name: "checksum", Schema: &Schema{Type: String, Pattern: "^[0-9a-f]{64}$", MinLength: 64, MaxLength: 64}, Required: true},
	{Name: "instance", Schema: &schemaIdentifier, Required: true},
	{Name: "takenAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "version", Schema: &Schema{Type: String, Enum: []string{"1"}}, Required: true},
	{Name: "world", Schema: &Schema{Type: Object}, Required: true}}}

var schemaSandboxTransferState = Schema{Type: Object, Members: []Member{
	{Name: "reason", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 100}},
	{Name: "state", Schema: &schemaTransferState, Required: true}}}

var schemaSandboxWorld = Schema{Type: Object, Members: []Member{
	{Name: "instance", Schema: &schemaIdentifier, Required: true}}}

var schemaSavedContact = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "accountNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "createdAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "holderName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "holderType", Schema: &schemaAccountType, Required: true},
	{Name: "iban", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "label", Schema: &schemaLabel, Required: true},
	{Name: "memo", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "pixKey", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Type: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Type: String, MaxLength: 42}}}}

var schemaSavedContactDetails = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "accountNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "holderName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "holderType", Schema: &schemaAccountType, Required: true},
	{Name: "iban", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "label", Schema: &schemaLabel, Required: true},
	{Name: "memo", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "pixKey", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Type: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Type: String, MaxLength: 42}}}}

var schemaSavedContactPage = Schema{Type: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Type: Array, MaxItems: 100, Items: &schemaSavedContact}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true}}}

var schemaSavedContactPatch = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier},
	{Name: "accountNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Type: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "createdAt", Schema: &Schema{Type: String, Format: "date-time"}},
	{Name: "currency", Schema: &schemaCurrency},
	{Name: "externalId", Schema: &Schema{Type: String, Nullable: true, MinLength: 1, MaxLength: 128}},
	{Name: "holderName", Schema: &Schema{Type: String, MinLength: 1, MaxLength: 200}},
	{Name: "holderType", Schema: &Schema{Type: String, Pattern: "^[a-z_]+$", MaxLength: 64}},
	{Name: "iban", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "id", Schema: &schemaIdentifier},
	{Name: "label", Schema: &schemaLabel},
	{Name: "memo", Schema: &Schema{Type: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadataPatch},
	{Name: "paymentRail", Schema: &schemaPaymentRail},
	{Name: "pixKey", Schema: &Schema{Type: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Type: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Type: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Type: String, MaxLength: 42}}}}

var schemaTransactionInfo = Schema{Type: Object, Members: []Member{
	{Name: "estimatedSettlementSeconds", Schema: &Schema{Type: Integer, Bounded: true, Maximum: 63072000}, Required: true},
	{Name: "exchangeRate", Schema: &schemaAmount, Required: true},
	{Name: "fees", Schema: &Schema{Type: Array, MaxItems: 20, Items: &schemaFee}, Required: true},
	{Name: "kycRequired", Schema: &Schema{Type: Boolean}, Required: true},
	{Name: "maxAmount", Schema: &schemaAmount, Required: true},
	{Name: "minAmount", Schema: &schemaAmount, Required: true},
	{Name: "routeKey", Schema: &schemaRouteKey, Required: true}}}

var schemaTransfer = Schema{Type: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier, Required: true},
	{Name: "amount", Schema: &schemaNullableAmount, Required: true},
	{Name: "amountType", Schema: &schemaAmountType, Required: true},
	{Name: "batchId", Schema: &schemaClientReference},
	{Name: "convertedAmount", Schema: &schemaNullableAmount, Required: true},
	{Name: "createdAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true},
	{Name: "depositInstructions", Schema: &schemaDepositInstructions, Required: true},
	{Name: "destination", Schema: &schemaTransferSide, Required: true},
	{Name: "destinationSavedContactId", Schema: &schemaIdentifier, Required: true},
	{Name: "exchangeRate", Schema: &schemaAmount, Required: true},
	{Name: "expectedSettlementAt", Schema: &Schema{Type: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "failureReason", Schema: &Schema{Type: String, Nullable: true, MaxLength: 100}, Required: true},
	{Name: "fees", Schema: &Schema{Type: Array, MaxItems: 20, Items: &schemaFee}, Required: true},
	{Name: "flexible", Schema: &Schema{Type: Boolean}, Required: true},
	{Name: "flowType", Schema: &schemaFlowType, Required: true},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "onchainTransactions", Schema: &Schema{Type: Array, MaxItems: 20, Items: &schemaOnchainTransaction}, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true},
	{Name: "reference", Schema: &schemaClientReference},
	{Name: "refund", Schema: &schemaRefund, Required: true},
	{Name: "returnCode", Schema: &Schema{Type: String, Nullable: true, MaxLength: 100}, Required: true},
	{Name: "roundingResidue", Schema: &schemaNullableAmount, Required: true},
	{Name: "route", Schema: &schemaRouteKey, Required: true},
	{Name: "source", Schema: &schemaTransferSide, Required: true},
	{Name: "state", Schema: &schemaTransferState, Required: true},
	{Name: "updatedAt", Schema: &Schema{Type: String, Format: "date-time"}, Required: true}}}

var schemaTransferInfo = Schema{Type: Object, Members: []Member{
	{Name: "availableDestinations", Schema: &Schema{Type: Array, MaxItems: 256, Items: &schemaAvailableEndpoint}, Required: true},
	{Name: "availableSources", Schema: &Schema{Type: Array, MaxItems: 256, Items: &schemaAvailableEndpoint}, Required: true},
	{Name: "routes", Schema: &Schema{Type: Array, MaxItems: 20000, Items: &schemaTransferRoute}, Required: true},
	{Name: "selectedDestination", Schema: &schemaRouteEndpoint, Required: true},
	{Name: "selectedSource", Schema: &schemaRouteEndpoint, Required: true},
	{Name: "transactionsInfo", Schema: &Schema{Type: Array, MaxItems: 20000, Items: &schemaTransactionInfo}, Required: true}}}

var schemaTransferPage = Schema{Type: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Type: Array, MaxItems: 100, Items: &schemaTransfer}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true}}}

var schemaTransferRoute = Schema{Type: Object, Members: []Member{
	{Name: "flowType", Schema: &schemaFlowType, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true},
	{Name: "routeKey", Schema: &schemaRouteKey, Required: true}}}

var schemaTransferSide = Schema{Type: Object, Members: []Member{
	{Name: "amount", Schema: &schemaNullableAmount, Required: true},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true}}}

var schemaTransferState = Schema{Type: String, Enum: []string{"awaiting_funds", "in_review", "funds_received", "payment_submitted", "payment_processed", "undeliverable", "returned", "refunded", "canceled", "expired", "failed"}}

var responseBadRequest = Response{Headers: []Member{
	{Name: "Www-Authenticate", Schema: &Schema{Type: String, Pattern: "^(Basic|Bearer) ", MaxLength: 500}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseConflict = Response{Headers: []Member{
	{Name: "Retry-After", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseContentTooLarge = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseForbidden = Response{Headers: []Member{
	{Name: "Www-Authenticate", Schema: &Schema{Type: String, Pattern: "^(Basic|Bearer) ", MaxLength: 500}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseGone = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseInternalError = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseNotAcceptable = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseNotFound = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responsePreconditionFailed = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseProblem = Response{Headers: []Member{
	{Name: "Allow", Schema: &Schema{Type: String, Pattern: "^[A-Z]+(, [A-Z]+)*$", MaxLength: 100}},
	{Name: "Retry-After", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseRateLimited = Response{Headers: []Member{
	{Name: "Retry-After", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseUnauthorized = Response{Headers: []Member{
	{Name: "Www-Authenticate", Schema: &Schema{Type: String, Pattern: "^(Basic|Bearer) ", MaxLength: 500}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseUnavailable = Response{Headers: []Member{
	{Name: "Retry-After", Schema: &Schema{Type: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseUnprocessable = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}

var responseUnsupportedMediaType = Response{Headers: []Member{
	{Name: "Accept", Schema: &Schema{Type: String, Pattern: "^[!-~]+(, [!-~]+)*$", MaxLength: 200}},
	{Name: "Accept-Encoding", Schema: &Schema{Type: String, Enum: []string{"identity"}}},
	{Name: "Accept-Patch", Schema: &Schema{Type: String, Pattern: "^[!-~]+(, [!-~]+)*$", MaxLength: 200}},
	{Name: "X-Request-Id", Schema: &Schema{Type: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true}}, Content: []Media{
	{Type: "application/problem+json", Schema: &schemaProblem}}}
