package keyringtest

// System is the keyring of the operating system, in which another program than payctl writes and reads items of payctl's.
type System interface {
	// Hold stores a value as the item of a user name, in place of the one that it had.
	Hold(user, value string)
	// Held returns the value of the item of a user name; empty if there is none.
	Held(user string) string
}

// service is the service name of payctl's items.
const service = "payctl"
