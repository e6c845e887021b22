// Code generated from internal/contract/openapi.yaml. DO NOT EDIT.

package payments

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/payctl/payctl/internal/money"
)

// AccessToken A Bearer token.
type AccessToken struct {
	// AccessToken The token.
	AccessToken string `json:"access_token"`

	// TokenType `Bearer`.
	TokenType string `json:"token_type,omitempty,omitzero"`

	// ExpiresIn Lifetime in seconds.
	ExpiresIn int `json:"expires_in,omitempty,omitzero"`

	// Scope Granted scopes separated by spaces.
	Scope string `json:"scope,omitempty,omitzero"`
}

// AccessTokenDescription The presented token, without its value.
type AccessTokenDescription struct {
	// ClientID Whose token it is.
	ClientID string `json:"clientId"`

	// Scope Granted scopes separated by spaces.
	Scope string `json:"scope"`

	// IssuedAt When it was issued.
	IssuedAt time.Time `json:"issuedAt"`

	// ExpiresAt When it stops working.
	ExpiresAt time.Time `json:"expiresAt"`
}

// AccessTokenRequest What kind of token is asked for.
type AccessTokenRequest struct {
	// GrantType The OAuth 2.0 grant.
	GrantType string `json:"grant_type,omitempty,omitzero"`

	// Scope Scopes separated by spaces; absent: all of the client's.
	Scope string `json:"scope,omitempty,omitzero"`
}

// Account A customer.
type Account struct {
	// Document is what the service sent. Nil means that nothing was received.
	Document jsontext.Value `json:"-"`

	// ID Identifier, `acc_…`.
	ID string `json:"id"`

	// KYCStatus State of the identity check.
	KYCStatus KYCStatus `json:"kycStatus"`

	// Type Individual or business.
	Type AccountType `json:"type"`

	// FirstName Given name; required of an individual.
	FirstName string `json:"firstName,omitempty,omitzero"`

	// LastName Family name; required of an individual.
	LastName string `json:"lastName,omitempty,omitzero"`

	// LegalName Registered name; required of a business.
	LegalName string `json:"legalName,omitempty,omitzero"`

	// RegistrationNumber Company registration number; a business is incomplete without it.
	RegistrationNumber string `json:"registrationNumber,omitempty,omitzero"`

	// Email E-mail address.
	Email string `json:"email"`

	// Country ISO 3166-1 alpha-2 country code.
	Country string `json:"country"`

	// ExternalID An identifier of yours.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// BirthDate Date of birth, `YYYY-MM-DD`; 18 years or older.
	BirthDate string `json:"birthDate,omitempty,omitzero"`

	// PhoneNumber Phone number (E.164).
	PhoneNumber string `json:"phoneNumber,omitempty,omitzero"`

	// Address Postal address.
	Address *Address `json:"address,omitzero"`

	// TaxID Tax identifier; masked on read.
	TaxID string `json:"taxId,omitempty,omitzero"`

	// Metadata Your own key-value pairs.
	Metadata Metadata `json:"metadata,omitempty,omitzero"`

	// CreatedAt When it was created.
	CreatedAt time.Time `json:"createdAt"`

	// UpdatedAt When it last changed.
	UpdatedAt time.Time `json:"updatedAt"`
}

// Received returns the document in which a service sent it. Nil means that none did.
func (r Account) Received() jsontext.Value { return r.Document }

// AccountDetails An individual has `firstName` and `lastName`, a business has `legalName`.
type AccountDetails struct {
	// Further are members that the contract does not have.
	Further map[string]jsontext.Value `json:",embed"`

	// Type Individual or business.
	Type AccountType `json:"type"`

	// FirstName Given name; required of an individual.
	FirstName string `json:"firstName,omitempty,omitzero"`

	// LastName Family name; required of an individual.
	LastName string `json:"lastName,omitempty,omitzero"`

	// LegalName Registered name; required of a business.
	LegalName string `json:"legalName,omitempty,omitzero"`

	// RegistrationNumber Company registration number; a business is incomplete without it.
	RegistrationNumber string `json:"registrationNumber,omitempty,omitzero"`

	// Email E-mail address.
	Email string `json:"email"`

	// Country ISO 3166-1 alpha-2 country code.
	Country string `json:"country"`

	// ExternalID An identifier of yours.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// BirthDate Date of birth, `YYYY-MM-DD`; 18 years or older.
	BirthDate string `json:"birthDate,omitempty,omitzero"`

	// PhoneNumber Phone number (E.164).
	PhoneNumber string `json:"phoneNumber,omitempty,omitzero"`

	// Address Postal address.
	Address *Address `json:"address,omitzero"`

	// TaxID Tax identifier; masked on read.
	TaxID string `json:"taxId,omitempty,omitzero"`

	// Metadata Your own key-value pairs.
	Metadata Metadata `json:"metadata,omitempty,omitzero"`
}

// AccountPage A page of accounts.
type AccountPage struct {
	// End is what a page without a cursor says of the rest of its list.
	End ListEnd `json:"-"`

	// Data The accounts, newest first.
	Data []Account `json:"data"`

	// NextCursor Asks for the next page; null on the last.
	NextCursor *string `json:"nextCursor"`
}

// AccountPatch Members of an account to change, and with `null` to remove (RFC 7396).
type AccountPatch = MergePatch

// AccountType A natural person or a company.
type AccountType string

// The values of AccountType.
const (
	AccountTypeIndividual AccountType = "individual"
	AccountTypeBusiness   AccountType = "business"
)

// Valid reports whether the value is one of the contract.
func (v AccountType) Valid() bool {
	switch v {
	case AccountTypeIndividual,
		AccountTypeBusiness:
		return true
	}
	return false
}

// Address A postal address.
type Address struct {
	// Line1 Street and number.
	Line1 string `json:"line1"`

	// Line2 Flat or building.
	Line2 string `json:"line2,omitempty,omitzero"`

	// City City.
	City string `json:"city"`

	// Region State or province.
	Region string `json:"region,omitempty,omitzero"`

	// PostalCode Postal code.
	PostalCode string `json:"postalCode,omitempty,omitzero"`

	// Country ISO 3166-1 alpha-2 country code.
	Country string `json:"country"`
}

// AddressPatch Members of a postal address to change; null removes the address.
type AddressPatch = MergePatch

// Amount A decimal amount of money, digits with an optional fraction; its currency stands beside it. It is shown with the
// decimals of its currency: 1500 JPY, 1.500 KWD, 12.50 EUR; of a token with more than four, with those that it needs
// and at least two. In a request, 5, 5.0 and 5.00 are the same amount.
type Amount = money.Decimal

// AmountType Which side `amount` counts on.
type AmountType string

// The values of AmountType.
const (
	AmountTypeSource AmountType = "source"
	AmountTypeTarget AmountType = "target"
)

// Valid reports whether the value is one of the contract.
func (v AmountType) Valid() bool {
	switch v {
	case AmountTypeSource,
		AmountTypeTarget:
		return true
	}
	return false
}

// AvailableEndpoint A side that can be chosen.
type AvailableEndpoint struct {
	// Currency Currency code.
	Currency string `json:"currency"`

	// PaymentRail Payment rail.
	PaymentRail string `json:"paymentRail"`

	// Provider Provider that handles it.
	Provider string `json:"provider"`

	// MinAmount Least amount, in this currency.
	MinAmount Amount `json:"minAmount"`

	// MaxAmount Greatest amount, in this currency.
	MaxAmount Amount `json:"maxAmount"`

	// Decimals Digits after the point that an amount may have here.
	Decimals *int `json:"decimals"`
}

// ClockMode How a clock runs, at the machine's pace, at a multiple of it, or only when it is advanced.
type ClockMode string

// The values of ClockMode.
const (
	ClockModeReal   ClockMode = "real"
	ClockModeScaled ClockMode = "scaled"
	ClockModeManual ClockMode = "manual"
)

// Valid reports whether the value is one of the contract.
func (v ClockMode) Valid() bool {
	switch v {
	case ClockModeReal,
		ClockModeScaled,
		ClockModeManual:
		return true
	}
	return false
}

// Coordinates Payment coordinates; which are wanted depends on the rail.
type Coordinates struct {
	// IBAN IBAN (ISO 13616).
	IBAN string `json:"iban,omitempty,omitzero"`

	// BIC BIC (ISO 9362).
	BIC string `json:"bic,omitempty,omitzero"`

	// RoutingNumber ABA routing number.
	RoutingNumber string `json:"routingNumber,omitempty,omitzero"`

	// AccountNumber Bank account number.
	AccountNumber string `json:"accountNumber,omitempty,omitzero"`

	// SortCode UK sort code.
	SortCode string `json:"sortCode,omitempty,omitzero"`

	// CLABE Mexican CLABE.
	CLABE string `json:"clabe,omitempty,omitzero"`

	// PIXKey Brazilian PIX key.
	PIXKey string `json:"pixKey,omitempty,omitzero"`

	// PIXKeyType Kind of PIX key.
	PIXKeyType string `json:"pixKeyType,omitempty,omitzero"`

	// Address On-chain address.
	Address string `json:"address,omitempty,omitzero"`

	// Memo Memo that the address wants.
	Memo string `json:"memo,omitempty,omitzero"`
}

// DepositInstructions Where the funds are to be sent.
type DepositInstructions struct {
	// PaymentRail Rail to use.
	PaymentRail string `json:"paymentRail"`

	// Currency Currency to send.
	Currency string `json:"currency"`

	// Amount How much to send; null when any amount will do.
	Amount *NullableAmount `json:"amount"`

	// BeneficiaryName Name of the receiving account.
	BeneficiaryName string `json:"beneficiaryName,omitempty,omitzero"`

	// BankName The receiving bank.
	BankName string `json:"bankName,omitempty,omitzero"`

	// PaymentReference Must stand on the payment.
	PaymentReference string `json:"paymentReference,omitempty,omitzero"`

	// IBAN IBAN (ISO 13616).
	IBAN string `json:"iban,omitempty,omitzero"`

	// BIC BIC (ISO 9362).
	BIC string `json:"bic,omitempty,omitzero"`

	// RoutingNumber ABA routing number.
	RoutingNumber string `json:"routingNumber,omitempty,omitzero"`

	// AccountNumber Bank account number.
	AccountNumber string `json:"accountNumber,omitempty,omitzero"`

	// SortCode UK sort code.
	SortCode string `json:"sortCode,omitempty,omitzero"`

	// CLABE Mexican CLABE.
	CLABE string `json:"clabe,omitempty,omitzero"`

	// PIXKey Brazilian PIX key.
	PIXKey string `json:"pixKey,omitempty,omitzero"`

	// PIXKeyType Kind of PIX key.
	PIXKeyType string `json:"pixKeyType,omitempty,omitzero"`

	// Address On-chain address.
	Address string `json:"address,omitempty,omitzero"`

	// Memo Memo that the address wants.
	Memo string `json:"memo,omitempty,omitzero"`
}

// Event Something that happened. The events of an account's identity check are `kyc.statusChanged`, the first of them from
// null. Those of a transfer are `transfer.created`, from null to its first state, then `transfer.stateChanged`.
type Event struct {
	// Document is what the service sent. Nil means that nothing was received.
	Document jsontext.Value `json:"-"`

	// ID Identifier, `evt_…`; it is the cursor after this event too.
	ID string `json:"id"`

	// Type What kind of thing happened.
	Type EventType `json:"type"`

	// OccurredAt When it happened.
	OccurredAt time.Time `json:"occurredAt"`

	// SubjectID The account, saved contact or transfer that it happened to.
	SubjectID string `json:"subjectId"`

	// From The status or state before; null when there was none.
	From *string `json:"from"`

	// To The status or state that it has since; null for an event of neither.
	To *string `json:"to"`

	// Data What belongs to it.
	Data EventData `json:"data"`
}

// Received returns the document in which a service sent it. Nil means that none did.
func (r Event) Received() jsontext.Value { return r.Document }

// EventData What belongs to an event. Which members are there depends on its type, and on what was known when it happened.
type EventData struct {
	// AccountID The account of a contact or transfer.
	AccountID string `json:"accountId,omitempty,omitzero"`

	// ExternalID Your identifier of an account, contact or transfer.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// Label Your name for a contact.
	Label string `json:"label,omitempty,omitzero"`

	// Attempt Which submission of an identity check it is.
	Attempt int `json:"attempt,omitempty,omitzero"`

	// Reasons Why an identity check has this status.
	Reasons []KYCReason `json:"reasons,omitempty,omitzero"`

	// RejectType `retry` if a new submission may be accepted, `final` if not.
	RejectType string `json:"rejectType,omitempty,omitzero"`

	// Reference Your reference of a transfer.
	Reference string `json:"reference,omitempty,omitzero"`

	// BatchID The batch of a transfer.
	BatchID string `json:"batchId,omitempty,omitzero"`

	// DestinationSavedContactID The saved contact that receives a transfer.
	DestinationSavedContactID string `json:"destinationSavedContactId,omitempty,omitzero"`

	// Route The routeKey of a transfer.
	Route string `json:"route,omitempty,omitzero"`

	// ExpectedSettlementAt When the settlement of a transfer is expected; absent for one that failed, was canceled, expired or went back.
	ExpectedSettlementAt *time.Time `json:"expectedSettlementAt,omitzero"`

	// Source What a transfer takes.
	Source *TransferSide `json:"source,omitzero"`

	// Destination What arrives of it.
	Destination *TransferSide `json:"destination,omitzero"`

	// FailureReason Why a transfer failed.
	FailureReason string `json:"failureReason,omitempty,omitzero"`

	// ReturnCode The rail's code for a return.
	ReturnCode string `json:"returnCode,omitempty,omitzero"`

	// Refund Money on its way back; null when there is none.
	Refund *Refund `json:"refund,omitzero"`
}

// EventPage A part of the feed.
type EventPage struct {
	// Data The events, oldest first; empty at the end of the feed.
	Data []Event `json:"data"`

	// Cursor Goes into `after` of the next request.
	Cursor string `json:"cursor"`
}

// EventType What kind of thing happened.
type EventType string

// The values of EventType.
const (
	EventTypeAccountCreated       EventType = "account.created"
	EventTypeKYCStatusChanged     EventType = "kyc.statusChanged"
	EventTypeContactCreated       EventType = "contact.created"
	EventTypeContactDeleted       EventType = "contact.deleted"
	EventTypeTransferCreated      EventType = "transfer.created"
	EventTypeTransferStateChanged EventType = "transfer.stateChanged"
)

// Valid reports whether the value is one of the contract.
func (v EventType) Valid() bool {
	switch v {
	case EventTypeAccountCreated,
		EventTypeKYCStatusChanged,
		EventTypeContactCreated,
		EventTypeContactDeleted,
		EventTypeTransferCreated,
		EventTypeTransferStateChanged:
		return true
	}
	return false
}

// Fee A fee. A fixed one has `amount`, a proportional one has `rate`; on a transfer both have `amount`.
type Fee struct {
	// Type What it is for.
	Type string `json:"type"`

	// Side The side that it is taken from.
	Side string `json:"side"`

	// Currency Currency of `amount`.
	Currency string `json:"currency"`

	// Amount The fee.
	Amount *Amount `json:"amount,omitzero"`

	// Rate Share of the source amount, such as `0.0025`.
	Rate *Amount `json:"rate,omitzero"`
}

// FlowType Kind of flow of a route.
type FlowType string

// The values of FlowType.
const (
	FlowTypeOnramp   FlowType = "onramp"
	FlowTypeOfframp  FlowType = "offramp"
	FlowTypeSwap     FlowType = "swap"
	FlowTypeBridge   FlowType = "bridge"
	FlowTypeTransfer FlowType = "transfer"
	FlowTypeFx       FlowType = "fx"
)

// Valid reports whether the value is one of the contract.
func (v FlowType) Valid() bool {
	switch v {
	case FlowTypeOnramp,
		FlowTypeOfframp,
		FlowTypeSwap,
		FlowTypeBridge,
		FlowTypeTransfer,
		FlowTypeFx:
		return true
	}
	return false
}

// Health The service's state.
type Health struct {
	// Status `ok`.
	Status string `json:"status"`
}

// KYC An identity check.
type KYC struct {
	// Document is what the service sent. Nil means that nothing was received.
	Document jsontext.Value `json:"-"`

	// AccountID The account.
	AccountID string `json:"accountId"`

	// Status The state.
	Status KYCStatus `json:"status"`

	// Level What was checked: `basic` or `business`.
	Level string `json:"level"`

	// Attempt Which submission this is; three at the most, counted anew when an approval has expired.
	Attempt int `json:"attempt"`

	// RejectType `retry` if a new submission may be accepted, `final` if not.
	RejectType *string `json:"rejectType"`

	// Reasons Why it is in this state.
	Reasons []KYCReason `json:"reasons"`

	// Requirements What is still wanted.
	Requirements []KYCRequirement `json:"requirements"`

	// VerificationURL Where the person can complete the check.
	VerificationURL *string `json:"verificationUrl"`

	// SubmittedAt When it was submitted last.
	SubmittedAt *time.Time `json:"submittedAt"`

	// ReviewedAt When a verdict was given last.
	ReviewedAt *time.Time `json:"reviewedAt"`

	// ExpiresAt When an approval ends.
	ExpiresAt *time.Time `json:"expiresAt"`

	// UpdatedAt When it last changed.
	UpdatedAt time.Time `json:"updatedAt"`
}

// Received returns the document in which a service sent it. Nil means that none did.
func (r KYC) Received() jsontext.Value { return r.Document }

// KYCAnswer The answer to one requirement, a value or a document.
type KYCAnswer struct {
	// Name The requirement's name.
	Name string `json:"name"`

	// Value The value of a field.
	Value string `json:"value,omitempty,omitzero"`

	// Document A document's bytes in base64.
	Document string `json:"document,omitempty,omitzero"`

	// ContentType The document's media type.
	ContentType string `json:"contentType,omitempty,omitzero"`
}

// KYCReason One reason for a state.
type KYCReason struct {
	// Code Machine code, such as `poor_quality_document`.
	Code string `json:"code"`

	// Message The reason in words.
	Message string `json:"message"`

	// Field The member that it is about.
	Field string `json:"field,omitempty,omitzero"`
}

// KYCRequirement Something that is wanted for the check.
type KYCRequirement struct {
	// Name What is wanted, such as `identity_document`.
	Name string `json:"name"`

	// Status How far it is.
	Status string `json:"status"`

	// Deadline By when.
	Deadline *time.Time `json:"deadline,omitzero"`
}

// KYCStatus A state of an identity check.
//
// - `not_started`: There is no check yet.
// - `incomplete`: Something is missing, and `requirements` says what.
// - `pending`: The check was submitted. Wait.
// - `under_review`: A person is looking at it. Wait.
// - `resubmission_required`: Something was not accepted, and `reasons` says why. Submit it again; there are three submissions.
// - `approved`: The account may send money. An approval expires after a year.
// - `rejected`: The check failed for good.
// - `expired`: The approval is over. Submit a new document; the submissions are counted anew.
// - `paused`: The account may not send money at the moment. Wait.
// - `offboarded`: The account was closed.
type KYCStatus string

// The values of KYCStatus.
const (
	KYCStatusNotStarted           KYCStatus = "not_started"
	KYCStatusIncomplete           KYCStatus = "incomplete"
	KYCStatusPending              KYCStatus = "pending"
	KYCStatusUnderReview          KYCStatus = "under_review"
	KYCStatusResubmissionRequired KYCStatus = "resubmission_required"
	KYCStatusApproved             KYCStatus = "approved"
	KYCStatusRejected             KYCStatus = "rejected"
	KYCStatusExpired              KYCStatus = "expired"
	KYCStatusPaused               KYCStatus = "paused"
	KYCStatusOffboarded           KYCStatus = "offboarded"
)

// Valid reports whether the value is one of the contract.
func (v KYCStatus) Valid() bool {
	switch v {
	case KYCStatusNotStarted,
		KYCStatusIncomplete,
		KYCStatusPending,
		KYCStatusUnderReview,
		KYCStatusResubmissionRequired,
		KYCStatusApproved,
		KYCStatusRejected,
		KYCStatusExpired,
		KYCStatusPaused,
		KYCStatusOffboarded:
		return true
	}
	return false
}

// KYCSubmission Answers to open requirements.
type KYCSubmission struct {
	// Requirements One answer for each requirement.
	Requirements []KYCAnswer `json:"requirements"`
}

// Metadata Your own key-value pairs, returned as sent. A key has up to 100 characters.
type Metadata map[string]string

// MetadataPatch Pairs to change or to add, and with null to remove; null removes all. A key has up to 100 characters.
type MetadataPatch = MergePatch

// NewAccount An account to create.
type NewAccount = AccountDetails

// NewAutoTransfer A transfer to create.
type NewAutoTransfer struct {
	// Further are members that the contract does not have.
	Further map[string]jsontext.Value `json:",embed"`

	// DestinationSavedContactID The saved contact that receives.
	DestinationSavedContactID string `json:"destinationSavedContactId"`

	// Route The route to take: a routeKey, or the TransferRoute object that route selection returned.
	Route RouteReference `json:"route"`

	// Amount How much; absent: whatever arrives.
	Amount *Amount `json:"amount,omitzero"`

	// AmountType Which side `amount` counts on; `source` when absent.
	AmountType AmountType `json:"amountType,omitempty,omitzero"`

	// Reference Your reference; a service may keep it unique, see `x-unique-members`.
	Reference string `json:"reference,omitempty,omitzero"`

	// ExternalID An identifier of yours.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// BatchID Groups the transfers of a batch.
	BatchID string `json:"batchId,omitempty,omitzero"`

	// Metadata Your own key-value pairs.
	Metadata Metadata `json:"metadata,omitempty,omitzero"`
}

// NewSavedContact A contact to save.
type NewSavedContact = SavedContactDetails

// NullableAmount An Amount, or null while it is not known.
type NullableAmount = Amount

// OnchainTransaction A transaction on a chain.
type OnchainTransaction struct {
	// Side Which leg it is.
	Side string `json:"side"`

	// PaymentRail The chain.
	PaymentRail string `json:"paymentRail"`

	// Hash Transaction hash.
	Hash string `json:"hash"`

	// CreatedAt When it was sent.
	CreatedAt time.Time `json:"createdAt"`
}

// Problem A problem document (RFC 9457).
type Problem struct {
	// Type Problem type. For validation failures it ends in `/problems/validation-error`.
	Type string `json:"type"`

	// Title Short summary.
	Title string `json:"title"`

	// Status HTTP status code.
	Status int `json:"status"`

	// Detail Explanation.
	Detail string `json:"detail,omitempty,omitzero"`

	// Instance Path of the request that failed.
	Instance string `json:"instance,omitempty,omitzero"`

	// Errors For validation failures: a field's name to its messages.
	Errors FieldErrors `json:"errors,omitempty,omitzero"`

	// RequestID The request's identifier, to quote to support.
	RequestID string `json:"requestId,omitempty,omitzero"`

	// TraceID The trace id of the request's `traceparent` header (W3C Trace Context), if it has a valid one.
	TraceID string `json:"traceId,omitempty,omitzero"`

	// TransferID For `reference-in-use`: the transfer that has the reference.
	TransferID string `json:"transferId,omitempty,omitzero"`
}

// Refund Money on its way back; null when there is none.
type Refund struct {
	// Amount How much.
	Amount Amount `json:"amount"`

	// Currency Currency code.
	Currency string `json:"currency"`

	// Reason Why.
	Reason string `json:"reason"`

	// CompletedAt When it arrived back.
	CompletedAt *time.Time `json:"completedAt,omitzero"`
}

// RouteEndpoint One chosen side of a transfer. Every member that is present narrows the selection; null when nothing is chosen.
type RouteEndpoint struct {
	// Currency Currency code.
	Currency *string `json:"currency,omitzero"`

	// PaymentRail Payment rail (network or scheme).
	PaymentRail *string `json:"paymentRail,omitzero"`

	// Provider Provider that handles it.
	Provider *string `json:"provider,omitzero"`
}

// RouteReference The route to take: a routeKey, or the TransferRoute object that route selection returned.
type RouteReference = RouteChoice

// RouteSelection What is chosen so far.
type RouteSelection struct {
	// SelectedSource One chosen side of a transfer. Every member that is present narrows the selection; null when nothing is chosen.
	SelectedSource *RouteEndpoint `json:"selectedSource,omitzero"`

	// SelectedDestination One chosen side of a transfer. Every member that is present narrows the selection; null when nothing is chosen.
	SelectedDestination *RouteEndpoint `json:"selectedDestination,omitzero"`
}

// SandboxAdvance How far to advance a clock.
type SandboxAdvance struct {
	// Duration Such as `90s` and `25h` (as Go writes durations).
	Duration string `json:"duration"`
}

// SandboxClock The clock of the client's world.
type SandboxClock struct {
	// Mode How it runs.
	Mode ClockMode `json:"mode"`

	// Now What it shows.
	Now time.Time `json:"now"`

	// Scale Seconds that it runs in one second: 1 when real, 0 when manual.
	Scale int `json:"scale"`
}

// SandboxClockSettings How a clock is to run from now on.
type SandboxClockSettings struct {
	// Mode How it is to run.
	Mode ClockMode `json:"mode"`

	// Now What it is to show, not before what it shows; absent: it goes on.
	Now *time.Time `json:"now,omitzero"`

	// Scale Seconds to run in one second; required of a scaled clock.
	Scale int `json:"scale,omitempty,omitzero"`
}

// SandboxDeposit A deposit that arrives.
type SandboxDeposit struct {
	// Amount How much, in the source currency.
	Amount Amount `json:"amount"`
}

// SandboxFault An error that is injected into an operation.
type SandboxFault struct {
	// Operation The operationId; `*` is every one.
	Operation string `json:"operation"`

	// Action The injected error.
	Action SandboxFaultAction `json:"action"`

	// Status The status, of the action `status`.
	Status int `json:"status,omitempty,omitzero"`

	// RetryAfter Seconds of Retry-After, of the action `status`.
	RetryAfter int `json:"retryAfter,omitempty,omitzero"`

	// Delay How long, of the action `delay`: a duration such as `200ms`, up to a minute.
	Delay string `json:"delay,omitempty,omitzero"`

	// Times How often it happens; absent: again and again.
	Times int `json:"times,omitempty,omitzero"`

	// Percent With what probability it happens; absent: always.
	Percent int `json:"percent,omitempty,omitzero"`
}

// SandboxFaultAction The injected error. Before the effect: `delay` delays the request, `status` answers with an error, `reset` cuts the
// connection, `expired_token` answers as to a token whose time is over. After the effect: `drop` cuts the connection in
// place of the response, `truncate` in the middle of it, `malformed` answers with half of the JSON.
type SandboxFaultAction string

// The values of SandboxFaultAction.
const (
	SandboxFaultActionDelay        SandboxFaultAction = "delay"
	SandboxFaultActionStatus       SandboxFaultAction = "status"
	SandboxFaultActionReset        SandboxFaultAction = "reset"
	SandboxFaultActionExpiredToken SandboxFaultAction = "expired_token"
	SandboxFaultActionDrop         SandboxFaultAction = "drop"
	SandboxFaultActionTruncate     SandboxFaultAction = "truncate"
	SandboxFaultActionMalformed    SandboxFaultAction = "malformed"
)

// Valid reports whether the value is one of the contract.
func (v SandboxFaultAction) Valid() bool {
	switch v {
	case SandboxFaultActionDelay,
		SandboxFaultActionStatus,
		SandboxFaultActionReset,
		SandboxFaultActionExpiredToken,
		SandboxFaultActionDrop,
		SandboxFaultActionTruncate,
		SandboxFaultActionMalformed:
		return true
	}
	return false
}

// SandboxFaults The injected error.
type SandboxFaults struct {
	// Faults The faults in the order in which they are tried.
	Faults []SandboxFault `json:"faults"`
}

// SandboxKYC Where to move an identity check.
type SandboxKYC struct {
	// Status The next status.
	Status KYCStatus `json:"status"`

	// Reasons Reason codes such as `expired_document`, or words of your own; absent: those that go with the status.
	Reasons []string `json:"reasons,omitempty,omitzero"`
}

// SandboxPage A page about a client's world.
type SandboxPage struct {
	// ClientID Whose world it is.
	ClientID string `json:"clientId"`

	// URL The page's address. Its fragment has a token for this page alone.
	URL string `json:"url"`
}

// SandboxPages Pages about worlds.
type SandboxPages struct {
	// Pages The pages, the caller's first; empty where the service has none.
	Pages []SandboxPage `json:"pages"`
}

// SandboxRequest A request of the client.
type SandboxRequest struct {
	// Number Its number, from 1.
	Number int `json:"number"`

	// Time When it came, by the world's clock.
	Time time.Time `json:"time"`

	// Method The method.
	Method string `json:"method"`

	// Path The path, without its query.
	Path string `json:"path"`

	// Operation The operationId.
	Operation string `json:"operation"`

	// Status The status that was made for it, also where it was not sent; 0 when none was made.
	Status int `json:"status"`

	// DurationMs How long it took in milliseconds, by the world's clock.
	DurationMs int `json:"durationMs"`

	// IdempotencyKeyHash SHA-256 of its idempotency key, in hexadecimal; absent: it had none.
	IdempotencyKeyHash string `json:"idempotencyKeyHash,omitempty,omitzero"`

	// RequestID The request's identifier, as the `X-Request-Id` header of its response.
	RequestID string `json:"requestId,omitempty,omitzero"`

	// Fault The fault that it met, as a rule such as `*=drop`.
	Fault string `json:"fault,omitempty,omitzero"`

	// Query Its query, of the parameters that the contract has; absent: none, or not kept.
	Query string `json:"query,omitempty,omitzero"`

	// RequestBody The JSON that it sent, with secrets masked; absent: none, or not kept.
	RequestBody string `json:"requestBody,omitempty,omitzero"`

	// ResponseBody The JSON that was made for it, with secrets masked; absent: none, or not kept.
	ResponseBody string `json:"responseBody,omitempty,omitzero"`
}

// SandboxRequestPage A page of requests.
type SandboxRequestPage struct {
	// End is what a page without a cursor says of the rest of its list.
	End ListEnd `json:"-"`

	// Data The requests, newest first.
	Data []SandboxRequest `json:"data"`

	// NextCursor Asks for the next page; null on the last.
	NextCursor *string `json:"nextCursor"`
}

// SandboxSnapshot A whole world.
type SandboxSnapshot struct {
	// Version Version of this form, `1`.
	Version string `json:"version"`

	// TakenAt When it was taken, by the world's clock.
	TakenAt time.Time `json:"takenAt"`

	// Instance The instance of the world that it was taken of.
	Instance string `json:"instance"`

	// Checksum SHA-256 of `world` in canonical form (RFC 8785), in hexadecimal.
	Checksum string `json:"checksum"`

	// World What the world holds. Its form is the service's own.
	World SandboxContent `json:"world"`
}

// SandboxTransferState Where to move a transfer.
type SandboxTransferState struct {
	// State The next state.
	State TransferState `json:"state"`

	// Reason Failure reason or return code, for the states `failed`, `undeliverable` and `returned`; absent: a typical one.
	Reason string `json:"reason,omitempty,omitzero"`
}

// SandboxWorld An instance of the client's world, which lasts until the next reset.
type SandboxWorld struct {
	// Instance Its instance id, the value of the header Payctl-World.
	Instance string `json:"instance"`
}

// SavedContact A saved beneficiary, its bank coordinates masked.
type SavedContact struct {
	// Document is what the service sent. Nil means that nothing was received.
	Document jsontext.Value `json:"-"`

	// ID Identifier, `sct_…`.
	ID string `json:"id"`

	// AccountID Whose contact it is; may be left out by a client with one account.
	AccountID string `json:"accountId,omitempty,omitzero"`

	// Label Your name for it.
	Label string `json:"label"`

	// ExternalID An identifier of yours.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// HolderName The beneficiary's name.
	HolderName string `json:"holderName"`

	// HolderType Individual or business.
	HolderType AccountType `json:"holderType"`

	// PaymentRail Rail that reaches it.
	PaymentRail string `json:"paymentRail"`

	// Currency Currency that it takes.
	Currency string `json:"currency"`

	// IBAN IBAN (ISO 13616).
	IBAN string `json:"iban,omitempty,omitzero"`

	// BIC BIC (ISO 9362).
	BIC string `json:"bic,omitempty,omitzero"`

	// RoutingNumber ABA routing number.
	RoutingNumber string `json:"routingNumber,omitempty,omitzero"`

	// AccountNumber Bank account number.
	AccountNumber string `json:"accountNumber,omitempty,omitzero"`

	// SortCode UK sort code.
	SortCode string `json:"sortCode,omitempty,omitzero"`

	// CLABE Mexican CLABE.
	CLABE string `json:"clabe,omitempty,omitzero"`

	// PIXKey Brazilian PIX key.
	PIXKey string `json:"pixKey,omitempty,omitzero"`

	// PIXKeyType Kind of PIX key.
	PIXKeyType string `json:"pixKeyType,omitempty,omitzero"`

	// Address On-chain address.
	Address string `json:"address,omitempty,omitzero"`

	// Memo Memo that the address wants.
	Memo string `json:"memo,omitempty,omitzero"`

	// Metadata Your own key-value pairs.
	Metadata Metadata `json:"metadata,omitempty,omitzero"`

	// CreatedAt When it was saved.
	CreatedAt time.Time `json:"createdAt"`
}

// Received returns the document in which a service sent it. Nil means that none did.
func (r SavedContact) Received() jsontext.Value { return r.Document }

// SavedContactDetails A beneficiary and where its money goes.
type SavedContactDetails struct {
	// Further are members that the contract does not have.
	Further map[string]jsontext.Value `json:",embed"`

	// AccountID Whose contact it is; may be left out by a client with one account.
	AccountID string `json:"accountId,omitempty,omitzero"`

	// Label Your name for it.
	Label string `json:"label"`

	// ExternalID An identifier of yours.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// HolderName The beneficiary's name.
	HolderName string `json:"holderName"`

	// HolderType Individual or business.
	HolderType AccountType `json:"holderType"`

	// PaymentRail Rail that reaches it.
	PaymentRail string `json:"paymentRail"`

	// Currency Currency that it takes.
	Currency string `json:"currency"`

	// IBAN IBAN (ISO 13616).
	IBAN string `json:"iban,omitempty,omitzero"`

	// BIC BIC (ISO 9362).
	BIC string `json:"bic,omitempty,omitzero"`

	// RoutingNumber ABA routing number.
	RoutingNumber string `json:"routingNumber,omitempty,omitzero"`

	// AccountNumber Bank account number.
	AccountNumber string `json:"accountNumber,omitempty,omitzero"`

	// SortCode UK sort code.
	SortCode string `json:"sortCode,omitempty,omitzero"`

	// CLABE Mexican CLABE.
	CLABE string `json:"clabe,omitempty,omitzero"`

	// PIXKey Brazilian PIX key.
	PIXKey string `json:"pixKey,omitempty,omitzero"`

	// PIXKeyType Kind of PIX key.
	PIXKeyType string `json:"pixKeyType,omitempty,omitzero"`

	// Address On-chain address.
	Address string `json:"address,omitempty,omitzero"`

	// Memo Memo that the address wants.
	Memo string `json:"memo,omitempty,omitzero"`

	// Metadata Your own key-value pairs.
	Metadata Metadata `json:"metadata,omitempty,omitzero"`
}

// SavedContactPage A page of saved contacts.
type SavedContactPage struct {
	// End is what a page without a cursor says of the rest of its list.
	End ListEnd `json:"-"`

	// Data The contacts, newest first.
	Data []SavedContact `json:"data"`

	// NextCursor Asks for the next page; null on the last.
	NextCursor *string `json:"nextCursor"`
}

// SavedContactPatch Members of a saved contact to change, and with `null` to remove (RFC 7396). The coordinates cannot be changed.
type SavedContactPatch = MergePatch

// TransactionInfo The terms of a route. Amounts are in the source currency.
type TransactionInfo struct {
	// RouteKey The route.
	RouteKey string `json:"routeKey"`

	// MinAmount Least amount.
	MinAmount Amount `json:"minAmount"`

	// MaxAmount Greatest amount.
	MaxAmount Amount `json:"maxAmount"`

	// Fees What it costs.
	Fees []Fee `json:"fees"`

	// ExchangeRate Destination units for one source unit.
	ExchangeRate Amount `json:"exchangeRate"`

	// EstimatedSettlementSeconds How long settlement takes from the arrival of funds.
	EstimatedSettlementSeconds int `json:"estimatedSettlementSeconds"`

	// KYCRequired Whether the account must be approved.
	KYCRequired bool `json:"kycRequired"`
}

// Transfer A transfer. Always: source amount = source-side fees + convertedAmount, and convertedAmount × exchangeRate =
// destination amount + destination-side fees + roundingResidue.
type Transfer struct {
	// Document is what the service sent. Nil means that nothing was received.
	Document jsontext.Value `json:"-"`

	// ID Identifier, `trf_…`.
	ID string `json:"id"`

	// AccountID The sending account.
	AccountID string `json:"accountId"`

	// Route The routeKey.
	Route string `json:"route"`

	// FlowType Kind of flow.
	FlowType FlowType `json:"flowType"`

	// Provider Provider of the route.
	Provider string `json:"provider"`

	// Source What is taken.
	Source TransferSide `json:"source"`

	// Destination What arrives.
	Destination TransferSide `json:"destination"`

	// DestinationSavedContactID The saved contact that receives.
	DestinationSavedContactID string `json:"destinationSavedContactId"`

	// Amount The amount as asked; null when flexible.
	Amount *NullableAmount `json:"amount"`

	// AmountType Which side `amount` counts on.
	AmountType AmountType `json:"amountType"`

	// Flexible Whether it takes whatever amount arrives.
	Flexible bool `json:"flexible"`

	// ConvertedAmount Source amount after source-side fees, in the source currency.
	ConvertedAmount *NullableAmount `json:"convertedAmount"`

	// ExchangeRate Destination units for one source unit.
	ExchangeRate Amount `json:"exchangeRate"`

	// Fees What it costs.
	Fees []Fee `json:"fees"`

	// RoundingResidue What rounding leaves over, in the destination currency: less than one unit of its last place, or, when the amount counts on the target, than the worth of one unit of the source's.
	RoundingResidue *NullableAmount `json:"roundingResidue"`

	// State The state.
	State TransferState `json:"state"`

	// FailureReason Why it failed.
	FailureReason *string `json:"failureReason"`

	// ReturnCode The rail's code for a return.
	ReturnCode *string `json:"returnCode"`

	// Refund Money on its way back; null when there is none.
	Refund *Refund `json:"refund"`

	// DepositInstructions Where the funds are to be sent.
	DepositInstructions *DepositInstructions `json:"depositInstructions"`

	// OnchainTransactions Transactions on a chain.
	OnchainTransactions []OnchainTransaction `json:"onchainTransactions"`

	// Reference Your reference.
	Reference string `json:"reference,omitempty,omitzero"`

	// ExternalID An identifier of yours.
	ExternalID string `json:"externalId,omitempty,omitzero"`

	// BatchID The batch that it belongs to.
	BatchID string `json:"batchId,omitempty,omitzero"`

	// Metadata Your own key-value pairs.
	Metadata Metadata `json:"metadata,omitempty,omitzero"`

	// ExpectedSettlementAt When settlement is expected; null for a transfer that failed, was canceled, expired or went back.
	ExpectedSettlementAt *time.Time `json:"expectedSettlementAt"`

	// CreatedAt When it was created.
	CreatedAt time.Time `json:"createdAt"`

	// UpdatedAt When it last changed.
	UpdatedAt time.Time `json:"updatedAt"`
}

// Received returns the document in which a service sent it. Nil means that none did.
func (r Transfer) Received() jsontext.Value { return r.Document }

// TransferInfo What matches a selection.
type TransferInfo struct {
	// Document is what the service sent. Nil means that nothing was received.
	Document jsontext.Value `json:"-"`

	// SelectedSource One chosen side of a transfer. Every member that is present narrows the selection; null when nothing is chosen.
	SelectedSource *RouteEndpoint `json:"selectedSource"`

	// SelectedDestination One chosen side of a transfer. Every member that is present narrows the selection; null when nothing is chosen.
	SelectedDestination *RouteEndpoint `json:"selectedDestination"`

	// AvailableSources Sources from which the selected destination can be reached.
	AvailableSources []AvailableEndpoint `json:"availableSources"`

	// AvailableDestinations Destinations that the selected source can reach.
	AvailableDestinations []AvailableEndpoint `json:"availableDestinations"`

	// Routes Routes that match the selection.
	Routes []TransferRoute `json:"routes"`

	// TransactionsInfo Terms, one element for each route.
	TransactionsInfo []TransactionInfo `json:"transactionsInfo"`
}

// Received returns the document in which a service sent it. Nil means that none did.
func (r TransferInfo) Received() jsontext.Value { return r.Document }

// TransferPage A page of transfers.
type TransferPage struct {
	// End is what a page without a cursor says of the rest of its list.
	End ListEnd `json:"-"`

	// Data The transfers, newest first.
	Data []Transfer `json:"data"`

	// NextCursor Asks for the next page; null on the last.
	NextCursor *string `json:"nextCursor"`
}

// TransferRoute A way from a source to a destination.
type TransferRoute struct {
	// RouteKey `<source rail>:<source currency>-><destination rail>:<destination currency>`.
	RouteKey string `json:"routeKey"`

	// FlowType Kind of flow.
	FlowType FlowType `json:"flowType"`

	// Provider Provider of the route.
	Provider string `json:"provider"`
}

// TransferSide One side of a transfer.
type TransferSide struct {
	// Currency Currency code.
	Currency string `json:"currency"`

	// PaymentRail Payment rail.
	PaymentRail string `json:"paymentRail"`

	// Provider Provider that handles it.
	Provider string `json:"provider"`

	// Amount Amount; null while it is not known.
	Amount *NullableAmount `json:"amount"`
}

// TransferState A state of a transfer.
//
// - `awaiting_funds`: The deposit has not arrived. Send it, or cancel the transfer; it expires without one.
// - `in_review`: The deposit arrived and is being reviewed. Wait.
// - `funds_received`: The deposit was accepted. Wait.
// - `payment_submitted`: The payment to the beneficiary is on its way. Wait.
// - `payment_processed`: The money arrived. A bank can still return it.
// - `undeliverable`: The payment could not be delivered. The refund follows.
// - `returned`: The beneficiary's bank sent the money back, and `returnCode` says why. The refund follows.
// - `refunded`: The money was sent back to its source.
// - `canceled`: The transfer was canceled before its deposit arrived.
// - `expired`: No deposit arrived in time.
// - `failed`: The transfer failed, and `failureReason` says why. A deposit is refunded.
type TransferState string

// The values of TransferState.
const (
	TransferStateAwaitingFunds    TransferState = "awaiting_funds"
	TransferStateInReview         TransferState = "in_review"
	TransferStateFundsReceived    TransferState = "funds_received"
	TransferStatePaymentSubmitted TransferState = "payment_submitted"
	TransferStatePaymentProcessed TransferState = "payment_processed"
	TransferStateUndeliverable    TransferState = "undeliverable"
	TransferStateReturned         TransferState = "returned"
	TransferStateRefunded         TransferState = "refunded"
	TransferStateCanceled         TransferState = "canceled"
	TransferStateExpired          TransferState = "expired"
	TransferStateFailed           TransferState = "failed"
)

// Valid reports whether the value is one of the contract.
func (v TransferState) Valid() bool {
	switch v {
	case TransferStateAwaitingFunds,
		TransferStateInReview,
		TransferStateFundsReceived,
		TransferStatePaymentSubmitted,
		TransferStatePaymentProcessed,
		TransferStateUndeliverable,
		TransferStateReturned,
		TransferStateRefunded,
		TransferStateCanceled,
		TransferStateExpired,
		TransferStateFailed:
		return true
	}
	return false
}
