package money

import (
	"slices"
	"strings"
)

// A CoordinateProblem is what is wrong with one field of a request. It does not repeat the value.
type CoordinateProblem struct {
	Field   string // the JSON member: "iban"
	Message string // a whole sentence: "The iban field is required."
}

func problem(field, fault string) CoordinateProblem {
	return CoordinateProblem{field, "The " + field + " field " + fault + "."}
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

// CheckCoordinates checks the coordinates that a payment rail needs, by the names of their members, and writes them in
// canonical form. It returns one problem for each invalid field, in a fixed order; without a problem, the coordinates
// can be stored. An invalid coordinate becomes empty, and so does one that does not belong to the rail, which is not a
// problem.
func CheckCoordinates(railName string, values map[string]*string) (problems []CoordinateProblem) {
	normal := map[string]string{}
	defer func() {
		for name, value := range values {
			*value = normal[name]
		}
	}()
	i := slices.IndexFunc(rails[:], func(r rail) bool { return r.name == railName })
	switch {
	case strings.TrimSpace(railName) == "":
		return []CoordinateProblem{problem("paymentRail", isRequired)}
	case i < 0:
		return []CoordinateProblem{
			problem("paymentRail", "is not a valid payment rail: the rails are "+strings.Join(Rails(), ", ")),
		}
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
