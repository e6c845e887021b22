package credential

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"
)

// formatVersion is the version of both stored forms, the keyring's item and the file.
const formatVersion = 1

// fields is a login as it is stored. A member more is a new version: an older program
// that rewrote the file would otherwise drop it without a word.
type fields struct {
	Origin       string    `json:"origin"`
	ClientID     string    `json:"client_id,omitempty"`
	ClientSecret string    `json:"client_secret,omitempty"`
	AccessToken  string    `json:"access_token,omitempty"`
	TokenType    string    `json:"token_type,omitempty"`
	Scope        string    `json:"scope,omitempty"`
	ExpiresAt    time.Time `json:"expires_at,omitzero"`
	ObtainedAt   time.Time `json:"obtained_at,omitzero"`
}

// item is the value of a keyring item.
type item struct {
	Version int `json:"version"`
	fields
}

func toFields(l Login) fields {
	f := fields(l)
	f.ExpiresAt, f.ObtainedAt = f.ExpiresAt.UTC(), f.ObtainedAt.UTC()
	return f
}

func (f fields) login() Login {
	l := Login(f)
	l.ExpiresAt, l.ObtainedAt = l.ExpiresAt.UTC(), l.ObtainedAt.UTC()
	return l
}

// prepare completes l for k and refuses what would not come back as it went in.
func prepare(k Key, l Login) (Login, error) {
	if l.Origin == "" {
		l.Origin = k.Origin
	}
	if l.Origin != k.Origin {
		return Login{}, &kinded{kind: ErrOrigin, cause: fmt.Errorf("it was issued by %s", l.Origin)}
	}
	for _, s := range []string{k.Profile, l.Origin, l.ClientID, l.ClientSecret, l.AccessToken, l.TokenType, l.Scope} {
		// encoding/json would put U+FFFD for such bytes, and so store another secret.
		if !utf8.ValidString(s) {
			return Login{}, &kinded{
				kind: ErrNotStored, cause: errors.New("a part of it is not valid UTF-8"),
				next: "check the client id and secret for stray bytes and log in again",
			}
		}
	}
	return l, nil
}

// encodeItem is the compact JSON of l.
func encodeItem(l Login) (string, error) {
	b, err := marshal(item{Version: formatVersion, fields: toFields(l)}, "")
	return string(b), err
}

// decodeItem reads what encodeItem wrote; all its errors are of kind ErrCorrupt.
func decodeItem(k Key, value string) (Login, error) {
	var it item
	if err := unmarshal([]byte(value), &it); err != nil {
		return Login{}, err
	}
	if err := ownOrigin(k, it.Origin); err != nil {
		return Login{}, err
	}
	return it.login(), nil
}

// ownOrigin makes sure that a login that was moved by hand goes nowhere else.
func ownOrigin(k Key, origin string) error {
	if origin == k.Origin {
		return nil
	}
	return corrupt("it is a login of %s", origin)
}

func marshal(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keyrings count bytes
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		// Only a year beyond 9999 comes here (RFC 3339, section 1).
		return nil, &kinded{kind: ErrNotStored, cause: errors.New("a time in it is out of range")}
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// unmarshal decodes one JSON value of the present version into v. Its errors are of
// kind ErrCorrupt and quote nothing of the input, which is secret.
func unmarshal(data []byte, v any) error {
	if !utf8.Valid(data) {
		return corrupt("it is not valid UTF-8")
	}
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return corrupt("%s", describe(err))
	}
	if head.Version == nil {
		return corrupt("it names no format version")
	}
	if *head.Version != formatVersion {
		return corrupt("it has format version %d, this program reads version %d", *head.Version, formatVersion)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return corrupt("%s", describe(err))
	}
	return nil
}

// describe says where JSON went wrong; the package's own messages quote the value.
func describe(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("it is not JSON (byte %d)", syntax.Offset)
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("a member has the wrong type (byte %d)", kind.Offset)
	}
	return "a member is unknown or has an unusable value"
}

func corrupt(format string, args ...any) error {
	return &kinded{kind: ErrCorrupt, cause: fmt.Errorf(format, args...)}
}
