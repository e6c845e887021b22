// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.

package contract

// The operations of the contract.
var (
	// CreateAccessToken: Create access token.
	CreateAccessToken = Operation{ID: "createAccessToken", Method: "POST", Path: "/identity/auth/tokens/current/v1", Access: Basic, Success: 200, Origin: "published", Summary: "Create access token", Body: &schemaAccessTokenRequest, BodyMedia: "application/json", Form: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Cache-Control", Schema: &Schema{Kind: String, Enum: []string{"no-store"}}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaAccessToken},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// DescribeAccessToken: Describe access token.
	DescribeAccessToken = Operation{ID: "describeAccessToken", Method: "GET", Path: "/identity/auth/tokens/current/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Describe access token", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaAccessTokenDescription},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// RevokeAccessToken: Revoke access token.
	RevokeAccessToken = Operation{ID: "revokeAccessToken", Method: "DELETE", Path: "/identity/auth/tokens/current/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Revoke access token", Responses: []StatusResponse{
		{204, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// CreateAccount: Create account.
	CreateAccount = Operation{ID: "createAccount", Method: "POST", Path: "/accounts/v1", Access: Bearer, Success: 201, Origin: "assumed", Summary: "Create account", Scope: "accounts:write", Body: &schemaNewAccount, BodyMedia: "application/json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{201, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Kind: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaAccount},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListAccounts: List accounts.
	ListAccounts = Operation{ID: "listAccounts", Method: "GET", Path: "/accounts/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List accounts", Scope: "accounts:read", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "kycStatus", Schema: &Schema{Kind: Array, MinItems: 1, MaxItems: 20, Items: &schemaKYCStatus}},
		{Name: "email", Schema: &Schema{Kind: String, Format: "email", MinLength: 1, MaxLength: 254}},
		{Name: "externalId", Schema: &schemaClientReference},
	}, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaAccountPage},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetAccount: Get account.
	GetAccount = Operation{ID: "getAccount", Method: "GET", Path: "/accounts/{accountId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get account", Scope: "accounts:read", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaAccount},
		}}},
		{304, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{412, &responsePreconditionFailed},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// UpdateAccount: Update account.
	UpdateAccount = Operation{ID: "updateAccount", Method: "PATCH", Path: "/accounts/{accountId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Update account", Scope: "accounts:write", Body: &schemaAccountPatch, BodyMedia: "application/merge-patch+json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaAccount},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{412, &responsePreconditionFailed},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetKYCStatus: Get KYC status.
	GetKYCStatus = Operation{ID: "getKycStatus", Method: "GET", Path: "/accounts/{accountId}/kyc/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get KYC status", Scope: "kyc:read", TakesPreferWait: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaKYC},
		}}},
		{304, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{412, &responsePreconditionFailed},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// SubmitKYC: Submit KYC requirements.
	SubmitKYC = Operation{ID: "submitKyc", Method: "POST", Path: "/accounts/{accountId}/kyc/submissions/v1", Access: Bearer, Success: 202, Origin: "assumed", Summary: "Submit KYC requirements", Scope: "kyc:write", Body: &schemaKYCSubmission, BodyMedia: "application/json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{202, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaKYC},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{412, &responsePreconditionFailed},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// CreateSavedContact: Create saved contact.
	CreateSavedContact = Operation{ID: "createSavedContact", Method: "POST", Path: "/contacts/saved/v1", Access: Bearer, Success: 201, Origin: "assumed", Summary: "Create saved contact", Scope: "contacts:write", Body: &schemaNewSavedContact, BodyMedia: "application/json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{201, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Kind: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSavedContact},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListSavedContacts: List saved contacts.
	ListSavedContacts = Operation{ID: "listSavedContacts", Method: "GET", Path: "/contacts/saved/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List saved contacts", Scope: "contacts:read", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "accountId", Schema: &schemaIdentifier},
		{Name: "externalId", Schema: &schemaClientReference},
		{Name: "label", Schema: &schemaLabel},
	}, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSavedContactPage},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetSavedContact: Get saved contact.
	GetSavedContact = Operation{ID: "getSavedContact", Method: "GET", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get saved contact", Scope: "contacts:read", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSavedContact},
		}}},
		{304, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{412, &responsePreconditionFailed},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// UpdateSavedContact: Update saved contact.
	UpdateSavedContact = Operation{ID: "updateSavedContact", Method: "PATCH", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Update saved contact", Scope: "contacts:write", Body: &schemaSavedContactPatch, BodyMedia: "application/merge-patch+json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSavedContact},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{412, &responsePreconditionFailed},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// DeleteSavedContact: Delete saved contact.
	DeleteSavedContact = Operation{ID: "deleteSavedContact", Method: "DELETE", Path: "/contacts/saved/{savedContactId}/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Delete saved contact", Scope: "contacts:write", Responses: []StatusResponse{
		{204, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// SelectRoutes: Update transfer route selection.
	SelectRoutes = Operation{ID: "selectRoutes", Method: "PATCH", Path: "/transfers/info/v1", Access: Bearer, Success: 200, Origin: "published", Summary: "Update transfer route selection", Scope: "transfers:read", Body: &schemaRouteSelection, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransferInfo},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// CreateAutoTransfer: Auto transfer.
	CreateAutoTransfer = Operation{ID: "createAutoTransfer", Method: "POST", Path: "/transfers/auto/v1", Access: Bearer, Success: 201, Origin: "published", Summary: "Auto transfer", Scope: "transfers:write", Body: &schemaNewAutoTransfer, BodyMedia: "application/json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Kind: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransfer},
		}}},
		{201, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "Location", Schema: &Schema{Kind: String, Pattern: "^/", MaxLength: 256}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransfer},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListTransfers: List transfers.
	ListTransfers = Operation{ID: "listTransfers", Method: "GET", Path: "/transfers/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List transfers", Scope: "transfers:read", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "accountId", Schema: &schemaIdentifier},
		{Name: "destinationSavedContactId", Schema: &schemaIdentifier},
		{Name: "route", Schema: &schemaRouteKey},
		{Name: "state", Schema: &Schema{Kind: Array, MinItems: 1, MaxItems: 20, Items: &schemaTransferState}},
		{Name: "reference", Schema: &schemaClientReference},
		{Name: "externalId", Schema: &schemaClientReference},
		{Name: "batchId", Schema: &schemaClientReference},
	}, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransferPage},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetTransfer: Get transfer.
	GetTransfer = Operation{ID: "getTransfer", Method: "GET", Path: "/transfers/{transferId}/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get transfer", Scope: "transfers:read", TakesPreferWait: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransfer},
		}}},
		{304, &Response{Headers: []Member{
			{Name: "Etag", Schema: &Schema{Kind: String, Pattern: "^(W/)?\"[^\"]+\"$", MaxLength: 100}, Required: true},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{412, &responsePreconditionFailed},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// CancelTransfer: Cancel transfer.
	CancelTransfer = Operation{ID: "cancelTransfer", Method: "POST", Path: "/transfers/{transferId}/cancel/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Cancel transfer", Scope: "transfers:write", TakesIdempotencyKey: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransfer},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{412, &responsePreconditionFailed},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListEvents: List events.
	ListEvents = Operation{ID: "listEvents", Method: "GET", Path: "/events/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List events", TakesPreferWait: true, Query: []Member{
		{Name: "after", Schema: &schemaIdentifier},
		{Name: "types", Schema: &Schema{Kind: Array, MinItems: 1, MaxItems: 20, Items: &schemaEventType}},
		{Name: "subjectId", Schema: &schemaIdentifier},
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
	}, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaEventPage},
			{"text/event-stream", &Schema{Kind: String}},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{406, &responseNotAcceptable},
		{410, &responseGone},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetHealth: Health.
	GetHealth = Operation{ID: "getHealth", Method: "GET", Path: "/healthz", Access: Open, Success: 200, Origin: "assumed", Summary: "Health", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaHealth},
		}}},
		{400, &responseBadRequest},
		{406, &responseNotAcceptable},
		{500, &responseInternalError},
		{0, &responseProblem},
	}}
	// GetReadiness: Readiness.
	GetReadiness = Operation{ID: "getReadiness", Method: "GET", Path: "/readyz", Access: Open, Success: 200, Origin: "assumed", Summary: "Readiness", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaHealth},
		}}},
		{400, &responseBadRequest},
		{406, &responseNotAcceptable},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetOpenAPIDocumentYAML: This document as YAML.
	GetOpenAPIDocumentYAML = Operation{ID: "getOpenAPIDocumentYAML", Method: "GET", Path: "/openapi.yaml", Access: Open, Success: 200, Origin: "assumed", Summary: "This document as YAML", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/yaml", &Schema{Kind: String, MaxLength: 4194304}},
		}}},
		{400, &responseBadRequest},
		{406, &responseNotAcceptable},
		{500, &responseInternalError},
		{0, &responseProblem},
	}}
	// GetOpenAPIDocumentJSON: This document as JSON.
	GetOpenAPIDocumentJSON = Operation{ID: "getOpenAPIDocumentJSON", Method: "GET", Path: "/openapi.json", Access: Open, Success: 200, Origin: "assumed", Summary: "This document as JSON", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &Schema{Kind: Object}},
		}}},
		{400, &responseBadRequest},
		{406, &responseNotAcceptable},
		{500, &responseInternalError},
		{0, &responseProblem},
	}}
	// GetSandboxClock: Get the sandbox clock.
	GetSandboxClock = Operation{ID: "getSandboxClock", Method: "GET", Path: "/sandbox/clock/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Get the sandbox clock", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxClock},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// SetSandboxClock: Set the sandbox clock.
	SetSandboxClock = Operation{ID: "setSandboxClock", Method: "PUT", Path: "/sandbox/clock/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set the sandbox clock", Body: &schemaSandboxClockSettings, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxClock},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// AdvanceSandboxClock: Advance the sandbox clock.
	AdvanceSandboxClock = Operation{ID: "advanceSandboxClock", Method: "POST", Path: "/sandbox/clock/advance/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Advance the sandbox clock", Body: &schemaSandboxAdvance, BodyMedia: "application/json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxClock},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListSandboxFaults: List sandbox faults.
	ListSandboxFaults = Operation{ID: "listSandboxFaults", Method: "GET", Path: "/sandbox/faults/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List sandbox faults", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxFaults},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// SetSandboxFaults: Set sandbox faults.
	SetSandboxFaults = Operation{ID: "setSandboxFaults", Method: "PUT", Path: "/sandbox/faults/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Set sandbox faults", Body: &schemaSandboxFaults, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxFaults},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ClearSandboxFaults: Clear sandbox faults.
	ClearSandboxFaults = Operation{ID: "clearSandboxFaults", Method: "DELETE", Path: "/sandbox/faults/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Clear sandbox faults", Responses: []StatusResponse{
		{204, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListSandboxRequests: List sandbox requests.
	ListSandboxRequests = Operation{ID: "listSandboxRequests", Method: "GET", Path: "/sandbox/requests/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List sandbox requests", Query: []Member{
		{Name: "limit", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
		{Name: "cursor", Schema: &Schema{Kind: String, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}},
		{Name: "createdAfter", Schema: &Schema{Kind: String, Format: "date-time"}},
		{Name: "createdBefore", Schema: &Schema{Kind: String, Format: "date-time"}},
	}, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxRequestPage},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ClearSandboxRequests: Clear sandbox requests.
	ClearSandboxRequests = Operation{ID: "clearSandboxRequests", Method: "DELETE", Path: "/sandbox/requests/v1", Access: Bearer, Success: 204, Origin: "assumed", Summary: "Clear sandbox requests", Responses: []StatusResponse{
		{204, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ListSandboxPages: List sandbox pages.
	ListSandboxPages = Operation{ID: "listSandboxPages", Method: "GET", Path: "/sandbox/pages/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "List sandbox pages", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxPages},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// ResetSandbox: Reset the sandbox.
	ResetSandbox = Operation{ID: "resetSandbox", Method: "POST", Path: "/sandbox/reset/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Reset the sandbox", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxWorld},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// GetSandboxSnapshot: Take a snapshot of the sandbox.
	GetSandboxSnapshot = Operation{ID: "getSandboxSnapshot", Method: "GET", Path: "/sandbox/snapshot/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Take a snapshot of the sandbox", Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxSnapshot},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// RestoreSandboxSnapshot: Restore a snapshot of the sandbox.
	RestoreSandboxSnapshot = Operation{ID: "restoreSandboxSnapshot", Method: "PUT", Path: "/sandbox/snapshot/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Restore a snapshot of the sandbox", Body: &schemaSandboxSnapshot, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaSandboxWorld},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// SetSandboxKYC: Override a KYC status.
	SetSandboxKYC = Operation{ID: "setSandboxKyc", Method: "PUT", Path: "/sandbox/accounts/{accountId}/kyc/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Override a KYC status", Body: &schemaSandboxKYC, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaKYC},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// CreateSandboxDeposit: Deposit the funds of a transfer.
	CreateSandboxDeposit = Operation{ID: "createSandboxDeposit", Method: "POST", Path: "/sandbox/transfers/{transferId}/deposit/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Deposit the funds of a transfer", Body: &schemaSandboxDeposit, BodyMedia: "application/json", BodyRequired: true, TakesIdempotencyKey: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "Idempotency-Replayed", Schema: &Schema{Kind: String, Enum: []string{"true"}}},
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransfer},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{412, &responsePreconditionFailed},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{422, &responseUnprocessable},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
	// SetSandboxTransferState: Override a transfer's state.
	SetSandboxTransferState = Operation{ID: "setSandboxTransferState", Method: "PUT", Path: "/sandbox/transfers/{transferId}/state/v1", Access: Bearer, Success: 200, Origin: "assumed", Summary: "Override a transfer's state", Body: &schemaSandboxTransferState, BodyMedia: "application/json", BodyRequired: true, Responses: []StatusResponse{
		{200, &Response{Headers: []Member{
			{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
		}, Content: []Media{
			{"application/json", &schemaTransfer},
		}}},
		{400, &responseBadRequest},
		{401, &responseUnauthorized},
		{403, &responseForbidden},
		{404, &responseNotFound},
		{406, &responseNotAcceptable},
		{409, &responseConflict},
		{413, &responseContentTooLarge},
		{415, &responseUnsupportedMediaType},
		{429, &responseRateLimited},
		{500, &responseInternalError},
		{503, &responseUnavailable},
		{0, &responseProblem},
	}}
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
