package money

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"golang.org/x/crypto/sha3"
)

const otherNetwork = "its checksum is right, but it belongs to another network"

// evmForm is an address of Ethereum or of a chain with the same form. In mixed case it must have the checksum of
// EIP-55. The normal form has that checksum. The zero address, where tokens are destroyed, is refused.
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
			return "", allZeros
		case !isOneCase && digits != checksummed:
			return "", mistyped
		}
		return "0x" + checksummed, ""
	},
}

// eip55 capitalises each letter at whose index the hash of the address, as ASCII text, has a hexadecimal digit of 8 or
// more.
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

// bitcoinForm is an address of Bitcoin's main network: base58check, or a segregated witness program in bech32 or
// bech32m. The normal form of the latter is in small letters.
//
// Source: BIP-13, BIP-173, BIP-350.
var bitcoinForm = form{
	name: "Bitcoin address", isWhole: true,
	pattern: `^([13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[02-9ac-hj-np-z]{11,71}|BC1[02-9AC-HJ-NP-Z]{11,71})$`,
	words:   "an address of the main network, which begins with 1, 3 or bc1",
	check: func(text string) (string, string) {
		if text[0] != '1' && text[0] != '3' {
			return checkSegwit(strings.ToLower(text))
		}
		hash, version, err := base58.CheckDecode(text)
		const payToKey, payToScript = 0, 5 // Bitcoin Wiki, "List of address prefixes"
		return checkHash(text, hash, err, version == payToKey || version == payToScript)
	},
}

// checkHash checks the content of base58check: a hash of 20 bytes, of the main network.
func checkHash(text string, hash []byte, err error, isOfMain bool) (string, string) {
	switch {
	case err != nil:
		return "", mistyped
	case !isOfMain, len(hash) != 20:
		return "", otherNetwork
	case isZero(hash):
		return "", allZeros
	}
	return text, ""
}

// checkSegwit checks a bc1 address. Version 0 is in bech32, with a program of 20 or 32 bytes (BIP-141). Versions 1 to
// 16 are in bech32m, with 2 to 40 bytes. Versions without a meaning yet are valid, as BIP-350 asks of senders.
func checkSegwit(text string) (string, string) {
	_, data, encoding, err := bech32.DecodeGeneric(text)
	if err != nil || (data[0] == 0) != (encoding == bech32.Version0) {
		return "", mistyped
	}
	program, err := bech32.ConvertBits(data[1:], 5, 8, false)
	switch n := len(program); {
	case err != nil, data[0] > 16, n < 2, n > 40, data[0] == 0 && n != 20 && n != 32:
		return "", "its witness program does not fit its version"
	case isZero(program):
		return "", allZeros
	}
	return text, ""
}

// solanaForm is an account address of Solana: the base58 form of exactly 32 bytes. It has no checksum. A typo that
// leaves 32 bytes is not noticed, sometimes not even a lost character. The all-zero address belongs to the System
// Program.
//
// Source: Solana documentation, "Accounts"; Bitcoin's base58 alphabet.
var solanaForm = form{
	name: "Solana address", isWhole: true,
	pattern: `^[1-9A-HJ-NP-Za-km-z]{32,44}$`, // decoding more would take quadratic time
	words:   "32 to 44 letters and digits without 0, O, I and l",
	check: func(text string) (string, string) {
		key := base58.Decode(text)
		if isZero(key) {
			return "", allZeros
		}
		return unless(len(key) != 32, "a character is missing, mistyped or too many", text)
	},
}

// tronForm is an address of Tron's main network: base58check of 20 bytes under the version byte 0x41.
//
// Source: TRON documentation, "Account", address format.
var tronForm = form{
	name: "Tron address", isWhole: true, pattern: `^T[1-9A-HJ-NP-Za-km-z]{33}$`,
	words: "T and 33 letters and digits without 0, O, I and l",
	check: func(text string) (string, string) {
		hash, version, err := base58.CheckDecode(text)
		return checkHash(text, hash, err, version == 0x41)
	},
}

// stellarForm is an account of Stellar (G…): an ed25519 public key.
//
// Source: SEP-23, "Strkeys".
var stellarForm = form{
	name: "Stellar address", isWhole: true, pattern: `^G[A-Z2-7]{55}$`,
	words: "G and 55 capital letters and digits 2 to 7; a key that starts with S is a secret, never share it",
	check: func(text string) (string, string) {
		raw, err := base32.StdEncoding.DecodeString(text) // 56 characters need no padding
		const publicKey = 6 << 3
		switch body := raw[:max(0, len(raw)-2)]; {
		case err != nil, crc16(body) != binary.LittleEndian.Uint16(raw[len(body):]):
			return "", mistyped
		case body[0] != publicKey:
			return "", "its key is of another kind than ed25519"
		case isZero(body[1:]):
			return "", allZeros
		}
		return text, ""
	},
}

// crc16 is CRC-16/XMODEM: polynomial 0x1021, starting from zero.
func crc16(data []byte) uint16 {
	var crc uint16
	for _, b := range data {
		crc ^= uint16(b) << 8
		for range 8 {
			if crc&0x8000 != 0 {
				crc = crc<<1 ^ 0x1021
			} else {
				crc <<= 1
			}
		}
	}
	return crc
}

// noPayees are addresses where money is lost. They are the contracts and issuers of USDC, USDT, EURC and PYUSD,
// programs of Solana, and addresses that destroy coins.
//
// Sources: circle.com and tether.to, lists of supported chains; solana.com, native programs; etherscan.io, labels.
const noPayees = " " +
	"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913 " +
	"0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359 0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174 " +
	"0xaf88d065e77c8cC2239327C5EDb3A432268e5831 0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8 " +
	"0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85 0x7F5c764cBc14f9669B88837ca1490cCa17c31607 " +
	"0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E 0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664 " +
	"0xdAC17F958D2ee523a2206206994597C13D831ec7 0xc2132D05D31c914a87C6611C10748AEb04B58e8F " +
	"0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9 0x94b008aA00579c1307B0EF2c499aD98a8ce58e58 " +
	"0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7 0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c " +
	"0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42 0xC891EB4cbdEFf6e073e859e987815Ed1505c2ACD " +
	"0x6c3ea9036406852006290770BEdFcAbA0e23A0e8 0x000000000000000000000000000000000000dEaD " +
	"0xdEAD000000000000000042069420694206942069 " +
	"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB " +
	"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA 1nc1nerator11111111111111111111111111111111 " +
	"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t TEkxiTehnzSmSe2XqrBj4w32RUN966rdz8 " +
	"GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN " +
	"1BitcoinEaterAddressDontSendf59kuE 1CounterpartyXXXXXXXXXXXXXXXUWLpVr "

// memoForm is a text memo. A custodian with one address uses it to tell its customers apart.
//
// Source: Stellar documentation, "Memos" (MEMO_TEXT).
var memoForm = form{
	name: "Stellar memo", isText: true,
	check: func(text string) (string, string) {
		const maxBytes = 28
		isFaulty := len(text) > maxBytes || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl)
		return unless(isFaulty, "it must be up to 28 bytes of UTF-8 without control characters", text)
	},
}

func isZero(key []byte) bool { return len(bytes.Trim(key, "\x00")) == 0 }
