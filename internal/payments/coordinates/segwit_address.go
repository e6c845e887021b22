package coordinates

import (
	"strings"

	"github.com/btcsuite/btcd/btcutil/bech32"
)

// segwitAddress checks a bc1 address: version 0 in bech32 with a program of 20 or 32 bytes (BIP-141), versions 1 to 16
// in bech32m with 2 to 40. Versions that have no meaning yet are let through, as BIP-350 asks of senders.
//
// Source: BIP-173, "Segwit address format"; BIP-350, "Addresses for segregated witness outputs".
func segwitAddress(s string) (string, error) {
	folded := lower(s)
	if s != folded && s != upper(s) {
		return "", invalid(bitcoinKind, "it mixes capital and small letters")
	}
	if err := onlyOf(bitcoinKind, folded[len("bc1"):], isBech32, "in the bech32 alphabet, which leaves out 1, b, i and o (counted after bc1)"); err != nil {
		return "", err
	}
	// "bc1", a version, 2 to 40 bytes in groups of five bits, and six of checksum:
	// with whole bytes, asked for below, this bounds the program too.
	if len(s) < 14 || len(s) > 74 {
		return "", invalid(bitcoinKind, "it has %s and needs 14 to 74", count(len(s), "character"))
	}
	_, data, encoding, err := bech32.DecodeGeneric(folded)
	if err != nil {
		return "", badChecksum(bitcoinKind)
	}
	version := data[0]
	if version > 16 {
		return "", invalid(bitcoinKind, "its witness version is %d and may be 16 at most", version)
	}
	if (version == 0) != (encoding == bech32.Version0) {
		return "", invalid(bitcoinKind, "its checksum is that of another witness version")
	}
	program, err := bech32.ConvertBits(data[1:], 5, 8, false)
	if err != nil {
		return "", invalid(bitcoinKind, "its characters do not make up whole bytes")
	}
	if n := len(program); version == 0 && n != 20 && n != 32 {
		return "", invalid(bitcoinKind, "its witness program has %s and needs 20 or 32", count(n, "byte"))
	}
	if allZero(program) {
		return "", zeroAddress(bitcoinKind)
	}
	return folded, nil
}

func isBech32(r rune) bool { return strings.ContainsRune("qpzry9x8gf2tvdw0s3jn54khce6mua7l", r) }
