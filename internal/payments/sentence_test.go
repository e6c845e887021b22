package payments

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	for text, sentence := range map[string]string{
		"":                             "",
		"the disk is full":             "The disk is full.",
		"The disk is full.":            "The disk is full.",
		"is it there?":                 "Is it there?",
		"payctl has a fault":           "payctl has a fault.",
		"/etc/config.yaml is not safe": "/etc/config.yaml is not safe.",
		"--rate is too high":           "--rate is too high.",
		" odd":                         " odd.",
	} {
		require.Equal(t, sentence, Sentence(text))
	}
}
