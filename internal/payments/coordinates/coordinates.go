package coordinates

// Coordinates are the details of a beneficiary over all rails. Each rail uses a few of them; the rest are empty.
type Coordinates struct {
	IBAN          string `json:"iban,omitempty"`
	BIC           string `json:"bic,omitempty"`
	RoutingNumber string `json:"routingNumber,omitempty"`
	AccountNumber string `json:"accountNumber,omitempty"`
	SortCode      string `json:"sortCode,omitempty"`
	CLABE         string `json:"clabe,omitempty"`
	PIXKey        string `json:"pixKey,omitempty"`
	PIXKeyType    string `json:"pixKeyType,omitempty"`
	Address       string `json:"address,omitempty"`
	Memo          string `json:"memo,omitempty"`
}

// FieldProblem is what is wrong with one field of a request.
type FieldProblem struct {
	Field   string // the JSON member: "iban"
	Message string // a whole sentence: "The iban field is required."
}
