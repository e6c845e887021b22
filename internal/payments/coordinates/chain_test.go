package coordinates

import (
	"strings"
	"testing"

	"github.com/btcsuite/btcd/btcutil/base58"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The test cases of EIP-55: all capitals, all small, mixed.
var eip55Vectors = []string{
	"0x52908400098527886E0F7030069857D2E4169EE7",
	"0x8617E340B3D01FA5F11F306F4090FD50E238070D",
	"0xde709f2102306220921060314715629080e2fb77",
	"0x27b1fdb04752bbc536007a920d24acb045561c26",
	"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
	"0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
	"0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
	"0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
}

func TestEVMAddressVectors(t *testing.T) {
	t.Parallel()
	for _, address := range eip55Vectors {
		requireAccepted(t, EVMAddress, address, address)
		requireAccepted(t, EVMAddress, strings.ToLower(address), address)
		requireAccepted(t, EVMAddress, "0x"+strings.ToUpper(address[2:]), address)
	}
}

func TestEVMAddressRefusals(t *testing.T) {
	t.Parallel()
	for value, part := range map[string]string{
		"5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":    "it must start with 0x",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe":   "it has 39 digits after the 0x and needs 40",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed0": "it has 41 digits",
		"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD":  "EIP-55 checksum",
		"0x6aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed":  "EIP-55 checksum",
		"0x5aAeb6053F3E94C9b9A09g33669435E7Ef1BeAed":  `character 22, "g", is not a hexadecimal digit`,
		"0x0000000000000000000000000000000000000000":  "it is all zeros",
	} {
		requireRefused(t, EVMAddress, value, part)
	}
}

func TestEVMAddressCaseProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		address, err := EVMAddress("0x" + drawText(t, "123456789abcdef", 40, "address"))
		require.NoError(t, err)
		requireAccepted(t, EVMAddress, address, address)
		i := rapid.IntRange(2, 41).Draw(t, "position")
		flipped := address[:i] + string(address[i]^0x20) + address[i+1:]
		digits := flipped[2:]
		if address[i] <= '9' || digits == lower(digits) || digits == upper(digits) {
			t.Skip("no letter there, or no mixture left")
		}
		requireRefused(t, EVMAddress, flipped, "EIP-55 checksum")
	})
}

func TestSolanaAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", // the mint of USDC
		"TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
		"Vote111111111111111111111111111111111111111",
		"SysvarC1ock11111111111111111111111111111111",
	} {
		requireAccepted(t, SolanaAddress, " "+address+"\n", address)
	}
	for value, part := range map[string]string{
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt":    "it stands for 31 bytes and needs 32",
		"EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v1": "it has 45 characters and needs 32 to 44",
		"zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz":  "it stands for 33 bytes",
		"0PjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v":  `character 1, "0", is not in the base58 alphabet`,
		"11111111111111111111111111111111":              "it is all zeros",
		"EPjF Wdd5":                                     `character 5, " "`,
	} {
		requireRefused(t, SolanaAddress, value, part)
	}
}

func TestSolanaAddressProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(30, 34).Draw(t, "length")
		key := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "key")
		_, err := SolanaAddress(base58.Encode(key))
		require.Equal(t, n == 32 && !allZero(key), err == nil)
	})
}

func TestTronAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t", // the contract of USDT
		"TJAAinkKN2h9KxtBZXw6SyL7HwCQXnzFsE",
		"TCNtTa1rveKkovHR2ebABu4K66U6ocUCZX",
		"TUw4rqTx1tBvj5RosPfRW2dv38HoaC7yaR",
	} {
		requireAccepted(t, TronAddress, address, address)
	}
	for value, part := range map[string]string{
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6u":         "its checksum does not match",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6":          "it has 33 characters and needs 34",
		"TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6I":         `character 34, "I", is not in the base58 alphabet`,
		"1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa":         "it must start with T",
		"411a6ac17c82ad141ebc524a9ffc94965848f35279": "it must start with T",
		"T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb":         "it is all zeros",
	} {
		requireRefused(t, TronAddress, value, part)
	}
	// 0x42 also starts with T, and its checksum is right.
	requireRefused(t, TronAddress, "T"+strings.TrimPrefix(base58.CheckEncode(bytesOf(0x01, 20), 0x42), "T"), "another network")
}

func TestTronAddressProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		hash := rapid.SliceOfN(rapid.ByteRange(1, 255), 20, 20).Draw(t, "hash")
		address := base58.CheckEncode(hash, 0x41)
		requireAccepted(t, TronAddress, address, address)
		requireSingleTypoRefused(t, TronAddress, address, base58Alphabet)
	})
}

func bytesOf(b byte, n int) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = b
	}
	return out
}
