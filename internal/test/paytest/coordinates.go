package paytest

// Coordinates are well-formed coordinates of a contact on a payment rail, by the member that holds them. They are
// not in use. An unknown rail has none.
func Coordinates(rail string) map[string]string {
	switch rail {
	case "ach", "ach_same_day", "wire", "rtp":
		return map[string]string{"routingNumber": "021000021", "accountNumber": "000123456789"}
	case "swift":
		return map[string]string{"bic": "DEUTDEFF", "accountNumber": "12-3456-7890123-00"}
	case "sepa", "sepa_instant":
		return map[string]string{"iban": "DE89370400440532013000"}
	case "faster_payments":
		return map[string]string{"sortCode": "20-00-00", "accountNumber": "55779911"}
	case "pix":
		return map[string]string{"pixKeyType": "evp", "pixKey": "123e4567-e89b-42d3-a456-426614174000"}
	case "spei":
		return map[string]string{"clabe": "032180000118359719"}
	case "ethereum", "base", "polygon", "arbitrum", "optimism", "avalanche":
		return map[string]string{"address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}
	case "solana":
		return map[string]string{"address": "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"}
	case "stellar":
		return map[string]string{"address": "GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ", "memo": "42"}
	case "tron":
		return map[string]string{"address": "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7"}
	case "bitcoin":
		return map[string]string{"address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"}
	}
	return nil
}
