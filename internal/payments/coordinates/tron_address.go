package coordinates

import "github.com/btcsuite/btcd/btcutil/base58"

// TronAddress checks an address of Tron's main network: base58check of 20 bytes under the version byte 0x41, which
// always starts with T. It is returned as given.
//
// Source: TRON documentation, "Account", address format.
func TronAddress(value string) (string, error) {
	const kind = "Tron address"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	if s[0] != 'T' {
		return "", invalid(kind, "it must start with T")
	}
	if err := onlyOf(kind, s, isBase58, notBase58); err != nil {
		return "", err
	}
	if len(s) != 34 {
		return "", invalid(kind, "it has %s and needs 34", count(len(s), "character"))
	}
	hash, version, err := base58.CheckDecode(s)
	if err != nil {
		return "", badChecksum(kind)
	}
	if version != 0x41 || len(hash) != 20 {
		return "", invalid(kind, "its checksum is right, but it belongs to another network")
	}
	if allZero(hash) {
		return "", zeroAddress(kind)
	}
	return s, nil
}

func badChecksum(kind string) Problem {
	return invalid(kind, "its checksum does not match, so at least one character is mistyped")
}
