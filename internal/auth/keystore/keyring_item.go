package keystore

import (
	"fmt"
	"strings"
)

// keyringService is the service name of all items of this program in the keyring.
const keyringService = "payctl"

// maxUserName is what Windows allows for a user name, in bytes (CRED_MAX_USERNAME_LENGTH is 513 with the final NUL).
const maxUserName = 512

// userName is the keyring's user name of k: "<profile>@<origin>". Each byte other than a-z 0-9 . _ - (and : / [ ] in
// the origin) is written as %xx in lower case. So the first @ always ends the profile, and two keys never share a name,
// even where the system ignores case, as the Windows credential manager does. Quotes and line breaks, which macOS's
// security tool would interpret, do not occur.
func userName(k Key) (string, error) {
	name := escape(k.Profile, "") + "@" + escape(k.Origin, ":/[]")
	if len(name) > maxUserName {
		return "", &Error{
			Kind: ErrTooLarge, Cause: fmt.Errorf("its name takes %d bytes of at most %d", len(name), maxUserName),
			next: "choose a shorter name for the profile",
		}
	}
	return name, nil
}

func escape(s, also string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', strings.IndexByte("._-"+also, c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02x", c)
		}
	}
	return b.String()
}

// maxValue is the longest value, in bytes, that the keyring of goos takes for that user name.
func maxValue(goos, user string) int {
	switch goos {
	case "windows":
		return 2560 // CRED_MAX_CREDENTIAL_BLOB_SIZE
	case "darwin":
		// go-keyring passes macOS's security tool one command line of at most 4,096 bytes, with the value in base64.
		// The spare bytes are for quotes and for the tool's own line buffer.
		const line, spare = 4096, 64
		const command = "add-generic-password -U -s " + keyringService + " -a  -w go-keyring-base64:\n"
		return max(0, (line-spare-len(command)-len(user))/4*3)
	}
	return 64 << 10 // the Secret Service has no limit; a login is never that long
}

func checkSize(goos, user, value string) error {
	if limit := maxValue(goos, user); len(value) > limit {
		return &Error{Kind: ErrTooLarge, Cause: fmt.Errorf("it takes %d bytes of at most %d", len(value), limit)}
	}
	return nil
}
