package coordinates

import (
	"encoding/hex"
	"strings"

	"golang.org/x/crypto/sha3"
)

// EVMAddress checks an address of Ethereum or a chain that shares its form: 0x and 40 hexadecimal digits, which in
// mixed case must bear the checksum of EIP-55. It returns the address with that checksum, also where it was given in
// one case only. The zero address, where tokens are destroyed, is refused.
//
// Source: EIP-55, "Mixed-case checksum address encoding".
func EVMAddress(value string) (string, error) {
	const kind = "EVM address"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	digits, ok := strings.CutPrefix(s, "0x")
	if !ok {
		return "", invalid(kind, "it must start with 0x")
	}
	if err := onlyOf(kind, digits, isHex, "a hexadecimal digit (counted after the 0x)"); err != nil {
		return "", err
	}
	if len(digits) != 40 {
		return "", invalid(kind, "it has %s after the 0x and needs 40", count(len(digits), "digit"))
	}
	if strings.Trim(digits, "0") == "" {
		return "", zeroAddress(kind)
	}
	checksummed := eip55(lower(digits))
	oneCase := digits == lower(digits) || digits == upper(digits)
	if !oneCase && digits != checksummed {
		return "", invalid(kind, "its capital and small letters do not fit the EIP-55 checksum, so at least one character is mistyped")
	}
	return "0x" + checksummed, nil
}

// eip55 capitalises each letter whose place in the hash of the address, taken
// as ASCII text, holds a hexadecimal digit of 8 or more.
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

// zeroAddress is the problem of an address that stands for no key at all, on
// any chain: a default that was never filled in, or a place to destroy coins.
func zeroAddress(kind string) Problem {
	return invalid(kind, "it is all zeros, so nobody could ever spend what is sent there")
}
