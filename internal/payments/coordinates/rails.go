package coordinates

// member is one coordinate as one rail understands it: which JSON member holds
// it, where it stands in Coordinates, and what it must satisfy.
type member struct {
	name  string
	at    func(*Coordinates) *string
	check func(Coordinates) (string, error)
}

var (
	ibanMember = member{
		"iban",
		func(c *Coordinates) *string { return &c.IBAN },
		func(c Coordinates) (string, error) { return IBAN(c.IBAN) },
	}
	bicMember = member{
		"bic",
		func(c *Coordinates) *string { return &c.BIC },
		func(c Coordinates) (string, error) { return BIC(c.BIC) },
	}
	routingMember = member{
		"routingNumber",
		func(c *Coordinates) *string { return &c.RoutingNumber },
		func(c Coordinates) (string, error) { return ABARoutingNumber(c.RoutingNumber) },
	}
	usAccountMember = member{
		"accountNumber",
		func(c *Coordinates) *string { return &c.AccountNumber },
		func(c Coordinates) (string, error) { return USAccountNumber(c.AccountNumber) },
	}
	swiftAccountMember = member{
		"accountNumber",
		func(c *Coordinates) *string { return &c.AccountNumber },
		func(c Coordinates) (string, error) { return SWIFTAccountNumber(c.AccountNumber) },
	}
	ukAccountMember = member{
		"accountNumber",
		func(c *Coordinates) *string { return &c.AccountNumber },
		func(c Coordinates) (string, error) { return UKAccountNumber(c.AccountNumber) },
	}
	sortCodeMember = member{
		"sortCode",
		func(c *Coordinates) *string { return &c.SortCode },
		func(c Coordinates) (string, error) { return SortCode(c.SortCode) },
	}
	clabeMember = member{
		"clabe",
		func(c *Coordinates) *string { return &c.CLABE },
		func(c Coordinates) (string, error) { return CLABE(c.CLABE) },
	}
	pixKeyTypeMember = member{
		"pixKeyType",
		func(c *Coordinates) *string { return &c.PIXKeyType },
		func(c Coordinates) (string, error) { return PIXKeyType(c.PIXKeyType) },
	}
	pixKeyMember = member{
		"pixKey",
		func(c *Coordinates) *string { return &c.PIXKey },
		func(c Coordinates) (string, error) {
			// Without a type a key cannot be judged, and the type's own problem says so.
			if _, err := PIXKeyType(c.PIXKeyType); err != nil {
				return "", nil
			}
			return PIXKey(c.PIXKeyType, c.PIXKey)
		},
	}
	evmMember = member{
		"address",
		addressAt,
		func(c Coordinates) (string, error) { return EVMAddress(c.Address) },
	}
	solanaMember = member{
		"address",
		addressAt,
		func(c Coordinates) (string, error) { return SolanaAddress(c.Address) },
	}
	stellarMember = member{
		"address",
		addressAt,
		func(c Coordinates) (string, error) { return StellarAddress(c.Address) },
	}
	stellarMemoMember = member{
		"memo",
		func(c *Coordinates) *string { return &c.Memo },
		func(c Coordinates) (string, error) { return StellarMemo(c.Memo) },
	}
	tronMember = member{
		"address",
		addressAt,
		func(c Coordinates) (string, error) { return TronAddress(c.Address) },
	}
	bitcoinMember = member{
		"address",
		addressAt,
		func(c Coordinates) (string, error) { return BitcoinAddress(c.Address) },
	}
)

func addressAt(c *Coordinates) *string { return &c.Address }

// rail is what one payment rail asks of its coordinates. Of the members in
// either, one at least must be given, and the problem names the first.
type rail struct {
	name     string
	required []*member
	either   []*member
	optional []*member
}

var rails = [...]rail{
	{name: "ach", required: []*member{&routingMember, &usAccountMember}},
	{name: "ach_same_day", required: []*member{&routingMember, &usAccountMember}},
	{name: "wire", required: []*member{&routingMember, &usAccountMember}},
	{name: "rtp", required: []*member{&routingMember, &usAccountMember}},
	{name: "swift", required: []*member{&bicMember}, either: []*member{&swiftAccountMember, &ibanMember}},
	{name: "sepa", required: []*member{&ibanMember}, optional: []*member{&bicMember}},
	{name: "sepa_instant", required: []*member{&ibanMember}, optional: []*member{&bicMember}},
	{name: "faster_payments", required: []*member{&sortCodeMember, &ukAccountMember}},
	{name: "pix", required: []*member{&pixKeyTypeMember, &pixKeyMember}},
	{name: "spei", required: []*member{&clabeMember}},
	{name: "ethereum", required: []*member{&evmMember}},
	{name: "base", required: []*member{&evmMember}},
	{name: "polygon", required: []*member{&evmMember}},
	{name: "arbitrum", required: []*member{&evmMember}},
	{name: "optimism", required: []*member{&evmMember}},
	{name: "avalanche", required: []*member{&evmMember}},
	{name: "solana", required: []*member{&solanaMember}},
	{name: "stellar", required: []*member{&stellarMember}, optional: []*member{&stellarMemoMember}},
	{name: "tron", required: []*member{&tronMember}},
	{name: "bitcoin", required: []*member{&bitcoinMember}},
}

// Rails lists the payment rails that Check knows.
func Rails() []string {
	names := make([]string, len(rails))
	for i, r := range rails {
		names[i] = r.name
	}
	return names
}
