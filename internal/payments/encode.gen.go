// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.

package payments

// AppendJSON appends the JSON of a AccessToken.
func (v AccessToken) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"access_token":`...)
	b = appendString(b, v.AccessToken)
	if v.TokenType != "" {
		b = append(b, `,"token_type":`...)
		b = appendString(b, v.TokenType)
	}
	if v.ExpiresIn != 0 {
		b = append(b, `,"expires_in":`...)
		b = appendInt(b, v.ExpiresIn)
	}
	if v.Scope != "" {
		b = append(b, `,"scope":`...)
		b = appendString(b, v.Scope)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a AccessTokenDescription.
func (v AccessTokenDescription) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"clientId":`...)
	b = appendString(b, v.ClientID)
	b = append(b, `,"scope":`...)
	b = appendString(b, v.Scope)
	b = append(b, `,"issuedAt":`...)
	b = appendTime(b, v.IssuedAt)
	b = append(b, `,"expiresAt":`...)
	b = appendTime(b, v.ExpiresAt)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a AccessTokenRequest.
func (v AccessTokenRequest) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.GrantType != "" {
		b = append(b, `,"grant_type":`...)
		b = appendString(b, string(v.GrantType))
	}
	if v.Scope != "" {
		b = append(b, `,"scope":`...)
		b = appendString(b, v.Scope)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Account.
func (v Account) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"id":`...)
	b = appendString(b, v.ID)
	b = append(b, `,"kycStatus":`...)
	b = appendString(b, string(v.KYCStatus))
	b = append(b, `,"type":`...)
	b = appendString(b, string(v.Type))
	if v.FirstName != "" {
		b = append(b, `,"firstName":`...)
		b = appendString(b, v.FirstName)
	}
	if v.LastName != "" {
		b = append(b, `,"lastName":`...)
		b = appendString(b, v.LastName)
	}
	if v.LegalName != "" {
		b = append(b, `,"legalName":`...)
		b = appendString(b, v.LegalName)
	}
	if v.RegistrationNumber != "" {
		b = append(b, `,"registrationNumber":`...)
		b = appendString(b, v.RegistrationNumber)
	}
	b = append(b, `,"email":`...)
	b = appendString(b, v.Email)
	b = append(b, `,"country":`...)
	b = appendString(b, v.Country)
	if v.ExternalID != "" {
		b = append(b, `,"externalId":`...)
		b = appendString(b, v.ExternalID)
	}
	if v.BirthDate != "" {
		b = append(b, `,"birthDate":`...)
		b = appendString(b, v.BirthDate)
	}
	if v.PhoneNumber != "" {
		b = append(b, `,"phoneNumber":`...)
		b = appendString(b, v.PhoneNumber)
	}
	if v.Address != nil {
		b = append(b, `,"address":`...)
		b = v.Address.AppendJSON(b)
	}
	if v.TaxID != "" {
		b = append(b, `,"taxId":`...)
		b = appendString(b, v.TaxID)
	}
	if len(v.Metadata) > 0 {
		b = append(b, `,"metadata":`...)
		b = appendMap(b, v.Metadata)
	}
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, v.CreatedAt)
	b = append(b, `,"updatedAt":`...)
	b = appendTime(b, v.UpdatedAt)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a AccountDetails.
func (v AccountDetails) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"type":`...)
	b = appendString(b, string(v.Type))
	if v.FirstName != "" {
		b = append(b, `,"firstName":`...)
		b = appendString(b, v.FirstName)
	}
	if v.LastName != "" {
		b = append(b, `,"lastName":`...)
		b = appendString(b, v.LastName)
	}
	if v.LegalName != "" {
		b = append(b, `,"legalName":`...)
		b = appendString(b, v.LegalName)
	}
	if v.RegistrationNumber != "" {
		b = append(b, `,"registrationNumber":`...)
		b = appendString(b, v.RegistrationNumber)
	}
	b = append(b, `,"email":`...)
	b = appendString(b, v.Email)
	b = append(b, `,"country":`...)
	b = appendString(b, v.Country)
	if v.ExternalID != "" {
		b = append(b, `,"externalId":`...)
		b = appendString(b, v.ExternalID)
	}
	if v.BirthDate != "" {
		b = append(b, `,"birthDate":`...)
		b = appendString(b, v.BirthDate)
	}
	if v.PhoneNumber != "" {
		b = append(b, `,"phoneNumber":`...)
		b = appendString(b, v.PhoneNumber)
	}
	if v.Address != nil {
		b = append(b, `,"address":`...)
		b = v.Address.AppendJSON(b)
	}
	if v.TaxID != "" {
		b = append(b, `,"taxId":`...)
		b = appendString(b, v.TaxID)
	}
	if len(v.Metadata) > 0 {
		b = append(b, `,"metadata":`...)
		b = appendMap(b, v.Metadata)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a AccountPage.
func (v AccountPage) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"data":`...)
	b = appendAccounts(b, v.Data)
	if v.NextCursor != nil {
		b = append(b, `,"nextCursor":`...)
		b = appendString(b, *v.NextCursor)
	} else {
		b = append(b, `,"nextCursor":null`...)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Address.
func (v Address) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"line1":`...)
	b = appendString(b, v.Line1)
	if v.Line2 != "" {
		b = append(b, `,"line2":`...)
		b = appendString(b, v.Line2)
	}
	b = append(b, `,"city":`...)
	b = appendString(b, v.City)
	if v.Region != "" {
		b = append(b, `,"region":`...)
		b = appendString(b, v.Region)
	}
	if v.PostalCode != "" {
		b = append(b, `,"postalCode":`...)
		b = appendString(b, v.PostalCode)
	}
	b = append(b, `,"country":`...)
	b = appendString(b, v.Country)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a AvailableEndpoint.
func (v AvailableEndpoint) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	b = append(b, `,"paymentRail":`...)
	b = appendString(b, v.PaymentRail)
	b = append(b, `,"provider":`...)
	b = appendString(b, v.Provider)
	b = append(b, `,"minAmount":`...)
	b = appendAmount(b, v.MinAmount)
	b = append(b, `,"maxAmount":`...)
	b = appendAmount(b, v.MaxAmount)
	b = append(b, `,"decimals":`...)
	b = appendInt(b, v.Decimals)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Coordinates.
func (v Coordinates) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.IBAN != "" {
		b = append(b, `,"iban":`...)
		b = appendString(b, v.IBAN)
	}
	if v.BIC != "" {
		b = append(b, `,"bic":`...)
		b = appendString(b, v.BIC)
	}
	if v.RoutingNumber != "" {
		b = append(b, `,"routingNumber":`...)
		b = appendString(b, v.RoutingNumber)
	}
	if v.AccountNumber != "" {
		b = append(b, `,"accountNumber":`...)
		b = appendString(b, v.AccountNumber)
	}
	if v.SortCode != "" {
		b = append(b, `,"sortCode":`...)
		b = appendString(b, v.SortCode)
	}
	if v.CLABE != "" {
		b = append(b, `,"clabe":`...)
		b = appendString(b, v.CLABE)
	}
	if v.PIXKey != "" {
		b = append(b, `,"pixKey":`...)
		b = appendString(b, v.PIXKey)
	}
	if v.PIXKeyType != "" {
		b = append(b, `,"pixKeyType":`...)
		b = appendString(b, v.PIXKeyType)
	}
	if v.Address != "" {
		b = append(b, `,"address":`...)
		b = appendString(b, v.Address)
	}
	if v.Memo != "" {
		b = append(b, `,"memo":`...)
		b = appendString(b, v.Memo)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a DepositInstructions.
func (v DepositInstructions) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"paymentRail":`...)
	b = appendString(b, v.PaymentRail)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	if v.Amount != nil {
		b = append(b, `,"amount":`...)
		b = appendAmount(b, *v.Amount)
	} else {
		b = append(b, `,"amount":null`...)
	}
	if v.BeneficiaryName != "" {
		b = append(b, `,"beneficiaryName":`...)
		b = appendString(b, v.BeneficiaryName)
	}
	if v.BankName != "" {
		b = append(b, `,"bankName":`...)
		b = appendString(b, v.BankName)
	}
	if v.PaymentReference != "" {
		b = append(b, `,"paymentReference":`...)
		b = appendString(b, v.PaymentReference)
	}
	if v.IBAN != "" {
		b = append(b, `,"iban":`...)
		b = appendString(b, v.IBAN)
	}
	if v.BIC != "" {
		b = append(b, `,"bic":`...)
		b = appendString(b, v.BIC)
	}
	if v.RoutingNumber != "" {
		b = append(b, `,"routingNumber":`...)
		b = appendString(b, v.RoutingNumber)
	}
	if v.AccountNumber != "" {
		b = append(b, `,"accountNumber":`...)
		b = appendString(b, v.AccountNumber)
	}
	if v.SortCode != "" {
		b = append(b, `,"sortCode":`...)
		b = appendString(b, v.SortCode)
	}
	if v.CLABE != "" {
		b = append(b, `,"clabe":`...)
		b = appendString(b, v.CLABE)
	}
	if v.PIXKey != "" {
		b = append(b, `,"pixKey":`...)
		b = appendString(b, v.PIXKey)
	}
	if v.PIXKeyType != "" {
		b = append(b, `,"pixKeyType":`...)
		b = appendString(b, v.PIXKeyType)
	}
	if v.Address != "" {
		b = append(b, `,"address":`...)
		b = appendString(b, v.Address)
	}
	if v.Memo != "" {
		b = append(b, `,"memo":`...)
		b = appendString(b, v.Memo)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Event.
func (v Event) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"id":`...)
	b = appendString(b, v.ID)
	b = append(b, `,"type":`...)
	b = appendString(b, string(v.Type))
	b = append(b, `,"occurredAt":`...)
	b = appendTime(b, v.OccurredAt)
	b = append(b, `,"subjectId":`...)
	b = appendString(b, v.SubjectID)
	if v.From != nil {
		b = append(b, `,"from":`...)
		b = appendString(b, *v.From)
	} else {
		b = append(b, `,"from":null`...)
	}
	if v.To != nil {
		b = append(b, `,"to":`...)
		b = appendString(b, *v.To)
	} else {
		b = append(b, `,"to":null`...)
	}
	b = append(b, `,"data":`...)
	b = v.Data.AppendJSON(b)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a EventData.
func (v EventData) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.AccountID != "" {
		b = append(b, `,"accountId":`...)
		b = appendString(b, v.AccountID)
	}
	if v.ExternalID != "" {
		b = append(b, `,"externalId":`...)
		b = appendString(b, v.ExternalID)
	}
	if v.Label != "" {
		b = append(b, `,"label":`...)
		b = appendString(b, v.Label)
	}
	if v.Attempt != 0 {
		b = append(b, `,"attempt":`...)
		b = appendInt(b, v.Attempt)
	}
	if len(v.Reasons) > 0 {
		b = append(b, `,"reasons":`...)
		b = appendKYCReasons(b, v.Reasons)
	}
	if v.RejectType != "" {
		b = append(b, `,"rejectType":`...)
		b = appendString(b, v.RejectType)
	}
	if v.Reference != "" {
		b = append(b, `,"reference":`...)
		b = appendString(b, v.Reference)
	}
	if v.BatchID != "" {
		b = append(b, `,"batchId":`...)
		b = appendString(b, v.BatchID)
	}
	if v.DestinationSavedContactID != "" {
		b = append(b, `,"destinationSavedContactId":`...)
		b = appendString(b, v.DestinationSavedContactID)
	}
	if v.Route != "" {
		b = append(b, `,"route":`...)
		b = appendString(b, v.Route)
	}
	if v.ExpectedSettlementAt != nil && !v.ExpectedSettlementAt.IsZero() {
		b = append(b, `,"expectedSettlementAt":`...)
		b = appendTime(b, *v.ExpectedSettlementAt)
	}
	if v.Source != nil {
		b = append(b, `,"source":`...)
		b = v.Source.AppendJSON(b)
	}
	if v.Destination != nil {
		b = append(b, `,"destination":`...)
		b = v.Destination.AppendJSON(b)
	}
	if v.FailureReason != "" {
		b = append(b, `,"failureReason":`...)
		b = appendString(b, v.FailureReason)
	}
	if v.ReturnCode != "" {
		b = append(b, `,"returnCode":`...)
		b = appendString(b, v.ReturnCode)
	}
	if v.Refund != nil {
		b = append(b, `,"refund":`...)
		b = v.Refund.AppendJSON(b)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a EventPage.
func (v EventPage) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"data":`...)
	b = appendEvents(b, v.Data)
	b = append(b, `,"cursor":`...)
	b = appendString(b, v.Cursor)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Fee.
func (v Fee) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"type":`...)
	b = appendString(b, v.Type)
	b = append(b, `,"side":`...)
	b = appendString(b, v.Side)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	if v.Amount != nil {
		b = append(b, `,"amount":`...)
		b = appendAmount(b, *v.Amount)
	}
	if v.Rate != nil {
		b = append(b, `,"rate":`...)
		b = appendAmount(b, *v.Rate)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Health.
func (v Health) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"status":`...)
	b = appendString(b, v.Status)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a KYC.
func (v KYC) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"accountId":`...)
	b = appendString(b, v.AccountID)
	b = append(b, `,"status":`...)
	b = appendString(b, string(v.Status))
	b = append(b, `,"level":`...)
	b = appendString(b, v.Level)
	b = append(b, `,"attempt":`...)
	b = appendInt(b, v.Attempt)
	if v.RejectType != nil {
		b = append(b, `,"rejectType":`...)
		b = appendString(b, *v.RejectType)
	} else {
		b = append(b, `,"rejectType":null`...)
	}
	b = append(b, `,"reasons":`...)
	b = appendKYCReasons(b, v.Reasons)
	b = append(b, `,"requirements":`...)
	b = appendKYCRequirements(b, v.Requirements)
	if v.VerificationURL != nil {
		b = append(b, `,"verificationUrl":`...)
		b = appendString(b, *v.VerificationURL)
	} else {
		b = append(b, `,"verificationUrl":null`...)
	}
	if v.SubmittedAt != nil {
		b = append(b, `,"submittedAt":`...)
		b = appendTime(b, *v.SubmittedAt)
	} else {
		b = append(b, `,"submittedAt":null`...)
	}
	if v.ReviewedAt != nil {
		b = append(b, `,"reviewedAt":`...)
		b = appendTime(b, *v.ReviewedAt)
	} else {
		b = append(b, `,"reviewedAt":null`...)
	}
	if v.ExpiresAt != nil {
		b = append(b, `,"expiresAt":`...)
		b = appendTime(b, *v.ExpiresAt)
	} else {
		b = append(b, `,"expiresAt":null`...)
	}
	b = append(b, `,"updatedAt":`...)
	b = appendTime(b, v.UpdatedAt)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a KYCAnswer.
func (v KYCAnswer) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"name":`...)
	b = appendString(b, v.Name)
	if v.Value != "" {
		b = append(b, `,"value":`...)
		b = appendString(b, v.Value)
	}
	if v.Document != "" {
		b = append(b, `,"document":`...)
		b = appendString(b, v.Document)
	}
	if v.ContentType != "" {
		b = append(b, `,"contentType":`...)
		b = appendString(b, v.ContentType)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a KYCReason.
func (v KYCReason) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"code":`...)
	b = appendString(b, v.Code)
	b = append(b, `,"message":`...)
	b = appendString(b, v.Message)
	if v.Field != "" {
		b = append(b, `,"field":`...)
		b = appendString(b, v.Field)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a KYCRequirement.
func (v KYCRequirement) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"name":`...)
	b = appendString(b, v.Name)
	b = append(b, `,"status":`...)
	b = appendString(b, v.Status)
	if v.Deadline != nil && !v.Deadline.IsZero() {
		b = append(b, `,"deadline":`...)
		b = appendTime(b, *v.Deadline)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a KYCSubmission.
func (v KYCSubmission) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"requirements":`...)
	b = appendKYCAnswers(b, v.Requirements)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a OnchainTransaction.
func (v OnchainTransaction) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"side":`...)
	b = appendString(b, v.Side)
	b = append(b, `,"paymentRail":`...)
	b = appendString(b, v.PaymentRail)
	b = append(b, `,"hash":`...)
	b = appendString(b, v.Hash)
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, v.CreatedAt)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a ProblemType.
func (v ProblemType) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"type":`...)
	b = appendString(b, v.Type)
	b = append(b, `,"title":`...)
	b = appendString(b, v.Title)
	b = append(b, `,"status":`...)
	b = appendInt(b, v.Status)
	b = append(b, `,"explanation":`...)
	b = appendString(b, v.Explanation)
	b = append(b, `,"remedy":`...)
	b = appendString(b, v.Remedy)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Refund.
func (v Refund) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"amount":`...)
	b = appendAmount(b, v.Amount)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	b = append(b, `,"reason":`...)
	b = appendString(b, v.Reason)
	if v.CompletedAt != nil && !v.CompletedAt.IsZero() {
		b = append(b, `,"completedAt":`...)
		b = appendTime(b, *v.CompletedAt)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a RouteEndpoint.
func (v RouteEndpoint) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.Currency != nil {
		b = append(b, `,"currency":`...)
		b = appendString(b, *v.Currency)
	}
	if v.PaymentRail != nil {
		b = append(b, `,"paymentRail":`...)
		b = appendString(b, *v.PaymentRail)
	}
	if v.Provider != nil {
		b = append(b, `,"provider":`...)
		b = appendString(b, *v.Provider)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a RouteSelection.
func (v RouteSelection) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.SelectedSource != nil {
		b = append(b, `,"selectedSource":`...)
		b = v.SelectedSource.AppendJSON(b)
	}
	if v.SelectedDestination != nil {
		b = append(b, `,"selectedDestination":`...)
		b = v.SelectedDestination.AppendJSON(b)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxAdvance.
func (v SandboxAdvance) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"duration":`...)
	b = appendString(b, v.Duration)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxClock.
func (v SandboxClock) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"mode":`...)
	b = appendString(b, string(v.Mode))
	b = append(b, `,"now":`...)
	b = appendTime(b, v.Now)
	b = append(b, `,"scale":`...)
	b = appendInt(b, v.Scale)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxClockSettings.
func (v SandboxClockSettings) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"mode":`...)
	b = appendString(b, string(v.Mode))
	if v.Now != nil {
		b = append(b, `,"now":`...)
		b = appendTime(b, *v.Now)
	}
	if v.Scale != 0 {
		b = append(b, `,"scale":`...)
		b = appendInt(b, v.Scale)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxDeposit.
func (v SandboxDeposit) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"amount":`...)
	b = appendAmount(b, v.Amount)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxFault.
func (v SandboxFault) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"operation":`...)
	b = appendString(b, v.Operation)
	b = append(b, `,"action":`...)
	b = appendString(b, string(v.Action))
	if v.Status != 0 {
		b = append(b, `,"status":`...)
		b = appendInt(b, v.Status)
	}
	if v.RetryAfter != 0 {
		b = append(b, `,"retryAfter":`...)
		b = appendInt(b, v.RetryAfter)
	}
	if v.Delay != "" {
		b = append(b, `,"delay":`...)
		b = appendString(b, v.Delay)
	}
	if v.Times != 0 {
		b = append(b, `,"times":`...)
		b = appendInt(b, v.Times)
	}
	if v.Percent != 0 {
		b = append(b, `,"percent":`...)
		b = appendInt(b, v.Percent)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxFaults.
func (v SandboxFaults) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"faults":`...)
	b = appendSandboxFaults(b, v.Faults)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxKYC.
func (v SandboxKYC) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"status":`...)
	b = appendString(b, string(v.Status))
	if len(v.Reasons) > 0 {
		b = append(b, `,"reasons":`...)
		b = appendStrings(b, v.Reasons)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxRequest.
func (v SandboxRequest) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"number":`...)
	b = appendInt(b, v.Number)
	b = append(b, `,"time":`...)
	b = appendTime(b, v.Time)
	b = append(b, `,"method":`...)
	b = appendString(b, v.Method)
	b = append(b, `,"path":`...)
	b = appendString(b, v.Path)
	b = append(b, `,"operation":`...)
	b = appendString(b, v.Operation)
	b = append(b, `,"status":`...)
	b = appendInt(b, v.Status)
	b = append(b, `,"durationMs":`...)
	b = appendInt(b, v.DurationMs)
	if v.IdempotencyKeyHash != "" {
		b = append(b, `,"idempotencyKeyHash":`...)
		b = appendString(b, v.IdempotencyKeyHash)
	}
	if v.RequestID != "" {
		b = append(b, `,"requestId":`...)
		b = appendString(b, v.RequestID)
	}
	if v.Fault != "" {
		b = append(b, `,"fault":`...)
		b = appendString(b, v.Fault)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxRequestPage.
func (v SandboxRequestPage) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"data":`...)
	b = appendSandboxRequests(b, v.Data)
	if v.NextCursor != nil {
		b = append(b, `,"nextCursor":`...)
		b = appendString(b, *v.NextCursor)
	} else {
		b = append(b, `,"nextCursor":null`...)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxTransferState.
func (v SandboxTransferState) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"state":`...)
	b = appendString(b, string(v.State))
	if v.Reason != "" {
		b = append(b, `,"reason":`...)
		b = appendString(b, v.Reason)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SandboxWorld.
func (v SandboxWorld) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"instance":`...)
	b = appendString(b, v.Instance)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SavedContact.
func (v SavedContact) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"id":`...)
	b = appendString(b, v.ID)
	if v.AccountID != "" {
		b = append(b, `,"accountId":`...)
		b = appendString(b, v.AccountID)
	}
	b = append(b, `,"label":`...)
	b = appendString(b, v.Label)
	if v.ExternalID != "" {
		b = append(b, `,"externalId":`...)
		b = appendString(b, v.ExternalID)
	}
	b = append(b, `,"holderName":`...)
	b = appendString(b, v.HolderName)
	b = append(b, `,"holderType":`...)
	b = appendString(b, string(v.HolderType))
	b = append(b, `,"paymentRail":`...)
	b = appendString(b, v.PaymentRail)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	if v.IBAN != "" {
		b = append(b, `,"iban":`...)
		b = appendString(b, v.IBAN)
	}
	if v.BIC != "" {
		b = append(b, `,"bic":`...)
		b = appendString(b, v.BIC)
	}
	if v.RoutingNumber != "" {
		b = append(b, `,"routingNumber":`...)
		b = appendString(b, v.RoutingNumber)
	}
	if v.AccountNumber != "" {
		b = append(b, `,"accountNumber":`...)
		b = appendString(b, v.AccountNumber)
	}
	if v.SortCode != "" {
		b = append(b, `,"sortCode":`...)
		b = appendString(b, v.SortCode)
	}
	if v.CLABE != "" {
		b = append(b, `,"clabe":`...)
		b = appendString(b, v.CLABE)
	}
	if v.PIXKey != "" {
		b = append(b, `,"pixKey":`...)
		b = appendString(b, v.PIXKey)
	}
	if v.PIXKeyType != "" {
		b = append(b, `,"pixKeyType":`...)
		b = appendString(b, v.PIXKeyType)
	}
	if v.Address != "" {
		b = append(b, `,"address":`...)
		b = appendString(b, v.Address)
	}
	if v.Memo != "" {
		b = append(b, `,"memo":`...)
		b = appendString(b, v.Memo)
	}
	if len(v.Metadata) > 0 {
		b = append(b, `,"metadata":`...)
		b = appendMap(b, v.Metadata)
	}
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, v.CreatedAt)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SavedContactDetails.
func (v SavedContactDetails) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.AccountID != "" {
		b = append(b, `,"accountId":`...)
		b = appendString(b, v.AccountID)
	}
	b = append(b, `,"label":`...)
	b = appendString(b, v.Label)
	if v.ExternalID != "" {
		b = append(b, `,"externalId":`...)
		b = appendString(b, v.ExternalID)
	}
	b = append(b, `,"holderName":`...)
	b = appendString(b, v.HolderName)
	b = append(b, `,"holderType":`...)
	b = appendString(b, string(v.HolderType))
	b = append(b, `,"paymentRail":`...)
	b = appendString(b, v.PaymentRail)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	if v.IBAN != "" {
		b = append(b, `,"iban":`...)
		b = appendString(b, v.IBAN)
	}
	if v.BIC != "" {
		b = append(b, `,"bic":`...)
		b = appendString(b, v.BIC)
	}
	if v.RoutingNumber != "" {
		b = append(b, `,"routingNumber":`...)
		b = appendString(b, v.RoutingNumber)
	}
	if v.AccountNumber != "" {
		b = append(b, `,"accountNumber":`...)
		b = appendString(b, v.AccountNumber)
	}
	if v.SortCode != "" {
		b = append(b, `,"sortCode":`...)
		b = appendString(b, v.SortCode)
	}
	if v.CLABE != "" {
		b = append(b, `,"clabe":`...)
		b = appendString(b, v.CLABE)
	}
	if v.PIXKey != "" {
		b = append(b, `,"pixKey":`...)
		b = appendString(b, v.PIXKey)
	}
	if v.PIXKeyType != "" {
		b = append(b, `,"pixKeyType":`...)
		b = appendString(b, v.PIXKeyType)
	}
	if v.Address != "" {
		b = append(b, `,"address":`...)
		b = appendString(b, v.Address)
	}
	if v.Memo != "" {
		b = append(b, `,"memo":`...)
		b = appendString(b, v.Memo)
	}
	if len(v.Metadata) > 0 {
		b = append(b, `,"metadata":`...)
		b = appendMap(b, v.Metadata)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a SavedContactPage.
func (v SavedContactPage) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"data":`...)
	b = appendSavedContacts(b, v.Data)
	if v.NextCursor != nil {
		b = append(b, `,"nextCursor":`...)
		b = appendString(b, *v.NextCursor)
	} else {
		b = append(b, `,"nextCursor":null`...)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a TransactionInfo.
func (v TransactionInfo) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"routeKey":`...)
	b = appendString(b, v.RouteKey)
	b = append(b, `,"minAmount":`...)
	b = appendAmount(b, v.MinAmount)
	b = append(b, `,"maxAmount":`...)
	b = appendAmount(b, v.MaxAmount)
	b = append(b, `,"fees":`...)
	b = appendFees(b, v.Fees)
	b = append(b, `,"exchangeRate":`...)
	b = appendAmount(b, v.ExchangeRate)
	b = append(b, `,"estimatedSettlementSeconds":`...)
	b = appendInt(b, v.EstimatedSettlementSeconds)
	b = append(b, `,"kycRequired":`...)
	b = appendBool(b, v.KYCRequired)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a Transfer.
func (v Transfer) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"id":`...)
	b = appendString(b, v.ID)
	b = append(b, `,"accountId":`...)
	b = appendString(b, v.AccountID)
	b = append(b, `,"route":`...)
	b = appendString(b, v.Route)
	b = append(b, `,"flowType":`...)
	b = appendString(b, string(v.FlowType))
	b = append(b, `,"provider":`...)
	b = appendString(b, v.Provider)
	b = append(b, `,"source":`...)
	b = v.Source.AppendJSON(b)
	b = append(b, `,"destination":`...)
	b = v.Destination.AppendJSON(b)
	b = append(b, `,"destinationSavedContactId":`...)
	b = appendString(b, v.DestinationSavedContactID)
	if v.Amount != nil {
		b = append(b, `,"amount":`...)
		b = appendAmount(b, *v.Amount)
	} else {
		b = append(b, `,"amount":null`...)
	}
	b = append(b, `,"amountType":`...)
	b = appendString(b, string(v.AmountType))
	b = append(b, `,"flexible":`...)
	b = appendBool(b, v.Flexible)
	if v.ConvertedAmount != nil {
		b = append(b, `,"convertedAmount":`...)
		b = appendAmount(b, *v.ConvertedAmount)
	} else {
		b = append(b, `,"convertedAmount":null`...)
	}
	b = append(b, `,"exchangeRate":`...)
	b = appendAmount(b, v.ExchangeRate)
	b = append(b, `,"fees":`...)
	b = appendFees(b, v.Fees)
	if v.RoundingResidue != nil {
		b = append(b, `,"roundingResidue":`...)
		b = appendAmount(b, *v.RoundingResidue)
	} else {
		b = append(b, `,"roundingResidue":null`...)
	}
	b = append(b, `,"state":`...)
	b = appendString(b, string(v.State))
	if v.FailureReason != nil {
		b = append(b, `,"failureReason":`...)
		b = appendString(b, *v.FailureReason)
	} else {
		b = append(b, `,"failureReason":null`...)
	}
	if v.ReturnCode != nil {
		b = append(b, `,"returnCode":`...)
		b = appendString(b, *v.ReturnCode)
	} else {
		b = append(b, `,"returnCode":null`...)
	}
	if v.Refund != nil {
		b = append(b, `,"refund":`...)
		b = v.Refund.AppendJSON(b)
	} else {
		b = append(b, `,"refund":null`...)
	}
	if v.DepositInstructions != nil {
		b = append(b, `,"depositInstructions":`...)
		b = v.DepositInstructions.AppendJSON(b)
	} else {
		b = append(b, `,"depositInstructions":null`...)
	}
	b = append(b, `,"onchainTransactions":`...)
	b = appendOnchainTransactions(b, v.OnchainTransactions)
	if v.Reference != "" {
		b = append(b, `,"reference":`...)
		b = appendString(b, v.Reference)
	}
	if v.ExternalID != "" {
		b = append(b, `,"externalId":`...)
		b = appendString(b, v.ExternalID)
	}
	if v.BatchID != "" {
		b = append(b, `,"batchId":`...)
		b = appendString(b, v.BatchID)
	}
	if len(v.Metadata) > 0 {
		b = append(b, `,"metadata":`...)
		b = appendMap(b, v.Metadata)
	}
	if v.ExpectedSettlementAt != nil {
		b = append(b, `,"expectedSettlementAt":`...)
		b = appendTime(b, *v.ExpectedSettlementAt)
	} else {
		b = append(b, `,"expectedSettlementAt":null`...)
	}
	b = append(b, `,"createdAt":`...)
	b = appendTime(b, v.CreatedAt)
	b = append(b, `,"updatedAt":`...)
	b = appendTime(b, v.UpdatedAt)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a TransferInfo.
func (v TransferInfo) AppendJSON(b []byte) []byte {
	start := len(b)
	if v.SelectedSource != nil {
		b = append(b, `,"selectedSource":`...)
		b = v.SelectedSource.AppendJSON(b)
	} else {
		b = append(b, `,"selectedSource":null`...)
	}
	if v.SelectedDestination != nil {
		b = append(b, `,"selectedDestination":`...)
		b = v.SelectedDestination.AppendJSON(b)
	} else {
		b = append(b, `,"selectedDestination":null`...)
	}
	b = append(b, `,"availableSources":`...)
	b = appendAvailableEndpoints(b, v.AvailableSources)
	b = append(b, `,"availableDestinations":`...)
	b = appendAvailableEndpoints(b, v.AvailableDestinations)
	b = append(b, `,"routes":`...)
	b = appendTransferRoutes(b, v.Routes)
	b = append(b, `,"transactionsInfo":`...)
	b = appendTransactionInfos(b, v.TransactionsInfo)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a TransferPage.
func (v TransferPage) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"data":`...)
	b = appendTransfers(b, v.Data)
	if v.NextCursor != nil {
		b = append(b, `,"nextCursor":`...)
		b = appendString(b, *v.NextCursor)
	} else {
		b = append(b, `,"nextCursor":null`...)
	}
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a TransferRoute.
func (v TransferRoute) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"routeKey":`...)
	b = appendString(b, v.RouteKey)
	b = append(b, `,"flowType":`...)
	b = appendString(b, string(v.FlowType))
	b = append(b, `,"provider":`...)
	b = appendString(b, v.Provider)
	return closeObject(b, start)
}

// AppendJSON appends the JSON of a TransferSide.
func (v TransferSide) AppendJSON(b []byte) []byte {
	start := len(b)
	b = append(b, `,"currency":`...)
	b = appendString(b, v.Currency)
	b = append(b, `,"paymentRail":`...)
	b = appendString(b, v.PaymentRail)
	b = append(b, `,"provider":`...)
	b = appendString(b, v.Provider)
	if v.Amount != nil {
		b = append(b, `,"amount":`...)
		b = appendAmount(b, *v.Amount)
	} else {
		b = append(b, `,"amount":null`...)
	}
	return closeObject(b, start)
}

func appendAccounts(b []byte, list []Account) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendAvailableEndpoints(b []byte, list []AvailableEndpoint) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendEvents(b []byte, list []Event) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendFees(b []byte, list []Fee) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendKYCAnswers(b []byte, list []KYCAnswer) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendKYCReasons(b []byte, list []KYCReason) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendKYCRequirements(b []byte, list []KYCRequirement) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendOnchainTransactions(b []byte, list []OnchainTransaction) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendSandboxFaults(b []byte, list []SandboxFault) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendSandboxRequests(b []byte, list []SandboxRequest) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendSavedContacts(b []byte, list []SavedContact) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendTransactionInfos(b []byte, list []TransactionInfo) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendTransfers(b []byte, list []Transfer) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}

func appendTransferRoutes(b []byte, list []TransferRoute) []byte {
	b = append(b, '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = list[i].AppendJSON(b)
	}
	return append(b, ']')
}
