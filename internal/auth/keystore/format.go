package keystore

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// formatVersion is the version of both stored forms, the keyring's item and the file.
const formatVersion = 1

// maxFile bounds the file, in bytes, for reading and for writing.
const maxFile = 1 << 20

// storedLogin is a login as it is stored. A new member needs a new version: an older program that rewrites the file
// would otherwise drop the member silently.
type storedLogin struct {
	Origin       string    `json:"origin"`
	ClientID     string    `json:"client_id,omitempty"`
	ClientSecret string    `json:"client_secret,omitempty"`
	AccessToken  string    `json:"access_token,omitempty"`
	TokenType    string    `json:"token_type,omitempty"`
	Scope        string    `json:"scope,omitempty"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
	ObtainedAt   time.Time `json:"obtained_at,omitzero"`
}

// keyringItem is the value of an item of the keyring.
type keyringItem struct {
	Version int `json:"version"`
	storedLogin
}

// fileContent is the content of the file, with one login for each key.
type fileContent struct {
	Version int         `json:"version"`
	Logins  []fileLogin `json:"logins"`
}

type fileLogin struct {
	Profile string `json:"profile"`
	storedLogin
}

func (l Login) inUTC() Login {
	l.ExpiresAt, l.ObtainedAt = l.ExpiresAt.UTC(), l.ObtainedAt.UTC()
	return l
}

// prepare completes l for k and refuses a login of another origin.
func prepare(k Key, l Login) (Login, error) {
	if l.Origin == "" {
		l.Origin = k.Origin
	}
	if l.Origin != k.Origin {
		return Login{}, &Error{Kind: ErrOrigin, Cause: fmt.Errorf("it was issued by %s", l.Origin)}
	}
	return l, nil
}

// encodeItem returns the compact JSON of l.
func encodeItem(l Login) (string, error) {
	b, err := marshal(keyringItem{Version: formatVersion, storedLogin: storedLogin(l.inUTC())})
	return string(b), err
}

// decodeItem reads what encodeItem wrote. Its errors match ErrCorrupt. A login of another origin is one: an item that
// was copied in the keyring by other means must not send a token to another origin.
func decodeItem(k Key, value string) (Login, error) {
	var item keyringItem
	if err := unmarshal([]byte(value), &item); err != nil {
		return Login{}, err
	}
	if item.Origin != k.Origin {
		return Login{}, corrupt("it is a login of %s", item.Origin)
	}
	return Login(item.storedLogin).inUTC(), nil
}

// find returns the index of the login of k, or -1.
func (c *fileContent) find(k Key) int {
	return slices.IndexFunc(c.Logins, func(l fileLogin) bool { return l.Profile == k.Profile && l.Origin == k.Origin })
}

func (c *fileContent) encode() ([]byte, error) {
	data, err := marshal(c, jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	data = append(data, '\n')
	if len(data) > maxFile {
		cause := fmt.Errorf("the file would take %d bytes of at most %d", len(data), maxFile)
		return nil, &Error{Kind: ErrTooLarge, Cause: cause}
	}
	return data, nil
}

// decodeFile reads what encode wrote. Its errors match ErrCorrupt.
func decodeFile(data []byte) (*fileContent, error) {
	c := new(fileContent)
	return c, unmarshal(data, c)
}

func marshal(v any, options ...json.Options) ([]byte, error) {
	data, err := json.Marshal(v, options...)
	if err != nil { // stray bytes that are not UTF-8, or a year after 9999
		return nil, &Error{
			Kind: ErrNotStored, Cause: errors.New("a part of it is not valid UTF-8, or a time in it is out of range"),
			next: "check the client id and secret for stray bytes and log in again",
		}
	}
	return data, nil
}

// unmarshal decodes one JSON value of the present version into v. Its errors match ErrCorrupt and do not quote the
// input, which is secret, as those of the JSON package do.
func unmarshal(data []byte, v any) error {
	var head struct {
		Version *int `json:"version"`
	}
	switch err := json.Unmarshal(data, &head); {
	case err != nil:
		return corrupt("it is not a JSON object with a version")
	case head.Version == nil:
		return corrupt("it names no format version")
	case *head.Version != formatVersion:
		return corrupt("it has format version %d, this program reads version %d", *head.Version, formatVersion)
	}
	if err := json.Unmarshal(data, v, json.RejectUnknownMembers(true)); err != nil {
		return corrupt("a member is unknown or has an unusable value")
	}
	return nil
}
