package coordinates

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/sha3"
)

// evmForm is an address of Ethereum or a chain that shares its form. In mixed case it must bear the checksum of
// EIP-55, with which it is kept. The zero address, where tokens are destroyed, is refused.
//
// Source: EIP-55, "Mixed-case checksum address encoding".
var evmForm = form{
	name: "EVM address", isWhole: true, pattern: `^0x[0-9A-Fa-f]{40}$`, words: "0x and 40 hexadecimal digits",
	check: func(text string) (string, string) {
		digits := text[2:]
		checksummed := eip55(strings.ToLower(digits))
		isOneCase := digits == strings.ToLower(digits) || digits == strings.ToUpper(digits)
		switch {
		case strings.Trim(digits, "0") == "":
			return "", "it is all zeros, so nobody could ever spend what is sent there"
		case !isOneCase && digits != checksummed:
			return "", mistyped
		}
		return "0x" + checksummed, ""
	},
}

// eip55 capitalises each letter whose place in the hash of the address, taken as ASCII text, holds a hexadecimal digit
// of 8 or more.
func eip55(digits string) string {
	hash := sha3.NewLegacyKeccak256()
	hash.Write([]byte(digits))
	sum := hex.EncodeToString(hash.Sum(nil))
	out := []byte(digits)
	for i, c := range out {
		if c >= 'a' && sum[i] >= '8' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

const base58 = "1-9A-HJ-NP-Za-km-z"

// The addresses of other chains are held to their form on the main network. Their checksums are left to the service.
//
// Source: BIP-13, BIP-173 and BIP-350; Solana documentation, "Accounts"; TRON documentation, "Account"; SEP-23, "Strkeys".
var (
	bitcoinForm = form{
		name: "Bitcoin address", isWhole: true,
		pattern: `^([13][` + base58 + `]{25,34}|bc1[02-9ac-hj-np-z]{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71})$`,
		words:   "1, 3 or bc1 and what follows these on the main network",
		check: func(text string) (string, string) {
			if strings.HasPrefix(text, "BC1") {
				text = strings.ToLower(text)
			}
			return text, ""
		},
	}
	solanaForm = form{
		name: "Solana address", isWhole: true, pattern: `^[` + base58 + `]{32,44}$`,
		words: "32 to 44 letters and digits without 0, O, I and l",
	}
	tronForm = form{
		name: "Tron address", isWhole: true, pattern: `^T[` + base58 + `]{33}$`,
		words: "T and 33 letters and digits without 0, O, I and l",
	}
	stellarForm = form{
		name: "Stellar address", isWhole: true, pattern: `^G[A-Z2-7]{55}$`,
		words: "G and 55 capital letters and digits 2 to 7; what starts with S is a secret, which nobody may see",
	}
)

// memoForm is a text memo, by which a custodian tells its customers apart on one address.
//
// Source: Stellar documentation, "Memos" (MEMO_TEXT).
var memoForm = form{
	name: "Stellar memo", isText: true,
	check: func(text string) (string, string) {
		const longest = 28 // bytes
		isFaulty := len(text) > longest || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
		return unless(isFaulty, "it must be up to 28 bytes of UTF-8 without control characters", text)
	},
}
