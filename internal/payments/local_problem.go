package payments

// LocalPrefix begins the type of a problem that payctl found itself, without an answer of the service.
const LocalPrefix = "payctl:"

// The kinds of problem that the client's side finds itself. Such a kind is the whole type, so that no type of a
// service is taken for one.
const (
	// KindUnreachable: there was no connection, nothing was sent.
	KindUnreachable Kind = LocalPrefix + "unreachable"
	// KindUnusable: a read was sent, but what came back, if anything, cannot be used.
	KindUnusable Kind = LocalPrefix + "unusable-answer"
	// KindRefused: the service, or something before it, refused with a status and without a problem document. The
	// status says why.
	KindRefused Kind = LocalPrefix + "refused"
	// KindOutcomeUnknown: a write was sent, and whether it took effect is not known.
	KindOutcomeUnknown Kind = LocalPrefix + "outcome-unknown"
	// KindTimeout: a read ran out of time.
	KindTimeout Kind = LocalPrefix + "timeout"
	// KindRedirect: the answer redirects to where this call must not go.
	KindRedirect Kind = LocalPrefix + "redirect-refused"
	// KindMoved: a call that carries a change or a secret was answered with a redirect, which is not followed. Nothing was
	// done; where the answer may have followed an effect, KindOutcomeUnknown is in its place.
	KindMoved Kind = LocalPrefix + "not-followed"
	// KindInsecure: the base URL is plain http and leads off this machine.
	KindInsecure Kind = LocalPrefix + "insecure-transport"
	// KindCredential: the credential cannot be sent in a header.
	KindCredential Kind = LocalPrefix + "unusable-credential"
	// KindInvalidRequest: the call cannot be put into an HTTP request.
	KindInvalidRequest Kind = LocalPrefix + "invalid-request"
	// KindInvalidSettings: the settings of a client cannot work.
	KindInvalidSettings Kind = LocalPrefix + "invalid-settings"
	// KindJournal: a write could not be put down before it was to leave; nothing was sent.
	KindJournal Kind = LocalPrefix + "journal-unusable"
	// KindBeingSent: another program is sending the same write.
	KindBeingSent Kind = LocalPrefix + "being-sent"
	// KindAlreadySent: a write was done before, and its effect cannot be read.
	KindAlreadySent Kind = LocalPrefix + "already-sent"
	// KindNoSandbox: the service has no sandbox, which only the reference service has.
	KindNoSandbox Kind = LocalPrefix + "no-sandbox"
)
