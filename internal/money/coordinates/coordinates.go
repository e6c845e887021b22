// Package coordinates checks and normalises the target of a payment: bank account numbers, PIX keys and on-chain
// addresses. An error says what is wrong without the value. The package does not use a network: a valid value is well
// formed, but may not exist.
package coordinates

import (
	"slices"
	"strings"
)

// A Problem is the error of one field of a request.
type Problem struct {
	Field   string // the JSON member: "iban"
	Message string // a whole sentence: "The iban field is required."
}

func problem(field, fault string) Problem {
	return Problem{field, "The " + field + " field " + fault + "."}
}

const isRequired = "is required"

// A member is a coordinate of a rail.
type member struct {
	name string // in JSON
	form *form  // nil means the form of a PIX key of the given type
}

// A rail has the coordinates of a payment rail. With needsOne, at least one of the optional ones must be given. The
// problem names the first.
type rail struct {
	name               string
	required, optional []member
	needsOne           bool
}

var (
	usBank  = []member{{"routingNumber", &routingForm}, {"accountNumber", &usAccountForm}}
	swift   = []member{{"accountNumber", &swiftAccountForm}, {"iban", &ibanForm}}
	bic     = []member{{"bic", &bicForm}}
	sepa    = []member{{"iban", &sepaForm}}
	ukBank  = []member{{"sortCode", &sortCodeForm}, {"accountNumber", &ukAccountForm}}
	pix     = []member{{"pixKeyType", &pixTypeForm}, {"pixKey", nil}}
	evm     = []member{{"address", &evmForm}}
	stellar = []member{{"address", &stellarForm}}
)

var rails = [...]rail{
	{name: "ach", required: usBank},
	{name: "ach_same_day", required: usBank},
	{name: "wire", required: usBank},
	{name: "rtp", required: usBank},
	{name: "swift", required: bic, optional: swift, needsOne: true},
	{name: "sepa", required: sepa, optional: bic},
	{name: "sepa_instant", required: sepa, optional: bic},
	{name: "faster_payments", required: ukBank},
	{name: "pix", required: pix},
	{name: "spei", required: []member{{"clabe", &clabeForm}}},
	{name: "ethereum", required: evm},
	{name: "base", required: evm},
	{name: "polygon", required: evm},
	{name: "arbitrum", required: evm},
	{name: "optimism", required: evm},
	{name: "avalanche", required: evm},
	{name: "solana", required: []member{{"address", &solanaForm}}},
	{name: "stellar", required: stellar, optional: []member{{"memo", &memoForm}}},
	{name: "tron", required: []member{{"address", &tronForm}}},
	{name: "bitcoin", required: []member{{"address", &bitcoinForm}}},
}

// Rails lists the payment rails that Check knows.
func Rails() []string {
	names := make([]string, len(rails))
	for i, r := range rails {
		names[i] = r.name
	}
	return names
}

// Check checks the coordinates of a payment rail, by the names of their members, and replaces them by their canonical
// form. It returns one problem for each invalid field, in a fixed order. Check empties invalid coordinates. It also
// empties those that do not belong to the rail, which is not a problem.
func Check(railName string, values map[string]*string) (problems []Problem) {
	normal := map[string]string{}
	defer func() {
		for name, value := range values {
			*value = normal[name]
		}
	}()
	i := slices.IndexFunc(rails[:], func(r rail) bool { return r.name == railName })
	switch {
	case strings.TrimSpace(railName) == "":
		return []Problem{problem("paymentRail", isRequired)}
	case i < 0:
		return []Problem{problem("paymentRail", "is not a valid payment rail: the rails are "+strings.Join(Rails(), ", "))}
	}
	r := rails[i]
	check := func(m member) (isGiven bool) {
		f, value := m.form, *values[m.name]
		if f == nil {
			f = pixForms[normal["pixKeyType"]]
		}
		if strings.TrimSpace(value) == "" {
			return false
		}
		if f == nil { // the type of the PIX key is the problem
			return true
		}
		read, fault := f.read(value)
		if fault == "" && m.name == "address" && strings.Contains(noPayees, " "+read+" ") {
			read, fault = "", "is the contract of a token or destroys coins: nobody could spend what is sent there"
		}
		if normal[m.name] = read; fault != "" {
			problems = append(problems, problem(m.name, fault))
		}
		return true
	}
	for _, m := range r.required {
		if !check(m) {
			problems = append(problems, problem(m.name, isRequired))
		}
	}
	hasOne := false
	for _, m := range r.optional {
		hasOne = check(m) || hasOne
	}
	if r.needsOne && !hasOne {
		problems = append(problems, problem(r.optional[0].name, isRequired+" unless "+r.optional[1].name+" is given"))
	}
	return problems
}
