package coordinates

// A member is one coordinate as one rail uses it: its JSON member, its place in Coordinates, and its check.
type member struct {
	name  string
	at    func(*Coordinates) *string
	check func(value string, all Coordinates) (string, error)
}

var (
	bicMember          = member{"bic", func(c *Coordinates) *string { return &c.BIC }, alone(BIC)}
	clabeMember        = member{"clabe", func(c *Coordinates) *string { return &c.CLABE }, alone(CLABE)}
	ibanMember         = member{"iban", ibanAt, alone(IBAN)}
	sepaIBANMember     = member{"iban", ibanAt, alone(sepaIBAN)}
	pixKeyMember       = member{"pixKey", func(c *Coordinates) *string { return &c.PIXKey }, pixKeyOfType}
	pixKeyTypeMember   = member{"pixKeyType", func(c *Coordinates) *string { return &c.PIXKeyType }, alone(PIXKeyType)}
	routingMember      = member{"routingNumber", func(c *Coordinates) *string { return &c.RoutingNumber }, alone(ABARoutingNumber)}
	sortCodeMember     = member{"sortCode", func(c *Coordinates) *string { return &c.SortCode }, alone(SortCode)}
	stellarMemoMember  = member{"memo", func(c *Coordinates) *string { return &c.Memo }, alone(StellarMemo)}
	swiftAccountMember = member{"accountNumber", accountAt, alone(SWIFTAccountNumber)}
	ukAccountMember    = member{"accountNumber", accountAt, alone(UKAccountNumber)}
	usAccountMember    = member{"accountNumber", accountAt, alone(USAccountNumber)}
	bitcoinMember      = member{"address", addressAt, alone(BitcoinAddress)}
	evmMember          = member{"address", addressAt, alone(EVMAddress)}
	solanaMember       = member{"address", addressAt, alone(SolanaAddress)}
	stellarMember      = member{"address", addressAt, alone(StellarAddress)}
	tronMember         = member{"address", addressAt, alone(TronAddress)}
)

func ibanAt(c *Coordinates) *string { return &c.IBAN }

func accountAt(c *Coordinates) *string { return &c.AccountNumber }

func addressAt(c *Coordinates) *string { return &c.Address }

// alone is the check of a member that does not depend on the others.
func alone(check func(string) (string, error)) func(string, Coordinates) (string, error) {
	return func(value string, _ Coordinates) (string, error) { return check(value) }
}

// pixKeyOfType checks a PIX key. If its type is invalid, only the problem of the type is reported.
func pixKeyOfType(key string, all Coordinates) (string, error) {
	if _, invalidType := PIXKeyType(all.PIXKeyType); invalidType == nil {
		return PIXKey(all.PIXKeyType, key)
	}
	return "", nil
}

// rail lists the coordinates of a payment rail. At least one member of either must be given; the problem names the first.
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
	{name: "sepa", required: []*member{&sepaIBANMember}, optional: []*member{&bicMember}},
	{name: "sepa_instant", required: []*member{&sepaIBANMember}, optional: []*member{&bicMember}},
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
