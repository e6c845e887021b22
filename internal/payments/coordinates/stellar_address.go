package coordinates

import (
	"encoding/base32"
	"encoding/binary"
)

// Version bytes of the two kinds of StrKey that can be paid.
const (
	strKeyAccount = 6 << 3  // G: an ed25519 public key
	strKeyMuxed   = 12 << 3 // M: the same, followed by a 64-bit id
)

// StellarAddress checks an account (G…) or a muxed account (M…) of Stellar and returns it as given.
//
// Source: SEP-23, "Strkeys"; CAP-27 for muxed accounts.
func StellarAddress(value string) (string, error) {
	const kind = "Stellar address"
	s, err := trim(kind, value)
	if err != nil {
		return "", err
	}
	var version byte
	var length int
	switch s[0] {
	case 'G':
		version, length = strKeyAccount, 56
	case 'M':
		version, length = strKeyMuxed, 69
	case 'S':
		return "", invalid(kind, "it starts with S as secret seeds do, which nobody else may see; an address starts with G or M")
	default:
		return "", invalid(kind, "it must start with G or M")
	}
	if err := onlyOf(kind, s, isBase32, "a capital letter or one of the digits 2 to 7"); err != nil {
		return "", err
	}
	if len(s) != length {
		return "", invalid(kind, "it has %s and needs %d", count(len(s), "character"), length)
	}
	encoding := base32.StdEncoding.WithPadding(base32.NoPadding)
	raw, err := encoding.DecodeString(s)
	// SEP-23 has one text for one key; Go's decoder ignores stray bits at the end.
	if err != nil || encoding.EncodeToString(raw) != s {
		return "", invalid(kind, "its last character carries stray bits, so it is mistyped")
	}
	body, checksum := raw[:len(raw)-2], raw[len(raw)-2:]
	if crc16(body) != binary.LittleEndian.Uint16(checksum) {
		return "", badChecksum(kind)
	}
	if body[0] != version {
		return "", invalid(kind, "its key is of another kind than ed25519")
	}
	if allZero(body[1:33]) {
		return "", zeroAddress(kind)
	}
	return s, nil
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

func isBase32(r rune) bool { return isUpper(r) || r >= '2' && r <= '7' }
