package forward

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// The form of a secret: this prefix, then random bytes in Base64, of which Standard Webhooks wants 24 to 64.
const (
	secretPrefix         = "whsec_"
	fewestKey, keyLength = 24, 32
	mostKey              = 64
)

// MaxSecretFile bounds a file with a secret, in bytes.
const MaxSecretFile = 4 << 10

// NewSecret makes a secret with which receivers verify that events come from here.
func NewSecret() string {
	key := make([]byte, keyLength)
	_, _ = rand.Read(key) // it never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// ParseSecret reads the content of a file with a secret. The error tells nothing of it.
func ParseSecret(content []byte) (string, error) {
	secret := string(bytes.TrimSpace(content))
	_, err := signerOf(secret)
	return secret, err
}

func signerOf(secret string) (*standardwebhooks.Webhook, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < fewestKey || len(key) > mostKey {
		return nil, errors.New("the secret must be whsec_ and 24 to 64 bytes in Base64")
	}
	return standardwebhooks.NewWebhookRaw(key)
}

// Verify returns nil if an event was signed with the secret in the last five minutes. The arguments are the values of its
// headers webhook-id, webhook-timestamp and webhook-signature.
func Verify(secret, id, timestamp, signature string, body []byte) error {
	signer, err := signerOf(secret)
	if err != nil {
		return err
	}
	header := http.Header{}
	header.Set(standardwebhooks.HeaderWebhookID, id)
	header.Set(standardwebhooks.HeaderWebhookTimestamp, timestamp)
	header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	return signer.Verify(body, header)
}
