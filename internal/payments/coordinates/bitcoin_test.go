package coordinates

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/btcsuite/btcd/btcutil/bech32"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The valid main network addresses of BIP-173 (version 0) and BIP-350.
var segwitVectors = []string{
	"BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
	"bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
	"BC1SW50QGDZ25J",
	"bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
	"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
}

// The invalid addresses of BIP-173 and BIP-350, and the
// messages of this package. If both the network and something else is wrong, the network wins.
var segwitInvalid = map[string]string{
	"tc1qw508d6qejxtdg4y5r3zarvary0c5xw7kg3g4ty": "it must start with 1, 3 or bc1",
	"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5": "its checksum does not match",
	"BC13W508D6QEJXTDG4Y5R3ZARVARY0C5XW7KN40WF2": "its witness version is 17",
	"bc1rw5uspcuh": "it has 12 characters and needs 14",
	"bc10w508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kw5rljs90": "it has 76 characters",
	"BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P":                                         "its witness program has 16 bytes and needs 20 or 32",
	"tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sL5k7":               "test network",
	"bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du":                                        "checksum is that of another witness version",
	"tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3pjxtptv":               "test network",
	"bc1gmk9yu": "it has 9 characters",
	"tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut": "it must start with 1, 3 or bc1",
	"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd": "another witness version",
	"tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf": "test network",
	"BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL": "another witness version",
	"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh":                     "another witness version",
	"tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47": "test network",
	"bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4": `character 57, "o", is not in the bech32 alphabet`,
	"BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R": "its witness version is 17",
	"bc1pw5dgrnzv": "it has 12 characters",
	"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav": "it has 76 characters",
	"tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq":               "test network",
	"bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf":             "do not make up whole bytes",
	"tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j":               "test network",
}

func TestSegwitVectors(t *testing.T) {
	t.Parallel()
	for _, address := range segwitVectors {
		requireAccepted(t, BitcoinAddress, address, strings.ToLower(address))
	}
	for address, part := range segwitInvalid {
		requireRefused(t, BitcoinAddress, address, part)
	}
	// The faults that the vectors above show on test network addresses only.
	mixed := "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4"
	requireRefused(t, BitcoinAddress, mixed, "mixes capital and small letters")
	requireRefused(t, BitcoinAddress, "BC1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "mixes capital and small letters")
	requireRefused(t, BitcoinAddress, "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "test network")
	nonZeroPadding := encodeSegwit(t, 1, append(groups(t, bytesOf(7, 31)), 1))
	requireRefused(t, BitcoinAddress, encodeSegwit(t, 1, groups(t, bytesOf(7, 41))), "it has 76 characters")
	requireRefused(t, BitcoinAddress, nonZeroPadding, "do not make up whole bytes")
	requireRefused(t, BitcoinAddress, encodeSegwit(t, 0, groups(t, bytesOf(0, 20))), "it is all zeros")
}

func TestBase58Vectors(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", // the output of the first block
		"1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2",
		"3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy",
	} {
		requireAccepted(t, BitcoinAddress, address, address)
	}
	hash, err := hex.DecodeString("751e76e8199196d454941c45d1b3a323f1433bd6")
	require.NoError(t, err)
	requireAccepted(t, BitcoinAddress, base58.CheckEncode(hash, 0), "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH")
	for value, part := range map[string]string{
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb":  "its checksum does not match",
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7Divf0a":  `character 33, "0"`,
		"1A1zP1eP5QGefi2":                     "it has 15 characters and needs 26 to 35",
		"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn":  "test network",
		"2MzQwSSnBHWHqSAqtTVQ6v47XtaisrJa1Vc": "test network",
		"1111111111111111111114oLvT2":         "it is all zeros",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t":  "it must start with 1, 3 or bc1",
	} {
		requireRefused(t, BitcoinAddress, value, part)
	}
	requireRefused(t, BitcoinAddress, base58.CheckEncode(bytesOf(9, 21), bitcoinP2PKH), "another network")
}

func TestSegwitProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.ByteRange(0, 16).Draw(t, "version")
		length := rapid.IntRange(2, 40).Draw(t, "length")
		if version == 0 {
			length = rapid.SampledFrom([]int{20, 32}).Draw(t, "length of version 0")
		}
		program := rapid.SliceOfN(rapid.ByteRange(1, 255), length, length).Draw(t, "program")
		address := encodeSegwit(t, version, groups(t, program))
		requireAccepted(t, BitcoinAddress, address, address)
		requireAccepted(t, BitcoinAddress, strings.ToUpper(address), address)
		requireSingleTypoRefused(t, BitcoinAddress, address, "qpzry9x8gf2tvdw0s3jn54khce6mua7l")
	})
}

func TestBase58Property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		address := base58.CheckEncode(rapid.SliceOfN(rapid.ByteRange(1, 255), 20, 20).Draw(t, "hash"),
			rapid.SampledFrom([]byte{bitcoinP2PKH, bitcoinP2SH}).Draw(t, "version"))
		requireAccepted(t, BitcoinAddress, address, address)
		requireSingleTypoRefused(t, BitcoinAddress, address, base58Alphabet)
	})
}

func groups(t require.TestingT, program []byte) []byte {
	data, err := bech32.ConvertBits(program, 8, 5, true)
	require.NoError(t, err)
	return data
}

func encodeSegwit(t require.TestingT, version byte, data []byte) string {
	encode := bech32.EncodeM
	if version == 0 {
		encode = bech32.Encode
	}
	address, err := encode("bc", append([]byte{version}, data...))
	require.NoError(t, err)
	return address
}
