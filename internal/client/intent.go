package client

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/go-json-experiment/json"

	"github.com/payctl/payctl/internal/contract"
	"github.com/payctl/payctl/internal/payments"
)

// intent describes a write to the journal: what it is, and by what its effect can be found. The body itself is kept only
// of a transfer that is not a row of a file; others hold what is personal, and a file is there to be sent again.
func (c *Client) intent(operation, key, path string, body []byte) payments.Intent {
	var found marks
	if key == "" || json.Unmarshal(body, &found) != nil { // another body has none
		found = marks{}
	}
	return marked(operation, key, path, body, found)
}

// marks are what the effect of a write can be found by.
type marks struct {
	Reference  string `json:"reference"`
	ExternalID string `json:"externalId"`
	BatchID    string `json:"batchId"`
}

// marked is intent for a body whose marks are known.
func marked(operation, key, path string, body []byte, found marks) payments.Intent {
	intent := payments.Intent{Operation: operation, Key: key}
	if key == "" {
		return intent
	}
	hash := sha256.New()
	hash.Write([]byte(path + "\n"))
	hash.Write(body)
	intent.BodyHash = hex.EncodeToString(hash.Sum(nil))
	intent.Reference, intent.ExternalID, intent.BatchID = found.Reference, found.ExternalID, found.BatchID
	if operation == contract.CreateAutoTransfer.ID && intent.BatchID == "" {
		intent.Body = body
	}
	return intent
}
