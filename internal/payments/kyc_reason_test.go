package payments

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReasonsInWords(t *testing.T) {
	t.Parallel()
	require.Equal(t, "The document has expired. (expired_document)", KYCReason{Code: "expired_document", Message: "The document has expired."}.Text())
	require.Equal(t, "provider_declined", KYCReason{Code: "provider_declined", Message: "provider_declined"}.Text())
	require.Equal(t, "provider_declined", KYCReason{Code: "provider_declined"}.Text())
	require.Equal(t, "Words.", KYCReason{Message: "Words."}.Text())
}
