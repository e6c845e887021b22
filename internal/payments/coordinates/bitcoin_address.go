package coordinates

import (
	"strings"

	"github.com/btcsuite/btcd/btcutil/base58"
)

const bitcoinKind = "Bitcoin address"

// Version bytes of base58check addresses (Bitcoin Wiki, "List of address prefixes").
const (
	bitcoinP2PKH     = 0x00
	bitcoinP2SH      = 0x05
	bitcoinTestP2PKH = 0x6f
	bitcoinTestP2SH  = 0xc4
)

// BitcoinAddress checks an address of Bitcoin's main network: base58check (1…, 3…), or the bech32 and bech32m forms of
// a segregated witness program (bc1…), which it returns in small letters. An address of a test network is refused as
// such.
//
// Source: BIP-13, BIP-173, BIP-350.
func BitcoinAddress(value string) (string, error) {
	s, err := trim(bitcoinKind, value)
	if err != nil {
		return "", err
	}
	switch folded := lower(s); {
	case strings.HasPrefix(folded, "bc1"):
		return segwitAddress(s)
	case strings.HasPrefix(folded, "tb1"), strings.HasPrefix(folded, "bcrt1"):
		return "", testNetwork()
	case strings.ContainsRune("13mn2", rune(s[0])):
		return base58Address(s)
	}
	return "", invalid(bitcoinKind, "it must start with 1, 3 or bc1")
}

func base58Address(s string) (string, error) {
	if err := onlyOf(bitcoinKind, s, isBase58, notBase58); err != nil {
		return "", err
	}
	// Leading zero bytes shorten the text, so only the bounds are known.
	if len(s) < 26 || len(s) > 35 {
		return "", invalid(bitcoinKind, "it has %s and needs 26 to 35", count(len(s), "character"))
	}
	hash, version, err := base58.CheckDecode(s)
	if err != nil {
		return "", badChecksum(bitcoinKind)
	}
	switch {
	case version == bitcoinTestP2PKH, version == bitcoinTestP2SH:
		return "", testNetwork()
	case version != bitcoinP2PKH && version != bitcoinP2SH, len(hash) != 20:
		return "", invalid(bitcoinKind, "its checksum is right, but it belongs to another network")
	case allZero(hash):
		return "", zeroAddress(bitcoinKind)
	}
	return s, nil
}

func testNetwork() Problem {
	return invalid(bitcoinKind, "it belongs to a test network, and only the main network is served")
}
