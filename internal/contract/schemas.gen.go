// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.

package contract

var schemaAccessToken = Schema{Kind: Object, Members: []Member{
	{Name: "access_token", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9._~+/-]+=*$", MaxLength: 4096}, Required: true},
	{Name: "expires_in", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 9223372036}},
	{Name: "scope", Schema: &Schema{Kind: String, Pattern: "^[!-~]+( [!-~]+)*$", MaxLength: 1000}},
	{Name: "token_type", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z]+$", MaxLength: 40}},
}}

var schemaAccessTokenDescription = Schema{Kind: Object, Members: []Member{
	{Name: "clientId", Schema: &Schema{Kind: String, MaxLength: 255}, Required: true},
	{Name: "expiresAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "issuedAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "scope", Schema: &Schema{Kind: String, Pattern: "^[!-~]+( [!-~]+)*$", MaxLength: 1000}, Required: true},
}}

var schemaAccessTokenRequest = Schema{Kind: Object, Members: []Member{
	{Name: "grant_type", Schema: &Schema{Kind: String, Enum: []string{"client_credentials"}}},
	{Name: "scope", Schema: &Schema{Kind: String, Pattern: "^[!-~\\s]*$", MaxLength: 1000}},
}}

var schemaAccount = Schema{Kind: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddress},
	{Name: "birthDate", Schema: &Schema{Kind: String, Format: "date"}},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "createdAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "email", Schema: &Schema{Kind: String, Format: "email", MaxLength: 254}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "firstName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "kycStatus", Schema: &schemaKYCStatus, Required: true},
	{Name: "lastName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "legalName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, RequiredWhen: &Condition{Member: "type", Value: "business"}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "phoneNumber", Schema: &Schema{Kind: String, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &schemaAccountType, Required: true},
	{Name: "updatedAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
}}

var schemaAccountDetails = Schema{Kind: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddress},
	{Name: "birthDate", Schema: &Schema{Kind: String, Format: "date"}},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "email", Schema: &Schema{Kind: String, Format: "email", MaxLength: 254}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "firstName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "lastName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "legalName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, RequiredWhen: &Condition{Member: "type", Value: "business"}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "phoneNumber", Schema: &Schema{Kind: String, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &schemaAccountType, Required: true},
}}

var schemaAccountPage = Schema{Kind: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Kind: Array, MaxItems: 100, Items: &schemaAccount}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true},
}}

var schemaAccountPatch = Schema{Kind: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddressPatch},
	{Name: "birthDate", Schema: &Schema{Kind: String, Nullable: true, Format: "date"}},
	{Name: "country", Schema: &schemaCountry},
	{Name: "createdAt", Schema: &Schema{Kind: String, Format: "date-time"}},
	{Name: "email", Schema: &Schema{Kind: String, Format: "email", MaxLength: 254}},
	{Name: "externalId", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 128}},
	{Name: "firstName", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 100}},
	{Name: "id", Schema: &schemaIdentifier},
	{Name: "kycStatus", Schema: &Schema{Kind: String, Pattern: "^[a-z_]+$", MaxLength: 64}},
	{Name: "lastName", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 100}},
	{Name: "legalName", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 200}},
	{Name: "metadata", Schema: &schemaMetadataPatch},
	{Name: "phoneNumber", Schema: &Schema{Kind: String, Nullable: true, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &Schema{Kind: String, Pattern: "^[a-z_]+$", MaxLength: 64}},
	{Name: "updatedAt", Schema: &Schema{Kind: String, Format: "date-time"}},
}}

var schemaAccountType = Schema{Kind: String, Enum: []string{"individual", "business"}}

var schemaAddress = Schema{Kind: Object, Members: []Member{
	{Name: "city", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, Required: true},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "line1", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "line2", Schema: &Schema{Kind: String, MaxLength: 200}},
	{Name: "postalCode", Schema: &Schema{Kind: String, MaxLength: 20}},
	{Name: "region", Schema: &Schema{Kind: String, MaxLength: 100}},
}}

var schemaAddressPatch = Schema{Kind: Object, Nullable: true, Members: []Member{
	{Name: "city", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 100}},
	{Name: "country", Schema: &Schema{Kind: String, Nullable: true, Pattern: "^[A-Z]{2}$", MaxLength: 2}},
	{Name: "line1", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 200}},
	{Name: "line2", Schema: &Schema{Kind: String, Nullable: true, MaxLength: 200}},
	{Name: "postalCode", Schema: &Schema{Kind: String, Nullable: true, MaxLength: 20}},
	{Name: "region", Schema: &Schema{Kind: String, Nullable: true, MaxLength: 100}},
}}

var schemaAmount = Schema{Kind: String, Pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$", MaxLength: 37}

var schemaAmountType = Schema{Kind: String, Enum: []string{"source", "target"}}

var schemaAvailableEndpoint = Schema{Kind: Object, Members: []Member{
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "decimals", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 18}, Required: true},
	{Name: "maxAmount", Schema: &schemaAmount, Required: true},
	{Name: "minAmount", Schema: &schemaAmount, Required: true},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true},
}}

var schemaClientReference = Schema{Kind: String, MinLength: 1, MaxLength: 128}

var schemaClockMode = Schema{Kind: String, Enum: []string{"real", "scaled", "manual"}}

var schemaCoordinates = Schema{Kind: Object, Members: []Member{
	{Name: "accountNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "iban", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "memo", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "pixKey", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Kind: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Kind: String, MaxLength: 42}},
}}

var schemaCountry = Schema{Kind: String, Pattern: "^[A-Za-z]{2}$", MaxLength: 2}

var schemaCurrency = Schema{Kind: String, Pattern: "^[A-Za-z0-9]+$", MinLength: 1, MaxLength: 12}

var schemaDepositInstructions = Schema{Kind: Object, Members: []Member{
	{Name: "accountNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "amount", Schema: &schemaNullableAmount, Required: true},
	{Name: "bankName", Schema: &Schema{Kind: String, MaxLength: 200}},
	{Name: "beneficiaryName", Schema: &Schema{Kind: String, MaxLength: 200}},
	{Name: "bic", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "iban", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "memo", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "paymentReference", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "pixKey", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Kind: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Kind: String, MaxLength: 42}},
}}

var schemaDuration = Schema{Kind: String, Pattern: "^[+0-9.A-Za-zµμ]+$", MinLength: 1, MaxLength: 64}

var schemaEvent = Schema{Kind: Object, Members: []Member{
	{Name: "data", Schema: &schemaEventData, Required: true},
	{Name: "from", Schema: &Schema{Kind: String, Nullable: true, Pattern: "^[a-z_]+$", MaxLength: 40}, Required: true},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "occurredAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "subjectId", Schema: &schemaIdentifier, Required: true},
	{Name: "to", Schema: &Schema{Kind: String, Nullable: true, Pattern: "^[a-z_]+$", MaxLength: 40}, Required: true},
	{Name: "type", Schema: &schemaEventType, Required: true},
}}

var schemaEventData = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier},
	{Name: "attempt", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 3}},
	{Name: "batchId", Schema: &schemaClientReference},
	{Name: "destination", Schema: &schemaTransferSide},
	{Name: "destinationSavedContactId", Schema: &schemaIdentifier},
	{Name: "expectedSettlementAt", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "failureReason", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "label", Schema: &schemaLabel},
	{Name: "reasons", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &schemaKYCReason}},
	{Name: "reference", Schema: &schemaClientReference},
	{Name: "refund", Schema: &schemaRefund},
	{Name: "rejectType", Schema: &Schema{Kind: String, Pattern: "^(retry|final)$", MaxLength: 5}},
	{Name: "returnCode", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "route", Schema: &schemaRouteKey},
	{Name: "source", Schema: &schemaTransferSide},
}}

var schemaEventPage = Schema{Kind: Object, Members: []Member{
	{Name: "cursor", Schema: &schemaIdentifier, Required: true},
	{Name: "data", Schema: &Schema{Kind: Array, MaxItems: 100, Items: &schemaEvent}, Required: true},
}}

var schemaEventType = Schema{Kind: String, Enum: []string{"account.created", "kyc.statusChanged", "contact.created", "contact.deleted", "transfer.created", "transfer.stateChanged"}}

var schemaFee = Schema{Kind: Object, Members: []Member{
	{Name: "amount", Schema: &schemaAmount},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "rate", Schema: &schemaAmount},
	{Name: "side", Schema: &Schema{Kind: String, Enum: []string{"source", "destination"}}, Required: true},
	{Name: "type", Schema: &Schema{Kind: String, Enum: []string{"bank", "network", "conversion"}}, Required: true},
}}

var schemaFlowType = Schema{Kind: String, Enum: []string{"onramp", "offramp", "swap", "bridge", "transfer", "fx"}}

var schemaHealth = Schema{Kind: Object, Members: []Member{
	{Name: "status", Schema: &Schema{Kind: String, Pattern: "^[a-z]+$", MaxLength: 16}, Required: true},
}}

var schemaIdentifier = Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}

var schemaKYC = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier, Required: true},
	{Name: "attempt", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 3}, Required: true},
	{Name: "expiresAt", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "level", Schema: &Schema{Kind: String, Pattern: "^[a-z_]+$", MaxLength: 40}, Required: true},
	{Name: "reasons", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &schemaKYCReason}, Required: true},
	{Name: "rejectType", Schema: &Schema{Kind: String, Nullable: true, Pattern: "^(retry|final)$", MaxLength: 5}, Required: true},
	{Name: "requirements", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &schemaKYCRequirement}, Required: true},
	{Name: "reviewedAt", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "status", Schema: &schemaKYCStatus, Required: true},
	{Name: "submittedAt", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "updatedAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "verificationUrl", Schema: &Schema{Kind: String, Nullable: true, Format: "uri", MaxLength: 500}, Required: true},
}}

var schemaKYCAnswer = Schema{Kind: Object, Members: []Member{
	{Name: "contentType", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "document", Schema: &Schema{Kind: String, Format: "byte", MaxLength: 700000}},
	{Name: "name", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, Required: true},
	{Name: "value", Schema: &Schema{Kind: String, MaxLength: 1000}},
}}

var schemaKYCReason = Schema{Kind: Object, Members: []Member{
	{Name: "code", Schema: &Schema{Kind: String, MaxLength: 200}, Required: true},
	{Name: "field", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z_.]+$", MaxLength: 100}},
	{Name: "message", Schema: &Schema{Kind: String, MaxLength: 500}, Required: true},
}}

var schemaKYCRequirement = Schema{Kind: Object, Members: []Member{
	{Name: "deadline", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}},
	{Name: "name", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z_]+$", MaxLength: 100}, Required: true},
	{Name: "status", Schema: &Schema{Kind: String, Enum: []string{"open", "submitted", "accepted", "rejected"}}, Required: true},
}}

var schemaKYCStatus = Schema{Kind: String, Enum: []string{"not_started", "incomplete", "pending", "under_review", "resubmission_required", "approved", "rejected", "expired", "paused", "offboarded"}}

var schemaKYCSubmission = Schema{Kind: Object, Members: []Member{
	{Name: "requirements", Schema: &Schema{Kind: Array, MinItems: 1, MaxItems: 50, Items: &schemaKYCAnswer}, Required: true},
}}

var schemaLabel = Schema{Kind: String, MinLength: 1, MaxLength: 100}

var schemaMetadata = Schema{Kind: Object, MaxProperties: 50, MaxNameLength: 100, Values: &Schema{Kind: String, MaxLength: 500}}

var schemaMetadataPatch = Schema{Kind: Object, Nullable: true, MaxProperties: 100, MaxNameLength: 100, Values: &Schema{Kind: String, Nullable: true, MaxLength: 500}}

var schemaNewAccount = Schema{Kind: Object, Members: []Member{
	{Name: "address", Schema: &schemaAddress},
	{Name: "birthDate", Schema: &Schema{Kind: String, Format: "date"}},
	{Name: "country", Schema: &schemaCountry, Required: true},
	{Name: "email", Schema: &Schema{Kind: String, Format: "email", MaxLength: 254}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "firstName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "lastName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}, RequiredWhen: &Condition{Member: "type", Value: "individual"}},
	{Name: "legalName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, RequiredWhen: &Condition{Member: "type", Value: "business"}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "phoneNumber", Schema: &Schema{Kind: String, Pattern: "^\\+[1-9][0-9 ()./-]{6,30}$", MaxLength: 32}},
	{Name: "registrationNumber", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 50}},
	{Name: "taxId", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 50}},
	{Name: "type", Schema: &schemaAccountType, Required: true},
}}

var schemaNewAutoTransfer = Schema{Kind: Object, Members: []Member{
	{Name: "amount", Schema: &schemaAmount},
	{Name: "amountType", Schema: &schemaAmountType},
	{Name: "batchId", Schema: &schemaClientReference},
	{Name: "destinationSavedContactId", Schema: &schemaIdentifier, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "reference", Schema: &schemaClientReference},
	{Name: "route", Schema: &schemaRouteReference, Required: true},
}}

var schemaNewSavedContact = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "accountNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "holderName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "holderType", Schema: &schemaAccountType, Required: true},
	{Name: "iban", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "label", Schema: &schemaLabel, Required: true},
	{Name: "memo", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "pixKey", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Kind: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Kind: String, MaxLength: 42}},
}}

var schemaNextCursor = Schema{Kind: String, Nullable: true, Pattern: "^[!-~]+$", MinLength: 1, MaxLength: 256}

var schemaNullableAmount = Schema{Kind: String, Nullable: true, Pattern: "^(0|[1-9][0-9]{0,17})(\\.[0-9]{1,18})?$", MaxLength: 37}

var schemaOnchainTransaction = Schema{Kind: Object, Members: []Member{
	{Name: "createdAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "hash", Schema: &Schema{Kind: String, Pattern: "^[0-9A-Za-z]+$", MaxLength: 128}, Required: true},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "side", Schema: &Schema{Kind: String, Enum: []string{"source", "destination", "refund"}}, Required: true},
}}

var schemaPaymentRail = Schema{Kind: String, Pattern: "^[A-Za-z0-9_]+$", MinLength: 1, MaxLength: 40}

var schemaProblem = Schema{Kind: Object, Members: []Member{
	{Name: "detail", Schema: &Schema{Kind: String, MaxLength: 1000}},
	{Name: "errors", Schema: &Schema{Kind: Object, MaxProperties: 2000, Values: &Schema{Kind: Array, MaxItems: 100, Items: &Schema{Kind: String, MaxLength: 2000}}}},
	{Name: "instance", Schema: &Schema{Kind: String, Format: "uri-reference", MaxLength: 32768}},
	{Name: "requestId", Schema: &schemaIdentifier},
	{Name: "status", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 400, Maximum: 599}, Required: true},
	{Name: "title", Schema: &Schema{Kind: String, MaxLength: 100}, Required: true},
	{Name: "traceId", Schema: &Schema{Kind: String, Pattern: "^[0-9a-f]{32}$", MaxLength: 32}},
	{Name: "transferId", Schema: &schemaIdentifier},
	{Name: "type", Schema: &Schema{Kind: String, Format: "uri-reference", MaxLength: 512}, Required: true},
}}

var schemaProvider = Schema{Kind: String, Pattern: "^[A-Za-z0-9_]+$", MinLength: 1, MaxLength: 40}

var schemaRefund = Schema{Kind: Object, Nullable: true, Members: []Member{
	{Name: "amount", Schema: &schemaAmount, Required: true},
	{Name: "completedAt", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "reason", Schema: &Schema{Kind: String, MaxLength: 100}, Required: true},
}}

var schemaRouteEndpoint = Schema{Kind: Object, Nullable: true, Members: []Member{
	{Name: "currency", Schema: &Schema{Kind: String, MaxLength: 12}},
	{Name: "paymentRail", Schema: &Schema{Kind: String, MaxLength: 40}},
	{Name: "provider", Schema: &Schema{Kind: String, MaxLength: 40}},
}}

var schemaRouteKey = Schema{Kind: String, Pattern: "^[^:>\\s]+:[^:>\\s]+->[^:>\\s]+:[^:>\\s]+$", MinLength: 1, MaxLength: 128}

var schemaRouteReference = Schema{OneOf: []*Schema{&schemaRouteKey, &schemaTransferRoute}}

var schemaRouteSelection = Schema{Kind: Object, Members: []Member{
	{Name: "selectedDestination", Schema: &schemaRouteEndpoint},
	{Name: "selectedSource", Schema: &schemaRouteEndpoint},
}}

var schemaSandboxAdvance = Schema{Kind: Object, Members: []Member{
	{Name: "duration", Schema: &schemaDuration, Required: true},
}}

var schemaSandboxClock = Schema{Kind: Object, Members: []Member{
	{Name: "mode", Schema: &schemaClockMode, Required: true},
	{Name: "now", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "scale", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 1000000}, Required: true},
}}

var schemaSandboxClockSettings = Schema{Kind: Object, Members: []Member{
	{Name: "mode", Schema: &schemaClockMode, Required: true},
	{Name: "now", Schema: &Schema{Kind: String, Format: "date-time"}},
	{Name: "scale", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 1000000}, RequiredWhen: &Condition{Member: "mode", Value: "scaled"}},
}}

var schemaSandboxDeposit = Schema{Kind: Object, Members: []Member{
	{Name: "amount", Schema: &schemaAmount, Required: true},
}}

var schemaSandboxFault = Schema{Kind: Object, Members: []Member{
	{Name: "action", Schema: &schemaSandboxFaultAction, Required: true},
	{Name: "delay", Schema: &schemaDuration},
	{Name: "operation", Schema: &Schema{Kind: String, Pattern: "^(\\*|[A-Za-z]+)$", MinLength: 1, MaxLength: 64}, Required: true},
	{Name: "percent", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 100}},
	{Name: "retryAfter", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "status", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 400, Maximum: 599}},
	{Name: "times", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 1000000}},
}}

var schemaSandboxFaultAction = Schema{Kind: String, Enum: []string{"delay", "status", "reset", "expired_token", "drop", "truncate", "malformed"}}

var schemaSandboxFaults = Schema{Kind: Object, Members: []Member{
	{Name: "faults", Schema: &Schema{Kind: Array, MaxItems: 100, Items: &schemaSandboxFault}, Required: true},
}}

var schemaSandboxKYC = Schema{Kind: Object, Members: []Member{
	{Name: "reasons", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &Schema{Kind: String, MinLength: 1, MaxLength: 200}}},
	{Name: "status", Schema: &schemaKYCStatus, Required: true},
}}

var schemaSandboxPage = Schema{Kind: Object, Members: []Member{
	{Name: "clientId", Schema: &Schema{Kind: String, MaxLength: 255}, Required: true},
	{Name: "url", Schema: &Schema{Kind: String, Pattern: "^https?://", Format: "uri", MaxLength: 1000}, Required: true},
}}

var schemaSandboxPages = Schema{Kind: Object, Members: []Member{
	{Name: "pages", Schema: &Schema{Kind: Array, MaxItems: 10000, Items: &schemaSandboxPage}, Required: true},
}}

var schemaSandboxRequest = Schema{Kind: Object, Members: []Member{
	{Name: "durationMs", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 9007199254740991}, Required: true},
	{Name: "fault", Schema: &Schema{Kind: String, Pattern: "^[!-~µ]+$", MaxLength: 256}},
	{Name: "idempotencyKeyHash", Schema: &Schema{Kind: String, Pattern: "^[0-9a-f]{64}$", MaxLength: 64}},
	{Name: "method", Schema: &Schema{Kind: String, Pattern: "^[A-Z]+$", MaxLength: 16}, Required: true},
	{Name: "number", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 9007199254740991}, Required: true},
	{Name: "operation", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z]+$", MaxLength: 64}, Required: true},
	{Name: "path", Schema: &Schema{Kind: String, Pattern: "^/", MaxLength: 256}, Required: true},
	{Name: "query", Schema: &Schema{Kind: String, Pattern: "^[!-~]+$", MaxLength: 8192}},
	{Name: "requestBody", Schema: &Schema{Kind: String, MaxLength: 8192}},
	{Name: "requestId", Schema: &schemaIdentifier},
	{Name: "responseBody", Schema: &Schema{Kind: String, MaxLength: 8192}},
	{Name: "status", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 599}, Required: true},
	{Name: "time", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
}}

var schemaSandboxRequestPage = Schema{Kind: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Kind: Array, MaxItems: 100, Items: &schemaSandboxRequest}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true},
}}

var schemaSandboxSnapshot = Schema{Kind: Object, Members: []Member{
	{Name: "checksum", Schema: &Schema{Kind: String, Pattern: "^[0-9a-f]{64}$", MinLength: 64, MaxLength: 64}, Required: true},
	{Name: "instance", Schema: &schemaIdentifier, Required: true},
	{Name: "takenAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "version", Schema: &Schema{Kind: String, Enum: []string{"1"}}, Required: true},
	{Name: "world", Schema: &Schema{Kind: Object}, Required: true},
}}

var schemaSandboxTransferState = Schema{Kind: Object, Members: []Member{
	{Name: "reason", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 100}},
	{Name: "state", Schema: &schemaTransferState, Required: true},
}}

var schemaSandboxWorld = Schema{Kind: Object, Members: []Member{
	{Name: "instance", Schema: &schemaIdentifier, Required: true},
}}

var schemaSavedContact = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "accountNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "createdAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "holderName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "holderType", Schema: &schemaAccountType, Required: true},
	{Name: "iban", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "label", Schema: &schemaLabel, Required: true},
	{Name: "memo", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "pixKey", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Kind: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Kind: String, MaxLength: 42}},
}}

var schemaSavedContactDetails = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "accountNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "holderName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}, Required: true},
	{Name: "holderType", Schema: &schemaAccountType, Required: true},
	{Name: "iban", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "label", Schema: &schemaLabel, Required: true},
	{Name: "memo", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "pixKey", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Kind: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Kind: String, MaxLength: 42}},
}}

var schemaSavedContactPage = Schema{Kind: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Kind: Array, MaxItems: 100, Items: &schemaSavedContact}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true},
}}

var schemaSavedContactPatch = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier},
	{Name: "accountNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "address", Schema: &Schema{Kind: String, MaxLength: 128}},
	{Name: "bic", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "clabe", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "createdAt", Schema: &Schema{Kind: String, Format: "date-time"}},
	{Name: "currency", Schema: &schemaCurrency},
	{Name: "externalId", Schema: &Schema{Kind: String, Nullable: true, MinLength: 1, MaxLength: 128}},
	{Name: "holderName", Schema: &Schema{Kind: String, MinLength: 1, MaxLength: 200}},
	{Name: "holderType", Schema: &Schema{Kind: String, Pattern: "^[a-z_]+$", MaxLength: 64}},
	{Name: "iban", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "id", Schema: &schemaIdentifier},
	{Name: "label", Schema: &schemaLabel},
	{Name: "memo", Schema: &Schema{Kind: String, MaxLength: 64}},
	{Name: "metadata", Schema: &schemaMetadataPatch},
	{Name: "paymentRail", Schema: &schemaPaymentRail},
	{Name: "pixKey", Schema: &Schema{Kind: String, MaxLength: 100}},
	{Name: "pixKeyType", Schema: &Schema{Kind: String, Enum: []string{"cpf", "cnpj", "email", "phone", "evp"}}},
	{Name: "routingNumber", Schema: &Schema{Kind: String, MaxLength: 42}},
	{Name: "sortCode", Schema: &Schema{Kind: String, MaxLength: 42}},
}}

var schemaTransactionInfo = Schema{Kind: Object, Members: []Member{
	{Name: "estimatedSettlementSeconds", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 0, Maximum: 63072000}, Required: true},
	{Name: "exchangeRate", Schema: &schemaAmount, Required: true},
	{Name: "fees", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &schemaFee}, Required: true},
	{Name: "kycRequired", Schema: &Schema{Kind: Boolean}, Required: true},
	{Name: "maxAmount", Schema: &schemaAmount, Required: true},
	{Name: "minAmount", Schema: &schemaAmount, Required: true},
	{Name: "routeKey", Schema: &schemaRouteKey, Required: true},
}}

var schemaTransfer = Schema{Kind: Object, Members: []Member{
	{Name: "accountId", Schema: &schemaIdentifier, Required: true},
	{Name: "amount", Schema: &schemaNullableAmount, Required: true},
	{Name: "amountType", Schema: &schemaAmountType, Required: true},
	{Name: "batchId", Schema: &schemaClientReference},
	{Name: "convertedAmount", Schema: &schemaNullableAmount, Required: true},
	{Name: "createdAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
	{Name: "depositInstructions", Schema: &schemaDepositInstructions, Required: true},
	{Name: "destination", Schema: &schemaTransferSide, Required: true},
	{Name: "destinationSavedContactId", Schema: &schemaIdentifier, Required: true},
	{Name: "exchangeRate", Schema: &schemaAmount, Required: true},
	{Name: "expectedSettlementAt", Schema: &Schema{Kind: String, Nullable: true, Format: "date-time"}, Required: true},
	{Name: "externalId", Schema: &schemaClientReference},
	{Name: "failureReason", Schema: &Schema{Kind: String, Nullable: true, MaxLength: 100}, Required: true},
	{Name: "fees", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &schemaFee}, Required: true},
	{Name: "flexible", Schema: &Schema{Kind: Boolean}, Required: true},
	{Name: "flowType", Schema: &schemaFlowType, Required: true},
	{Name: "id", Schema: &schemaIdentifier, Required: true},
	{Name: "metadata", Schema: &schemaMetadata},
	{Name: "onchainTransactions", Schema: &Schema{Kind: Array, MaxItems: 20, Items: &schemaOnchainTransaction}, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true},
	{Name: "reference", Schema: &schemaClientReference},
	{Name: "refund", Schema: &schemaRefund, Required: true},
	{Name: "returnCode", Schema: &Schema{Kind: String, Nullable: true, MaxLength: 100}, Required: true},
	{Name: "roundingResidue", Schema: &schemaNullableAmount, Required: true},
	{Name: "route", Schema: &schemaRouteKey, Required: true},
	{Name: "source", Schema: &schemaTransferSide, Required: true},
	{Name: "state", Schema: &schemaTransferState, Required: true},
	{Name: "updatedAt", Schema: &Schema{Kind: String, Format: "date-time"}, Required: true},
}}

var schemaTransferInfo = Schema{Kind: Object, Members: []Member{
	{Name: "availableDestinations", Schema: &Schema{Kind: Array, MaxItems: 256, Items: &schemaAvailableEndpoint}, Required: true},
	{Name: "availableSources", Schema: &Schema{Kind: Array, MaxItems: 256, Items: &schemaAvailableEndpoint}, Required: true},
	{Name: "routes", Schema: &Schema{Kind: Array, MaxItems: 20000, Items: &schemaTransferRoute}, Required: true},
	{Name: "selectedDestination", Schema: &schemaRouteEndpoint, Required: true},
	{Name: "selectedSource", Schema: &schemaRouteEndpoint, Required: true},
	{Name: "transactionsInfo", Schema: &Schema{Kind: Array, MaxItems: 20000, Items: &schemaTransactionInfo}, Required: true},
}}

var schemaTransferPage = Schema{Kind: Object, Members: []Member{
	{Name: "data", Schema: &Schema{Kind: Array, MaxItems: 100, Items: &schemaTransfer}, Required: true},
	{Name: "nextCursor", Schema: &schemaNextCursor, Required: true},
}}

var schemaTransferRoute = Schema{Kind: Object, Members: []Member{
	{Name: "flowType", Schema: &schemaFlowType, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true},
	{Name: "routeKey", Schema: &schemaRouteKey, Required: true},
}}

var schemaTransferSide = Schema{Kind: Object, Members: []Member{
	{Name: "amount", Schema: &schemaNullableAmount, Required: true},
	{Name: "currency", Schema: &schemaCurrency, Required: true},
	{Name: "paymentRail", Schema: &schemaPaymentRail, Required: true},
	{Name: "provider", Schema: &schemaProvider, Required: true},
}}

var schemaTransferState = Schema{Kind: String, Enum: []string{"awaiting_funds", "in_review", "funds_received", "payment_submitted", "payment_processed", "undeliverable", "returned", "refunded", "canceled", "expired", "failed"}}

var responseBadRequest = Response{Headers: []Member{
	{Name: "Www-Authenticate", Schema: &Schema{Kind: String, Pattern: "^(Basic|Bearer) ", MaxLength: 500}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseConflict = Response{Headers: []Member{
	{Name: "Retry-After", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseContentTooLarge = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseForbidden = Response{Headers: []Member{
	{Name: "Www-Authenticate", Schema: &Schema{Kind: String, Pattern: "^(Basic|Bearer) ", MaxLength: 500}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseGone = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseInternalError = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseNotAcceptable = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseNotFound = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responsePreconditionFailed = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseProblem = Response{Headers: []Member{
	{Name: "Allow", Schema: &Schema{Kind: String, Pattern: "^[A-Z]+(, [A-Z]+)*$", MaxLength: 100}},
	{Name: "Retry-After", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseRateLimited = Response{Headers: []Member{
	{Name: "Retry-After", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseUnauthorized = Response{Headers: []Member{
	{Name: "Www-Authenticate", Schema: &Schema{Kind: String, Pattern: "^(Basic|Bearer) ", MaxLength: 500}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseUnavailable = Response{Headers: []Member{
	{Name: "Retry-After", Schema: &Schema{Kind: Integer, Bounded: true, Minimum: 1, Maximum: 86400}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseUnprocessable = Response{Headers: []Member{
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}

var responseUnsupportedMediaType = Response{Headers: []Member{
	{Name: "Accept", Schema: &Schema{Kind: String, Pattern: "^[!-~]+(, [!-~]+)*$", MaxLength: 200}},
	{Name: "Accept-Encoding", Schema: &Schema{Kind: String, Enum: []string{"identity"}}},
	{Name: "Accept-Patch", Schema: &Schema{Kind: String, Pattern: "^[!-~]+(, [!-~]+)*$", MaxLength: 200}},
	{Name: "X-Request-Id", Schema: &Schema{Kind: String, Pattern: "^[A-Za-z0-9_-]+$", MinLength: 1, MaxLength: 64}, Required: true},
}, Content: []Media{
	{"application/problem+json", &schemaProblem},
}}
