package coordinates

import (
	"encoding/base32"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The vectors of SEP-23. Its valid strkeys of other kinds cannot be paid, so they stand among the refused ones.
func TestStellarAddressVectors(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLK",
	} {
		requireAccepted(t, StellarAddress, " "+address+" ", address)
	}
	for address, part := range map[string]string{
		"GAAAAAAAACGC6": "it has 13 characters and needs 56",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUR":    "stray bits",
		"GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZA":                "it has 57 characters",
		"GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUACUSI":               "it has 58 characters",
		"G47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVP2I":                 "another kind than ed25519",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAJLKA":   "it has 70 characters",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVAAAAAAAAAAAAAAV75I":  "it has 71 characters",
		"M47QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ":    "checksum does not match",
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUK===": `character 70, "="`,
		"MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUO":    "checksum does not match",
		"CA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUWDA":                 "it must start with G or M",
		"LA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUPJN":                 "it must start with G or M",
		"BAAD6DBUX6J22DMZOHIEZTEQ64CVCHEDRKWZONFEUL5Q26QD7R76RGR4TU":               "it must start with G or M",
		"ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz":                 "it must start with G or M",
		"GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSG1":                 `character 56, "1"`,
		"GAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAWHF":                 "it is all zeros",
		"SA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ":                 "starts with S as secret seeds do",
	} {
		requireRefused(t, StellarAddress, address, part)
	}
}

func TestStellarAddressProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		muxed := rapid.Bool().Draw(t, "muxed")
		version, length := byte(strKeyAccount), 32
		if muxed {
			version, length = strKeyMuxed, 40
		}
		body := append([]byte{version}, rapid.SliceOfN(rapid.ByteRange(1, 255), length, length).Draw(t, "key")...)
		raw := binary.LittleEndian.AppendUint16(body, crc16(body))
		address := base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(raw)
		requireAccepted(t, StellarAddress, address, address)
		requireSingleTypoRefused(t, StellarAddress, address, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
	})
}

func TestCRC16(t *testing.T) {
	t.Parallel()
	// The check value of CRC-16/XMODEM in the catalogue of parametrised CRCs.
	require.Equal(t, uint16(0x31c3), crc16([]byte("123456789")))
}

func TestStellarMemo(t *testing.T) {
	t.Parallel()
	requireAccepted(t, StellarMemo, " invoice 7 ", " invoice 7 ")
	requireAccepted(t, StellarMemo, strings.Repeat("é", 14), strings.Repeat("é", 14))
	requireRefused(t, StellarMemo, strings.Repeat("a", 29), "it has 29 bytes in UTF-8 and a text memo holds 28")
	requireRefused(t, StellarMemo, strings.Repeat("é", 15), "it has 30 bytes")
	requireRefused(t, StellarMemo, "a\xff", "it is not UTF-8 text")
	requireRefused(t, StellarMemo, "a\x1b[2J", `the control character "\x1b"`)
}
