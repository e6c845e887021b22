package coordinates

import (
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
)

// SolanaAddress checks an account address of Solana: the base58 form of exactly 32 bytes, returned as given. The form
// has no checksum: a typo that leaves 32 bytes, which even a lost character can, is not noticed. The all-zero address,
// which belongs to the System Program, is refused.
//
// Source: Solana documentation, "Accounts"; Bitcoin's base58 alphabet.
func SolanaAddress(value string) (string, error) {
	const kind = "Solana address"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	if err := onlyOf(kind, s, isBase58, notBase58); err != nil {
		return "", err
	}
	// Decoding takes quadratic time, and no 32 bytes take more than 44 characters.
	if len(s) < 32 || len(s) > 44 {
		return "", invalid(kind, "it has %s and needs 32 to 44", count(len(s), "character"))
	}
	key := base58.Decode(s)
	if len(key) != 32 {
		return "", invalid(kind, "it stands for %s and needs 32, so a character is missing, mistyped or too many", count(len(key), "byte"))
	}
	if allZero(key) {
		return "", zeroAddress(kind)
	}
	return s, nil
}

const notBase58 = "in the base58 alphabet, which leaves out 0, O, I and l"

func isBase58(r rune) bool {
	return strings.ContainsRune("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", r)
}
