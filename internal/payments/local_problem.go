package payments

// LocalPrefix begins the type of a problem that payctl found itself, without an answer of the service.
const LocalPrefix = "payctl:"

// The kinds of problem that the client's side finds itself. Their type is LocalPrefix and the kind.
const (
	// KindUnreachable: there was no connection, nothing was sent.
	KindUnreachable Kind = "unreachable"
	// KindUnusable: a read was sent, but what came back, if anything, cannot be used.
	KindUnusable Kind = "unusable-answer"
	// KindRefused: the service, or something before it, refused with a status and without a problem document. The
	// status says why.
	KindRefused Kind = "refused"
	// KindOutcomeUnknown: a write was sent, and whether it took effect is not known.
	KindOutcomeUnknown Kind = "outcome-unknown"
	// KindTimeout: a read ran out of time.
	KindTimeout Kind = "timeout"
	// KindRedirect: the answer redirects to where this call must not go.
	KindRedirect Kind = "redirect-refused"
	// KindInsecure: the base URL is plain http and leads off this machine.
	KindInsecure Kind = "insecure-transport"
	// KindCredential: the credential cannot be sent in a header.
	KindCredential Kind = "unusable-credential" //nolint:gosec // the name of a problem
	// KindInvalidRequest: the call cannot be put into an HTTP request.
	KindInvalidRequest Kind = "invalid-request"
	// KindInvalidSettings: the settings of a client cannot work.
	KindInvalidSettings Kind = "invalid-settings"
	// KindNoSandbox: the service has no sandbox, which only the reference service has.
	KindNoSandbox Kind = "no-sandbox"
)
